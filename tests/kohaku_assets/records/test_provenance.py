"""The record of an experiment: all that made it, nothing that names this machine's folders."""

import json

from kohaku_assets.records.provenance import describe_experiment


def test_the_record_tells_settings_versions_data_and_scores(built):
    project, report = built
    record = describe_experiment(project)
    assert record["settings"]["retrieval.top_k"] == project.settings.retrieval.top_k
    assert record["versions"]["python"].startswith("3.")
    assert record["versions"]["duckdb"]
    assert set(record["documents"]) == {"amber-guide", "kohaku-energy-report", "machine-room-log", "model-card"}
    assert record["stages"]["scores"]["input_key"] == report.outcomes["scores"].manifest.input_key
    assert record["metrics"]["retrieval_scores"]["document_recall@10"] == 1.0
    assert record["calls"] == []


def test_the_record_is_plain_and_holds_no_path(built):
    project, _ = built
    text = json.dumps(describe_experiment(project))
    assert str(project.store) not in text
    assert str(project.home) not in text
