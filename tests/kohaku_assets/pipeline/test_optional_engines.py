"""The optional engines of retrieval: no asset while they are off, and assets with lineage and staleness once they are on."""

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import STAGES, with_ancestors, with_descendants
from kohaku_lib.errors import KohakuError
from kohaku_lib.index import list_snapshots, open_snapshot

OPTIONAL = ["raptor_summaries", "raptor_leaves", "token_vectors", "lightrag_themes"]
ON = ("raptor.enabled=true", "late.enabled=true", "lightrag.enabled=true")
SEARCHED = ("retrieval.raptor_weight=0.1", "retrieval.lightrag_weight=0.1", "retrieval.late_weight=0.1")


def stale(project):
    return [status.asset for status in project.statuses() if status.status != "fresh"]


def newest(project):
    return open_snapshot(project.snapshots, list_snapshots(project.snapshots)[0].version)


def test_while_they_are_off_engines_are_no_part_of_a_refresh_and_of_no_version(built, fresh):
    project, report = built
    assert set(OPTIONAL).isdisjoint(report.outcomes)
    assert set(OPTIONAL).isdisjoint(project.versions(STAGES))
    assert {status.asset for status in fresh().statuses()} == set(STAGES) - set(OPTIONAL)
    assert {path.name for path in newest(project).folder.iterdir()}.isdisjoint({"raptor", "late", "lightrag"})


def test_an_engine_that_is_off_is_refused_by_name(fresh):
    with pytest.raises(KohakuError, match=r"'token_vectors' is switched off; set late.enabled = true"):
        refresh(fresh(), ["token_vectors"])


def test_an_engine_that_is_run_while_it_is_off_has_an_empty_output_that_is_none_once_it_is_on(fresh):
    project = fresh()
    run_stages(Run(project), OPTIONAL)
    assert [project.files.latest_table(name).num_rows for name in OPTIONAL] == [0] * len(OPTIONAL)
    assert stale(project) == []
    assert {"raptor_summaries", "token_vectors", "lightrag_themes"} <= set(stale(fresh(*ON)))


@pytest.mark.slow
def test_engines_are_built_once_with_the_index_and_all_after_it_and_a_setting_of_one_makes_only_that_one_stale(fresh):
    project = fresh(*ON, *SEARCHED)
    after = with_descendants(["vector_tables"])
    assert stale(project) == [name for name in STAGES if name in {*OPTIONAL, *after}]
    cause = next(status for status in project.statuses() if status.asset == "vector_tables").causes
    assert "raptor.enabled: none → True" in cause
    report = refresh(project)
    assert report.failure is None
    assert set(OPTIONAL) <= set(report.outcomes)
    assert stale(project) == []
    snapshot = newest(project)
    assert snapshot.raptor is not None
    assert snapshot.lightrag is not None
    assert snapshot.late is not None
    assert refresh(fresh(*ON, *SEARCHED)).statuses == ()
    other = fresh(*ON, *SEARCHED, "late.compression=residuals")
    assert stale(other) == with_descendants(["vector_tables"])
    changed = fresh(*ON, *SEARCHED, "raptor.cluster_size=4")
    assert stale(changed)[:3] == ["raptor_summaries", "raptor_leaves", "vector_tables"]
    assert {"token_vectors", "lightrag_themes"}.isdisjoint(stale(changed))


def test_the_lineage_of_summaries_leads_to_paragraphs_of_the_tree(fresh):
    project = fresh(*ON)
    run_stages(Run(project), with_ancestors(["raptor_leaves", "lightrag_themes"], project.settings))
    tables = project.files.latest_table
    nodes = {row["node_id"]: row["kind"] for row in tables("tree_nodes").select(["node_id", "kind"]).to_pylist()}
    leaves = tables("raptor_leaves").to_pylist()
    assert {nodes[row["node_id"]] for row in leaves} == {"paragraph"}
    assert {row["summary_id"] for row in leaves} == set(tables("raptor_summaries")["summary_id"].to_pylist())
    for row in tables("lightrag_themes").to_pylist():
        assert set(row["node_ids"]) <= nodes.keys()


def test_token_vectors_of_unchanged_documents_are_taken_over(fresh):
    project = fresh("late.enabled=true")
    run_stages(Run(project), with_ancestors(["token_vectors"], project.settings))
    [document] = project.settings.corpus.documents.rglob("*.txt")
    document.write_text(document.read_text(encoding="utf-8") + "\n\nThe park was closed in May.\n", encoding="utf-8")
    again = Run(fresh("late.enabled=true"))
    run_stages(again, with_ancestors(["token_vectors"], project.settings))
    outcome = again.outcomes["token_vectors"]
    assert 0 < outcome.computed < outcome.manifest.rows
