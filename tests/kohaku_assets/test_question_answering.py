"""Plan, retrieve, answer: the same for the stages of a refresh and for questions outside of one."""

import pytest

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.components.preflight import open_checked
from kohaku_assets.operations.debugging import debug_question
from kohaku_assets.pipeline.run import Run
from kohaku_lib.errors import ModelError
from kohaku_lib.project import open_engine, open_project
from kohaku_lib.project.question_tables import answer_table, context_table
from kohaku_lib.tables import StageReport, joined_report
from kohaku_lib.testing.openai_server import OpenAIServer

SAME = ("answer", "answer_value", "ref_id", "confidence")


def test_questions_of_the_file_get_outside_of_a_refresh_what_the_stages_gave_them(fresh):
    project = fresh()
    session, snapshot = Run(project).session, open_own_index(project)
    questions = project.files.latest_table("questions")
    contexts, found = context_table(open_engine(session, snapshot), questions)
    predictions, report = answer_table(session, snapshot, questions, contexts)
    stored = project.files.latest_table("predictions")
    assert predictions.select(SAME).equals(stored.select(SAME))
    assert (found.problems, report.problems) == ((), ())


def test_a_question_that_is_asked_or_debugged_gets_the_answer_of_its_row(fresh):
    project = fresh()
    [question] = project.files.latest_table("questions").slice(0, 1).to_pylist()
    [stored] = project.files.latest_table("predictions").slice(0, 1).to_pylist()
    asked = open_checked(project).ask(question["question"], question["answer_unit"])
    debugged = debug_question(project, question["id"]).row
    refs = [citation.document_id for citation in asked.citations]
    assert [asked.text, asked.value, refs, asked.confidence] == [stored[name] for name in SAME]
    assert [debugged[name] for name in SAME] == [stored[name] for name in SAME]


def test_the_progress_of_answers_is_that_of_the_run(fresh):
    project, progress = fresh(), []
    run = Run(project, on_progress=lambda done, total: progress.append((done, total)))
    questions, contexts = (project.files.latest_table(name) for name in ("questions", "retrieved_context"))
    answer_table(run.session, open_own_index(project), questions, contexts)
    assert progress == [(done, 12) for done in range(1, 13)]


def test_joined_reports_have_all_problems_and_the_first_gap():
    joined = joined_report(
        StageReport(3, problems=("a",)),
        StageReport(1, problems=("b",), incomplete="two of three"),
        StageReport(1, incomplete="later"),
    )
    assert (joined.rows_computed, joined.problems, joined.incomplete) == (0, ("a", "b"), "two of three")


def test_a_batch_that_ends_in_an_error_stops_no_later_question(fresh):
    with OpenAIServer([{"kind": "status", "status": 401}] * 9) as server:
        chosen = {
            "llm.provider": "openai",
            "answer.by": "model",
            "llm.base_url": server.base_url,
            "planner.kind": "rule",
        }
        with open_project(fresh().home, settings=chosen) as opened:
            with pytest.raises(ModelError, match="401"):
                opened.answers(["How much electricity was used?", "Who maintains Gintaras-M?", "What is amber?"])
            server.faults.clear()
            assert opened.ask("How much electricity was used?").error is None
