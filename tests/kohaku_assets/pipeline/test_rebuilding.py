"""Change a setting or a file of the built sample: exactly what depends on it is rebuilt, and nothing is paid twice."""

import gc
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from click.testing import CliRunner
from filelock import FileLock, Timeout
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.definitions import own_defs
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.stages import STAGES, with_ancestors, with_descendants
from kohaku_assets.pipeline.staleness import stage_input_key
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.answering import read_questions
from kohaku_lib.errors import InputFileError, StoreError
from kohaku_lib.index import current_version, list_snapshots, open_snapshot
from kohaku_lib.storage import store_lock
from kohaku_lib.suggestions.stored import stored_suggestions
from kohaku_lib.testing.openai_server import OpenAIServer

AFTER_TOP_K = with_descendants(["retrieved_context", "suggested_questions"])  # spelled out in test_stale_sets.py
INDEX_ALONE = "corpus.questions="  # nothing is asked, so that the index is all that costs


def stale(project, *names):
    return [status.asset for status in project.statuses(names or None) if status.status != "fresh"]


def run(project, *names):
    """Refresh and return what was run, in the order of the pipeline."""
    report = refresh_stages(project, names)
    assert report.failure is None
    return [name for name in STAGES if name in report.outcomes]


def documents_of(project):
    return project.settings.corpus.documents


def test_a_first_refresh_builds_everything_and_a_second_nothing(built, fresh):
    _, report = built
    assert set(report.outcomes) == set(with_ancestors(STAGES))
    assert refresh(fresh()).statuses == ()


def test_top_k_reaches_exactly_the_context_and_after_and_back_again_costs_nothing(fresh):
    changed = fresh("retrieval.top_k=3")
    assert stale(changed) == AFTER_TOP_K
    first = next(status for status in changed.statuses() if status.asset == "retrieved_context")
    assert first.causes == (f"retrieval.top_k: {fresh().settings.retrieval.top_k} → 3",)
    assert run(changed) == AFTER_TOP_K
    back = fresh()
    assert stale(back) == AFTER_TOP_K
    report = refresh_stages(back)
    assert sum(outcome.computed for outcome in report.outcomes.values()) == 0
    assert stale(fresh()) == []


def test_a_cause_is_the_setting_that_changed_not_those_that_went_with_it(fresh):
    statuses = {status.asset: status for status in fresh("embedding.paragraph_mode=full").statuses()}
    assert statuses["paragraph_embeddings"].causes == ("embedding.paragraph_mode: averaged → full",)
    statuses = {status.asset: status for status in fresh("embedding.model=other").statuses()}
    assert statuses["sentence_embeddings"].causes[0] == "embedding.model: minilm → other"


def test_an_edited_document_embeds_only_its_new_sentences_and_paragraphs(fresh):
    project = fresh("embedding.paragraph_mode=both")
    embeddings = ["sentence_embeddings", "paragraph_embeddings"]
    assert refresh_stages(project, embeddings).failure is None
    [path] = documents_of(project).rglob("*.txt")
    new = "The quartermaster of the workshop keeps eleven spare lanterns in the loft. Another two hang at the door."
    path.write_text(f"{path.read_text()}\n\n{new}\n")
    report = refresh_stages(fresh("embedding.paragraph_mode=both"), embeddings)
    assert report.failure is None
    assert report.outcomes["sentence_embeddings"].computed == 2
    assert report.outcomes["paragraph_embeddings"].computed == 1
    assert report.outcomes["documents"].computed == 1
    assert report.outcomes["documents"].reused >= 2
    assert report.outcomes["sentence_embeddings"].reused > 20


def test_a_removed_document_leaves_no_node_vector_or_citation(fresh):
    project = fresh()
    path = sorted(documents_of(project).rglob("*.md"))[0]
    gone = next(r["document_id"] for r in project.user_files.sources[0].to_pylist() if r["path"].endswith(path.name))
    path.unlink()
    after = fresh()
    assert refresh_stages(after, ["published_index"]).failure is None
    snapshot = open_snapshot(after.snapshots, current_version(after.snapshots))
    assert gone not in set(snapshot.nodes["document_id"].to_pylist())
    assert not [n for n in snapshot.space_rows("main")["node_id"].to_pylist() if n.split(":")[0] == gone]
    cited = [ref for row in after.files.latest_table("predictions").to_pylist() for ref in row["ref_id"]]
    assert cited
    assert gone not in cited


