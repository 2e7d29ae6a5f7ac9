"""Plan, retrieve, answer: the same for the stages of a refresh and for questions outside of one."""

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.operations.asking import ask
from kohaku_assets.operations.debugging import debug_question
from kohaku_assets.pipeline.run import Run
from kohaku_lib.service.question_answering import QuestionAnswering, joined_report
from kohaku_lib.tables import StageReport

SAME = ("answer", "answer_value", "ref_id", "confidence")


def test_questions_of_the_file_get_outside_of_a_refresh_what_the_stages_gave_them(fresh):
    project = fresh()
    answering = QuestionAnswering(Run(project).session, open_own_index(project))
    predictions, report = answering.answers(project.files.latest_table("questions"))
    stored = project.files.latest_table("predictions")
    assert predictions.select(SAME).equals(stored.select(SAME))
    assert report.problems == ()


def test_a_question_that_is_asked_or_debugged_gets_the_answer_of_its_row(fresh):
    project = fresh()
    [question] = project.files.latest_table("questions").slice(0, 1).to_pylist()
    [stored] = project.files.latest_table("predictions").slice(0, 1).to_pylist()
    asked = ask(project, question["question"], question["answer_unit"])
    debugged = debug_question(project, question["id"]).row
    assert [asked[name] for name in SAME] == [debugged[name] for name in SAME] == [stored[name] for name in SAME]


def test_the_progress_of_answers_is_that_of_the_run(fresh):
    project, progress = fresh(), []
    run = Run(project, on_progress=lambda done, total: progress.append((done, total)))
    questions, contexts = (project.files.latest_table(name) for name in ("questions", "retrieved_context"))
    QuestionAnswering(run.session, open_own_index(project)).answer(questions, contexts)
    assert progress == [(done, 12) for done in range(1, 13)]


def test_joined_reports_have_all_problems_and_the_first_gap():
    joined = joined_report(
        StageReport(3, problems=("a",)),
        StageReport(1, problems=("b",), incomplete="two of three"),
        StageReport(1, incomplete="later"),
    )
    assert (joined.rows_computed, joined.problems, joined.incomplete) == (0, ("a", "b"), "two of three")
