"""The circle of the sample: questions are served, blamed and corrected; what a person accepts gates the next index."""

import json

import dagster as dg
import pyarrow.parquet as pq
from stage_refresh import refresh_stages

from kohaku_assets.definitions import own_defs
from kohaku_lib.conversation import AssistantRequest, open_assistant

SERVED = 16
CORRECTED = {  # message, what its user says is right, and the document
    "How many kWh of electricity did the machine room alone use in 2023?": ("29,260 kWh", "kohaku-energy-report"),
    "How long was the training of Gintaras-L?": ("310 hours", "kohaku-energy-report"),
    "Who looks after the model Gintaras-M?": ("Milda Stankute", "model-card"),
}
BLAMED = ("Which animals are found in Baltic amber?", "How is the machine room cooled?")


def serve(home, questions):
    """Serve `SERVED` questions, five of which get a thumb down, three with what is right."""
    with open_assistant(home) as assistant:
        for message in questions[: SERVED - len(CORRECTED) - len(BLAMED)]:
            assistant.respond(AssistantRequest(message=message))
        for message, (value, source) in CORRECTED.items():
            answer_id = assistant.respond(AssistantRequest(message=message)).answer_id
            assistant.give_feedback(answer_id, -1, correction=value, right_source=source)
        for message in BLAMED:
            assistant.give_feedback(assistant.respond(AssistantRequest(message=message)).answer_id, -1)
        return assistant.served_questions().num_rows


def materialize(project):
    """Compute the assets of the group usage, and return the rows of each."""
    job = own_defs(project).get_repository_def().get_job("usage")
    with dg.DagsterInstance.get() as instance:
        assert job.execute_in_process(instance=instance).success
    folder = project.store / "usage"
    return {path.stem: pq.read_table(path).to_pylist() for path in folder.glob("*.parquet")}


def released(project):
    """The questions whose contexts are gated, without the digests of their truth."""
    table = pq.read_table(project.store / "release_scores.parquet").to_pylist()
    return {row["id"].split()[0] for row in table if row["metric"] == "document_recall@5"}


def test_what_a_person_accepts_of_served_questions_gates_the_next_index(kohaku_checked):
    project = kohaku_checked.project
    questions = project.files.latest_table("questions").column("question").to_pylist()
    assert serve(project.home, questions) == SERVED
    queue = json.loads(kohaku_checked("review", "--json").stdout)
    assert [row["question"] for row in queue[:3]] == list(CORRECTED)
    assert [row["reasons"][0] for row in queue[:5]] == ["corrected"] * 3 + ["thumbs down"] * 2
    for row in queue[:3]:
        kohaku_checked("review", "--accept", row["answer_id"][:8])
    for row in queue[3:5]:
        kohaku_checked("review", "--dismiss", row["answer_id"])
    left = json.loads(kohaku_checked("review", "--json").stdout)
    assert {*CORRECTED, *BLAMED}.isdisjoint(row["question"] for row in left)

    before = released(project)
    made = materialize(project)
    assert len(made["served_questions"]) == SERVED
    assert [row["question"] for row in made["accepted_questions"]] == list(CORRECTED)
    [month] = made["usage_report"]
    assert (month["questions"], month["thumbs_down"]) == (SERVED, 5)

    assert refresh_stages(project).failure is None
    asked = {row["question"]: row["id"] for row in project.files.latest_table("questions").to_pylist()}
    accepted = {asked[question] for question in CORRECTED}
    scored = {row["id"] for row in project.files.latest_table("scores").to_pylist() if row["metric"] == "kohaku"}
    assert accepted <= scored
    assert accepted.isdisjoint(project.files.latest_table("submission").column("id").to_pylist())
    assert released(project) == before | accepted

    for name in ("kohaku-energy-report.pdf", "model-card.md", "amber-guide.md"):
        (project.settings.corpus.documents / name).unlink()
    failure = refresh_stages(type(project)(project.loaded)).failure
    assert f"on the {len(before | accepted)} questions of " in failure


def test_what_cannot_be_accepted_is_one_sentence(kohaku_checked):
    home = kohaku_checked.project.home
    with open_assistant(home) as assistant:
        answer_id = assistant.respond(AssistantRequest(message="Who won the chess championship of Iceland?")).answer_id
    for arguments, sentence in (
        (("--accept", "nothing"), "'nothing' is the begin of 0 answers of the queue; 'kohaku review' lists them"),
        (("--accept", answer_id), "nobody answered 'Who won the chess championship of Iceland?' yet"),
        (("--accept", answer_id, "--value", "Ann"), "no document is named that says so; name one with --source"),
        (
            ("--accept", answer_id, "--value", "Ann", "--source", "x"),
            "there is no document 'x'; name one with --source",
        ),
    ):
        assert sentence in kohaku_checked("review", *arguments, code=2).stderr
    shown = kohaku_checked("review")
    assert f"{answer_id[:8]}  unanswered: Who won the chess championship of Iceland?" in shown.stdout


def test_without_an_assistant_there_is_nothing_to_look_at(kohaku_checked):
    assert kohaku_checked("review").stderr.endswith("there are no questions to review\n")
    assert kohaku_checked("usage").stderr.endswith("no question has been served yet\n")
    assert not (kohaku_checked.project.store / "assistant.db").exists()
