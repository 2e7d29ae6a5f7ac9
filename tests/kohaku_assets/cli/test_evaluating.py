"""The verb evaluate-retrieval over the built sample."""

import json
from functools import partial

import pytest

TRUTH = "data/sample/questions.csv"


@pytest.fixture
def evaluate(kohaku):
    """Run `kohaku evaluate-retrieval` in a private copy of the built project, `evaluate.home`."""
    run = partial(kohaku, "evaluate-retrieval")
    run.home = kohaku.project.home
    return run


def test_figures_come_with_intervals_and_per_kind_of_evidence(evaluate):
    found = json.loads(evaluate("--truth", TRUTH, "--json").stdout)
    recall = found["metrics"]["document_recall@5"]
    assert 0.5 <= recall["low"] <= recall["mean"] <= recall["high"] <= 1.0
    assert recall["n"] == found["questions"] > 3
    per_question = [row["value"] for row in found["scores"] if row["metric"] == "document_recall@5"]
    assert sum(per_question) / len(per_question) == pytest.approx(recall["mean"])
    assert all(kind in {"quote", "table", "figure"} for kind in found["by_evidence"])


def test_two_settings_are_told_apart_question_by_question(evaluate):
    whole = evaluate("--truth", TRUTH, "--json")
    (evaluate.home / "before.json").write_text(whole.stdout)
    found = json.loads(evaluate("--truth", TRUTH, "--against", "before.json", "--json").stdout)
    assert all(d["difference"] == 0 and d["p_value"] == 1.0 for d in found["differences"])
    dense = evaluate("--truth", TRUTH, "--against", "before.json", settings=["retrieval.lexical_weight=0"])
    assert dense.exit_code == 0
    assert "against before.json" in dense.stdout


def test_a_beir_folder_is_read_as_truth(evaluate):
    folder = evaluate.home / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "What floats in salt water?"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tnowhere\t1\n")
    found = json.loads(evaluate("--truth", "beir", "--json").stdout)
    assert found["metrics"]["ndcg@10"]["mean"] == 0.0
    assert found["by_evidence"] == {}


def test_another_settings_index_must_be_built_first(evaluate):
    outcome = evaluate("--truth", TRUTH, settings=["lexical.k1=1.5"])
    assert outcome.exit_code == 2
    assert "kohaku refresh vector_tables" in outcome.stderr


def test_a_file_that_is_no_earlier_output_is_named(evaluate):
    (evaluate.home / "other.json").write_text("[]")
    outcome = evaluate("--truth", TRUTH, "--against", "other.json")
    assert outcome.exit_code == 2
    assert "'other.json' is not --json output of evaluate-retrieval" in outcome.stderr