def test_a_touched_file_and_a_copy_cost_nothing_and_a_replaced_text_leaves_no_trace(fresh):
    fares = documents_of(fresh()) / "fares.txt"
    fares.write_text("Fares\n\nA day ticket costs 86 NOK.\n")
    assert refresh_stages(fresh(INDEX_ALONE)).failure is None
    os.utime(fares, (1, 1))
    assert stale(fresh(INDEX_ALONE)) == []
    copy = shutil.copy(fares, fares.with_name("fares-copy.txt"))
    report = refresh_stages(fresh(INDEX_ALONE), ["sentence_embeddings"])
    assert sum(report.outcomes[name].computed for name in ("documents", "sentence_embeddings")) == 0
    Path(copy).unlink()
    fares.write_text("Fares\n\nA day ticket costs 92 NOK.\n")
    assert refresh_stages(fresh(INDEX_ALONE), ["published_index"]).failure is None
    snapshots = fresh().snapshots
    texts = open_snapshot(snapshots, current_version(snapshots)).nodes["text"].to_pylist()
    assert any("92 NOK" in text for text in texts)
    assert not any("86 NOK" in text for text in texts)


def test_a_lost_stage_file_is_missing_and_only_it_is_rebuilt(fresh):
    project = fresh()
    record = project.files.latest("lexical_index")
    project.files.path("lexical_index", record.input_key).unlink()
    assert stale(fresh()) == ["lexical_index"]
    assert run(fresh()) == ["lexical_index"]


def test_what_has_gaps_is_stale_with_all_that_read_it(fresh):
    project = fresh()
    project.reject("query_plans", "2 questions were not planned")
    causes = {status.asset: status.causes for status in fresh().statuses() if status.status != "fresh"}
    assert list(causes) == with_descendants(["query_plans"])
    assert causes["query_plans"] == ("2 questions were not planned",)
    assert causes["retrieved_context"] == ("upstream: query_plans",)
    assert run(fresh()) == with_descendants(["query_plans"])
    assert stale(fresh()) == []


def test_a_server_that_fails_on_some_questions_leaves_gaps_that_the_next_refresh_fills_to_the_scores(fresh):
    with OpenAIServer() as server:
        overrides = ("llm.provider=openai", "answer.by=model", f"llm.base_url={server.base_url}", "planner.kind=rule")
        # Its answers are worse than those of the published index, which is not the point here.
        overrides += ("llm.call_retries=0", "llm.max_concurrent=1", "answer.max_retries=0", "release.gate=false")
        server.faults.extend([{"kind": "ok"}, {"kind": "status", "status": 500}])
        gaps = refresh(fresh(*overrides), ["scores"])
        assert "1 of 12 answers failed" in (gaps.failure or "")
        assert gaps.outcomes["scores"].computed > 0
        assert stale(fresh(*overrides), "scores") == ["predictions", "ensemble_votes", "scores"]
        assert refresh_stages(fresh(*overrides), ["scores"]).failure is None
        assert len(server.billed) == 12
    project = fresh(*overrides)
    assert stale(project, "scores") == []
    answers = {row["id"]: row["answer_value"] for row in project.files.latest_table("predictions").to_pylist()}
    voted = {row["id"]: row["answer_value"] for row in project.files.latest_table("ensemble_votes").to_pylist()}
    assert voted == answers


def test_another_content_under_the_same_version_makes_its_readers_stale(fresh):
    project = fresh()
    record = project.files.latest("query_plans")
    project.files.set_latest(replace(record, content_hash="other"))
    statuses = {status.asset: status for status in fresh().statuses() if status.status != "fresh"}
    assert list(statuses) == with_descendants(["retrieved_context"])
    assert statuses["retrieved_context"].causes == ("content changed: query_plans, vector_tables",)


def pretend_that_plans_were_others(files):
    """Let the context be that of other plans than there are, so that plans that are made anew make it stale."""
    plans, context = files.latest("query_plans"), files.latest("retrieved_context")
    hashes = {"query_plans": "other", "vector_tables": files.latest("vector_tables").content_hash}
    key = stage_input_key(STAGES["retrieved_context"], context.slice, None, hashes)
    table = files.read("retrieved_context", context.input_key)
    files.write(replace(files.find("retrieved_context", context.input_key), input_key=key), table)
    files.set_latest(replace(context, input_key=key))
    files.set_latest(replace(plans, content_hash="other"))
    return context.input_key


def test_a_forced_asset_that_comes_out_otherwise_reaches_its_readers_in_the_same_refresh(fresh):
    files = fresh().files
    key = pretend_that_plans_were_others(files)
    assert stale(fresh()) == []
    report = refresh(fresh(), ["retrieved_context"], force=["query_plans"])
    assert report.failure is None
    assert {"query_plans", "retrieved_context"} <= set(report.outcomes)
    assert stale(fresh()) == []
    assert files.latest("retrieved_context").input_key == key


