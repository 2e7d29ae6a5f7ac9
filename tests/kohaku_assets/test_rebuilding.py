"""Change a setting or a file of the built sample: exactly what depends on it is rebuilt, and nothing is paid twice."""

import json
import shutil

import pytest

from kohaku_assets.refresh import refresh
from kohaku_assets.stages import STAGES
from kohaku_lib.index import current_version, list_snapshots, open_snapshot

pytestmark = pytest.mark.xdist_group("sample")
AFTER_TOP_K = [
    "retrieved_context",
    "predictions",
    "ensemble_votes",
    "retrieval_scores",
    "scores",
    "error_report",
    "submission",
    "published_index",
]


def stale(project):
    return [status.asset for status in project.statuses() if status.status != "fresh"]


def run(project, *names):
    """Refresh and return what was run, in the order of the pipeline."""
    report = refresh(project, names)
    assert report.failure is None
    return [name for name in STAGES if name in report.outcomes]


def documents_of(project):
    return project.settings.corpus.documents


def test_a_first_refresh_builds_everything_and_a_second_nothing(built, fresh):
    _, report = built
    assert set(report.outcomes) == set(STAGES)
    assert refresh(fresh()).statuses == ()


def test_top_k_reaches_exactly_the_context_and_after_and_back_again_costs_nothing(fresh):
    changed = fresh("retrieval.top_k=3")
    assert stale(changed) == AFTER_TOP_K
    first = next(status for status in changed.statuses() if status.asset == "retrieved_context")
    assert first.causes == (f"retrieval.top_k: {fresh().settings.retrieval.top_k} → 3",)
    assert run(changed) == AFTER_TOP_K
    back = fresh()
    assert stale(back) == AFTER_TOP_K
    report = refresh(back)
    assert sum(outcome.computed for outcome in report.outcomes.values()) == 0
    assert stale(fresh()) == []


def test_an_edited_document_embeds_only_its_new_sentences(fresh):
    project = fresh()
    path = sorted(documents_of(project).rglob("*.md"))[0]
    path.write_text(path.read_text() + "\nThe quartermaster of the workshop keeps eleven spare lanterns in the loft.\n")
    report = refresh(fresh())
    assert report.failure is None
    assert report.outcomes["sentence_embeddings"].computed == 1
    assert report.outcomes["documents"].computed == 1
    assert report.outcomes["documents"].reused >= 2
    assert report.outcomes["sentence_embeddings"].reused > 20


def test_a_removed_document_leaves_no_node_vector_or_citation(fresh):
    project = fresh()
    path = sorted(documents_of(project).rglob("*.md"))[0]
    gone = next(r["document_id"] for r in project.sources[0].to_pylist() if r["path"].endswith(path.name))
    path.unlink()
    after = fresh()
    assert refresh(after).failure is None
    snapshot = open_snapshot(after.snapshots, current_version(after.snapshots))
    assert gone not in set(snapshot.nodes["document_id"].to_pylist())
    assert not [n for n in snapshot.space_rows("main")["node_id"].to_pylist() if n.split(":")[0] == gone]
    cited = [ref for row in after.files.latest_table("predictions").to_pylist() for ref in row["ref_id"]]
    assert cited
    assert gone not in cited


def test_a_lost_stage_file_is_missing_and_only_it_is_rebuilt(fresh):
    project = fresh()
    record = project.files.latest("lexical_index")
    project.files.path("lexical_index", record.input_key).unlink()
    assert stale(fresh()) == ["lexical_index"]
    assert run(fresh()) == ["lexical_index"]


def test_a_lost_snapshot_is_built_again(fresh):
    project = fresh()
    shutil.rmtree(project.snapshots / current_version(project.snapshots))
    assert stale(fresh()) == ["vector_tables"]
    assert refresh(fresh()).failure is None
    assert fresh().snapshots.joinpath(current_version(project.snapshots)).is_dir()


def test_named_assets_run_with_their_ancestors_only(fresh):
    changed = fresh("retrieval.top_k=3")
    assert run(changed, "retrieval_scores") == ["retrieved_context", "retrieval_scores"]


def test_questions_are_not_read_for_assets_that_do_not_need_them(fresh):
    broken = fresh("corpus.questions=nowhere.csv")
    assert refresh(broken, ["vector_tables"]).statuses == ()


def test_forced_assets_are_computed_anew(fresh):
    project = fresh()
    project.force = frozenset(["lexical_index"])
    report = refresh(project, ["lexical_index"])
    assert list(report.outcomes) == ["lexical_index"]
    assert report.outcomes["lexical_index"].computed > 0


def test_three_snapshots_are_kept_and_the_current_one_always(fresh):
    for k1 in ("0.8", "0.9", "1.0", "1.1"):
        assert refresh(fresh(f"lexical.k1={k1}")).failure is None
    project = fresh()
    versions = [info.version for info in list_snapshots(project.snapshots)]
    assert len(versions) == 3
    assert current_version(project.snapshots) in versions


def test_a_document_that_cannot_be_parsed_stops_no_other(fresh):
    project = fresh()
    (documents_of(project) / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    report = refresh(fresh())
    assert report.failure is None
    assert any("broken" in problem for problem in report.outcomes["documents"].problems)


def test_a_failed_blocking_check_stops_what_follows_and_is_remembered(fresh):
    project = fresh()
    for path in documents_of(project).rglob("*.*"):
        path.unlink()
    (documents_of(project) / "empty.txt").write_text(" ")
    report = refresh(fresh())
    assert report.failure is not None
    assert "index_not_empty" in report.failure
    assert "vector_tables" not in report.outcomes
    tree = next(status for status in fresh().statuses() if status.asset == "tree_nodes")
    assert tree.status == "stale"
    assert "index_not_empty" in tree.causes[0]


def test_the_store_can_be_asked_in_sql(built):
    import duckdb

    project, _ = built
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        rows = connection.sql("SELECT kind, count(*) FROM tree_nodes GROUP BY kind").fetchall()
        assert {kind for kind, _ in rows} == {"document", "section", "paragraph", "sentence"}
        assert connection.sql("SELECT count(*) FROM current_index.nodes").fetchall() == [(sum(n for _, n in rows),)]
        assert connection.sql("SELECT count(*) FROM submission").fetchall() == [(12,)]


def test_without_questions_the_index_is_built_and_the_rest_is_empty(fresh):
    report = refresh(fresh("corpus.questions="))
    assert report.failure is None
    assert fresh("corpus.questions=").files.latest_table("scores").num_rows == 0


def test_replayed_runs_flow_through_votes_to_scores(fresh, tmp_path):
    project = fresh()
    recorded = tmp_path / "recorded.csv"
    shutil.copy(project.settings.corpus.questions, recorded)  # the truth as a run: everything right
    overrides = ("llm.provider=replay", f"replay.runs={json.dumps([str(recorded)])}")
    assert refresh(fresh(*overrides)).failure is None
    scores = fresh(*overrides).files.latest_table("scores").to_pylist()
    assert {row["value"] for row in scores if row["metric"] == "wattbot"} == {1.0}
