"""The queries of the docs take an answer, by whichever door it was given, back to what made it, and tell two apart."""

import json

import duckdb
import pytest
from page_blocks import blocks_run_by
from stage_refresh import refresh_stages

from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.pipeline.stages import STAGES, with_ancestors
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.conversation import AssistantRequest, open_assistant
from kohaku_lib.digests import file_sha256
from kohaku_lib.storage import read_sealed, write_sealed

LINEAGE, DIFFERENCES = (
    block.text for block in blocks_run_by("test_the_queries_of_the_page_take_an_answer_back_and_tell_two_apart")
)
QUESTION = "How much electricity did the whole Kohaku Workshop use in 2023?"  # k01
REPORT = "kohaku-energy-report"


@pytest.fixture
def project(kohaku):
    write_sql_views(kohaku.project)  # in the store that was copied they read the files of the other one
    return kohaku.project


@pytest.fixture
def changed(project, fresh):
    """Return a function that refreshes with settings and returns the answers to k01 before and after."""

    def refresh(*settings):
        before = answer_ids(project)
        refresh_to_the_votes(fresh(*settings))
        [after] = set(answer_ids(project)) - set(before)
        return before[0], after

    return refresh


def refresh_to_the_votes(project):
    assert refresh_stages(project, ["ensemble_votes"]).failure is None
    write_sql_views(project)


def rows(project, query, **values):
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        asked = connection.execute(query, values)
        names = [column[0] for column in asked.description]
        return [dict(zip(names, row, strict=True)) for row in asked.fetchall()]


def answer_ids(project):
    return [row["answer_id"] for row in rows(project, "SELECT answer_id FROM answers WHERE question_id = 'k01'")]


def differences(project, before, after):
    """What differs, without the keys, and the stages whose key moved."""
    found = rows(project, DIFFERENCES, before=before, after=after)
    facts = {(row["stage"], row["fact"]): (row["before"], row["after"]) for row in found}
    return {name: pair for name, pair in facts.items() if name[1] != "key"}, {
        stage for stage, fact in facts if fact == "key"
    }


def downstream(*names):
    """The stages behind an answer that read one of `names`, directly or not, and these."""
    return {name for name in with_ancestors(["ensemble_votes"]) if set(names) & set(with_ancestors([name]))}


def served(project, kohaku_checked):
    with open_assistant(project.home) as assistant:
        assistant.session_settings("mine", {"retrieval.top_k": 7})
        answer_id = assistant.respond(AssistantRequest(message=QUESTION, session_id="mine")).answer_id
    kohaku_checked("usage")
    return answer_id


def is_of_the_report(row, project):
    document = project.settings.corpus.documents / f"{REPORT}.pdf"
    found = [row[name] for name in ("document_id", "page", "path", "file_sha256")]
    return found == [REPORT, 1, document.name, file_sha256(document)] and row["node_id"].startswith(f"{REPORT}:")


def test_the_queries_of_the_page_take_an_answer_back_and_tell_two_apart(project, changed):
    [answer_id] = answer_ids(project)
    found = rows(project, LINEAGE, answer=answer_id)
    made = {row["stage"]: row for row in found}
    assert (len(found), set(made)) == (17, set(with_ancestors(["ensemble_votes"], project.settings)))
    assert {(row["door"], row["question"], row["answer"]) for row in found} == {("pipeline", QUESTION, "41800 kWh")}
    assert all(is_of_the_report(row, project) for row in found)
    for name, row in made.items():
        assert row["stage_key"] == project.files.latest(name).input_key
        assert json.loads(row["settings_json"]) == STAGES[name].slice(project.settings)
        assert row["code_tag"] == STAGES[name].code_tag
    with dagster_instance(project) as instance:
        assert {row["dagster_run_id"] for row in found} <= {run.run_id for run in instance.get_runs()}

    facts, moved = differences(project, *changed("retrieval.top_k=2"))
    assert facts == {
        ("retrieved_context", "retrieval.top_k"): ("60", "2"),
        ("predictions", "retrieval.top_k"): ("60", "2"),
    }
    assert moved == {"retrieved_context", "predictions", "ensemble_votes"}


def test_a_changed_document_is_told_by_its_digests_and_the_stages_that_read_it(project, changed):
    guide = project.settings.corpus.documents / "amber-guide.md"
    old = file_sha256(guide)
    guide.write_text(guide.read_text(encoding="utf-8") + "\nResin is sticky.\n", encoding="utf-8")
    index = project.files.latest("vector_tables").input_key[:16]
    facts, moved = differences(project, *changed())
    assert facts == {
        ("documents", "file amber-guide.md"): (old, file_sha256(guide)),
        ("answer", "index version"): (index, project.files.latest("vector_tables").input_key[:16]),
    }
    assert {"source_files", "documents", "tree_nodes", "vector_tables", "ensemble_votes"} <= moved
    assert moved <= downstream("source_files")


def test_a_served_answer_is_taken_back_to_the_index_that_it_was_given_from(project, fresh, kohaku_checked):
    answer_id, other = served(project, kohaku_checked), answer_ids(project)[0]
    guide = project.settings.corpus.documents / "amber-guide.md"
    guide.write_text(guide.read_text(encoding="utf-8") + "\nResin is sticky.\n", encoding="utf-8")
    key = project.files.latest("vector_tables").input_key
    before = {
        name: project.files.latest(name).input_key for name in with_ancestors(["vector_tables"], project.settings)
    }
    refresh_to_the_votes(fresh())
    assert project.files.latest("vector_tables").input_key != key
    found = rows(project, LINEAGE, answer=answer_id)
    assert {row["stage"]: row["stage_key"] for row in found} == before
    assert {(row["door"], row["question"]) for row in found} == {("assistant", QUESTION)}
    assert all(is_of_the_report(row, project) and "41,800 kWh" in row["answer"] for row in found)

    facts, moved = differences(project, other, answer_id)
    assert facts["answer", "door"] == ("pipeline", "assistant")
    assert facts["assistant", "retrieval.top_k"] == (None, "7")
    assert ("answer", "index version") not in facts
    assert moved == {"questions", "query_plans", "retrieved_context", "predictions", "ensemble_votes"}


def test_outputs_of_an_older_version_stay_fresh_and_tell_all_but_their_run(project):
    [answer_id] = answer_ids(project)
    before = rows(project, LINEAGE, answer=answer_id)
    for path in project.files.root.glob("*/*.json"):
        if path.name != "latest.json":
            content = read_sealed(path)
            del content["origin"]
            write_sealed(path, content)
    assert {one.status for one in project.statuses()} == {"fresh"}
    write_sql_views(project)
    assert rows(project, LINEAGE, answer=answer_id) == [row | {"dagster_run_id": None} for row in before]


def test_another_organisation_sees_no_answer(fresh, kohaku_checked):
    served(fresh(), kohaku_checked)
    for org_id, number in (("stranger", 0), ("default", 1)):
        project = fresh(f"corpus.org_id={org_id}")
        write_sql_views(project)
        assert len(rows(project, "SELECT * FROM served_questions")) == number
        for name in ("answers", "lineage", "answer_facts", "output_stages"):
            assert bool(rows(project, f"SELECT * FROM {name}")) == bool(number)