def test_what_was_made_of_something_that_went_has_no_outcome_where_it_cannot_be_made_again(fresh):
    forced, started = fresh(), []
    pretend_that_plans_were_others(forced.files)

    def stop_at_the_context(name):
        started.append(name)
        if name == "retrieved_context":
            msg = "no further"
            raise StoreError(msg)

    report = refresh(forced, ["predictions"], force=["query_plans", "predictions"], on_stage=stop_at_the_context)
    assert report.failure == "retrieved_context: no further"
    assert sorted(started[:2]) == ["predictions", "query_plans"]
    assert set(report.outcomes) == {"query_plans"}


def test_a_lost_submission_or_pointer_is_missing_and_made_again(fresh):
    project = fresh()
    project.submission.unlink()
    (project.snapshots / "current").unlink()
    assert stale(fresh()) == ["submission", "published_index"]
    assert run(fresh()) == ["submission", "published_index"]
    assert project.submission.is_file()
    assert current_version(project.snapshots)


def test_a_snapshot_without_its_facts_is_missing_and_a_forced_one_is_written_anew(fresh):
    project = fresh()
    folder = project.snapshots / str(current_version(project.snapshots))
    (folder / "meta.json").unlink()
    assert stale(fresh()) == ["vector_tables"]
    assert run(fresh()) == ["vector_tables", "suggested_questions"]
    (folder / "vectors.main.npy").write_bytes(b"damaged")
    assert refresh_stages(fresh(), ["vector_tables"], force=["vector_tables"]).failure is None
    assert open_snapshot(project.snapshots, folder.name).vectors("main").shape[0] > 0


def test_files_that_change_while_they_are_read_are_not_kept_under_their_old_content(fresh):
    project = fresh()
    path = project.settings.corpus.questions

    def read_late(_run, _inputs):
        path.write_text(path.read_text() + "\nlate,What came in between?\n")
        return read_questions(path)

    with pytest.raises(InputFileError, match="changed during the run"):
        run_stage(Run(project, frozenset(["questions"])), replace(STAGES["questions"], step=read_late))
    assert project.files.latest_table("questions").num_rows == 12


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no device that is always full")
def test_a_stage_without_room_is_one_sentence_and_leaves_what_was_there(fresh):
    project = fresh()
    full = replace(STAGES["questions"], step=lambda run, inputs: Path("/dev/full").write_text("questions"))
    with pytest.raises(StoreError, match=r"no space is left for .*store"):
        run_stage(Run(project, frozenset(["questions"])), full)
    assert project.files.latest_table("questions").num_rows == 12
    assert stale(fresh()) == []


def test_nothing_is_built_on_what_failed_a_check(fresh):
    project = fresh()
    project.reject("tree_nodes", "check ids_unique failed on 1: a")
    with pytest.raises(StoreError, match="ids_unique failed"):
        run_stage(Run(project), STAGES["lexical_index"])


def test_a_run_holds_the_lock_before_and_between_its_steps(fresh):
    project, others = fresh("retrieval.top_k=3"), []

    def another_run(name):
        lock = FileLock(project.store / ".lock", timeout=0, is_singleton=False)
        with pytest.raises(Timeout):
            lock.acquire()
        others.append(name)

    job = own_defs(project, Run(project, on_stage=another_run)).get_repository_def().get_job("refresh")
    names = ["retrieved_context", "retrieval_scores"]
    assert job.execute_in_process(asset_selection=[dg.AssetKey(name) for name in names]).success
    assert others == names
    with store_lock(project.store), duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        shown = connection.sql("SELECT count(*) FROM retrieved_context").fetchall()
    assert shown == [(12,)]


def test_a_lost_file_of_another_asset_does_not_stop_the_views(fresh):
    project = fresh()
    project.files.path("submission", project.files.latest("submission").input_key).unlink()
    write_sql_views(project)
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        names = {name for (name,) in connection.sql("SELECT view_name FROM duckdb_views()").fetchall()}
    assert "scores" in names
    assert "submission" not in names


def test_a_raised_tag_of_the_documents_parses_them_anew(fresh, monkeypatch):
    for path in documents_of(fresh()).iterdir():
        if path.suffix != ".txt":
            path.unlink()
    raised = replace(STAGES["documents"], code_tag="next")
    monkeypatch.setitem(STAGES, "documents", raised)
    outcome = refresh_stages(fresh(), ["documents"]).outcomes["documents"]
    assert (outcome.computed > 0, outcome.reused) == (True, 0)


def test_a_lost_snapshot_is_built_again(fresh):
    project = fresh()
    shutil.rmtree(project.snapshots / current_version(project.snapshots))
    assert stale(fresh()) == ["vector_tables", "published_index", "suggested_questions"]  # which are both of it
    assert refresh_stages(fresh()).failure is None
    rebuilt = open_snapshot(project.snapshots, current_version(project.snapshots))
    assert stored_suggestions(rebuilt, "default")


def test_named_assets_run_with_their_ancestors_only(fresh):
    changed = fresh("retrieval.top_k=3")
    assert run(changed, "retrieval_scores") == ["retrieved_context", "retrieval_scores"]


def test_questions_are_not_read_for_assets_that_do_not_need_them(fresh):
    broken = fresh("corpus.questions=nowhere.csv")
    assert refresh(broken, ["vector_tables"]).statuses == ()


def test_forced_assets_are_computed_anew(fresh):
    report = refresh_stages(fresh(), ["lexical_index"], force=["lexical_index"])
    assert list(report.outcomes) == ["lexical_index"]
    assert report.outcomes["lexical_index"].computed > 0


def test_three_snapshots_are_kept_and_the_current_one_always(fresh):
    for k1 in ("0.8", "0.9", "1.0", "1.1"):
        gc.collect()  # a version that somebody holds open is kept besides, as the run before may in this process
        assert refresh_stages(fresh(f"lexical.k1={k1}", INDEX_ALONE), ["published_index"]).failure is None
    project = fresh()
    versions = [info.version for info in list_snapshots(project.snapshots)]
    assert len(versions) == 3
    assert current_version(project.snapshots) in versions


def test_a_document_that_cannot_be_parsed_stops_no_other(fresh):
    project = fresh()
    (documents_of(project) / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    report = refresh_stages(fresh(), ["vector_tables"])
    assert (report.failure, "vector_tables" in report.outcomes) == (None, True)
    assert any("broken" in problem for problem in report.outcomes["documents"].problems)


def test_a_document_that_could_not_be_read_for_a_while_is_read_by_the_next_refresh(fresh):
    ferry = documents_of(fresh()) / "ferry.txt"
    ferry.write_text("Ferry\n\nThe ferry carries 64 bicycles.\n")

    def take_away(stage):
        if stage == "documents":
            ferry.rename(ferry.with_suffix(".away"))

    report = refresh_stages(fresh(INDEX_ALONE), on_stage=take_away)
    assert (report.failure, report.outcomes["documents"].manifest.metrics["failed"]) == (None, 1.0)
    ferry.with_suffix(".away").rename(ferry)
    [status] = [one for one in fresh(INDEX_ALONE).statuses() if one.status != "fresh"]
    assert (status.asset, status.causes) == ("documents", ("1 to be tried again",))
    report = refresh_stages(fresh(INDEX_ALONE))
    assert (report.failure, report.outcomes["documents"].computed) == (None, 1)
    assert report.outcomes["documents"].manifest.metrics["failed"] == 0.0
    assert "published_index" in report.outcomes
    assert stale(fresh(INDEX_ALONE)) == []


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


def test_scores_are_shown_only_where_they_are_of_what_is_there_now(fresh, monkeypatch):
    project = fresh()
    monkeypatch.chdir(project.home)

    def told(*arguments):
        result = CliRunner().invoke(main, ["refresh", *arguments])
        return result.exit_code, "wattbot" in result.stdout, "answers: " in result.stderr

    assert told() == (0, True, True)
    assert told("vector_tables") == (0, False, False)
    for path in documents_of(project).rglob("*.*"):
        path.unlink()
    assert told() == (0, True, True)  # an empty folder may be a drive that is away
    assert told("--accept-missing") == (2, False, False)  # said before the first stage


def test_the_store_can_be_asked_in_sql(built):
    project, _ = built
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        rows = connection.sql("SELECT kind, count(*) FROM tree_nodes GROUP BY kind").fetchall()
        assert {kind for kind, _ in rows} == {"document", "section", "paragraph", "sentence"}
        assert connection.sql("SELECT count(*) FROM current_index.nodes").fetchall() == [(sum(n for _, n in rows),)]
        assert connection.sql("SELECT count(*) FROM submission").fetchall() == [(12,)]


def test_without_questions_the_index_is_built_and_the_rest_is_empty(fresh):
    report = refresh_stages(fresh(INDEX_ALONE))
    assert report.failure is None
    assert fresh(INDEX_ALONE).files.latest_table("scores").num_rows == 0


def test_replayed_runs_flow_through_votes_to_scores(fresh, tmp_path):
    project = fresh()
    recorded = tmp_path / "recorded.csv"
    shutil.copy(project.settings.corpus.questions, recorded)  # the truth as a run: everything right
    overrides = ("answer.by=replay", f"replay.runs={json.dumps([str(recorded)])}")
    assert refresh_stages(fresh(*overrides), ["scores"]).failure is None
    scores = fresh(*overrides).files.latest_table("scores").to_pylist()
    assert {row["value"] for row in scores if row["metric"] == "wattbot"} == {1.0}
