"""One answer by every door: a question gets the same value, unit, citations and confidence wherever it is asked."""

import asyncio
import csv
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from excerpt_model import reply_from_excerpts
from mcp.client import Client
from running_server import events_of, running_server
from stage_refresh import refresh_stages
from trust_documents import make_documents
from trust_truth import read_asked

from kohaku_assets.cli import main
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.schemas import AnswerResponse
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.composition import load_settings
from kohaku_lib.project import open_project
from kohaku_lib.testing.openai_server import OpenAIServer
from kohaku_lib.values.references import literal_list

DATA = Path(os.environ.get("KOHAKU_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
WATTBOT = DATA / "wattbot"
WRITTEN = (None, "value", "text")  # by the reader, or by a chat model in a form
ASKED = ("k01", "k05", "k06", "k08", "k09", "k11")  # a number, a range, true or false, a name, two documents, no answer


def test_the_questions_of_the_sample_get_one_answer_by_six_doors(kohaku_checked):
    answers = answers_by_door(without_units(kohaku_checked.project), kohaku_checked)
    assert len(answers) == len(ASKED)
    assert {question: found for question, found in answers.items() if len(set(found.values())) > 1} == {}
    told = [json.loads(found["kohaku ask"]) for found in answers.values()]
    assert all(one.keys() == AnswerResponse.model_fields.keys() for one in told)
    assert sum(one["answer_value"] is not None for one in told) >= 4


def without_units(project):
    """Keep `ASKED` and no units, as a message to the assistant names none, and answer the file again."""
    path = project.settings.corpus.questions
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"answer_unit": ""} for row in rows if row["id"] in ASKED)
    report = refresh_stages(project, ["predictions"])
    assert report.failure is None, report.failure
    return project


def answers_by_door(project, kohaku):
    """Return for each question the answer by door, as text."""
    rows = project.files.latest_table("predictions").to_pylist()
    found = {}
    with open_project(project.home) as opened:
        for row in rows:
            question = row["question"]
            answer = opened.ask(question)
            found[question] = {
                "predictions": text_of(from_row(row, answer)),
                "open_project": text_of(answer.as_json()),
                "kohaku ask": text_of(json.loads(kohaku("ask", question, "--json").stdout)),
            }
    with running_server(project.home) as server:
        for question, doors in found.items():
            doors["/v1/answers"] = text_of(server.client.post("/v1/answers", json={"question": question}).json())
            doors["/v1/chat"] = text_of(from_chat(server.client.post("/v1/chat", json={"message": question}).json()))
            with server.client.stream("POST", "/v1/chat", json={"message": question, "stream": True}) as response:
                name, last = list(events_of(response.iter_lines()))[-1]
            assert name == "response"
            doors["the stream"] = text_of(from_chat(last))
        for question, content in asyncio.run(asked_by_mcp(f"{server.url}/mcp", list(found))).items():
            found[question]["MCP"] = text_of(from_chat(content))
    return found


async def asked_by_mcp(url, questions):
    async with Client(url) as client:
        return {
            question: (await client.call_tool("ask", {"message": question})).structured_content
            for question in questions
        }


def text_of(answer):
    return json.dumps(answer, sort_keys=True, ensure_ascii=False)


def from_row(row, answer):
    """Return the answer in a row, whose text holds the unit that is not asked for.

    A row has a value or none: where the others tell by a passage, or say nothing, its value is unsure.
    """
    assert row["answer_unit"] == "is_blank"
    body = answer.as_json()
    if answer.outcome != "value":
        assert row["answer_value"] == "is_blank" or row["confidence"] < LIKELY
        return body
    kept = {name: row[name] for name in ("question", "answer", "answer_value", "ref_id", "explanation", "confidence")}
    cited = [
        citation | {name: value for name, value in own.items() if name in citation}
        for citation, own in zip(body["citations"], row["citations"], strict=True)
    ]
    return body | kept | {"citations": cited}


def from_chat(body):
    """Return the answer within a response, whose confidence is that of its content unless nothing is said."""
    answer = body["answer"]
    assert answer["outcome"] == "silent" or answer["confidence"] in (None, body["confidence_score"])
    return answer


@pytest.mark.parametrize("form", ["value", "text"])
def test_a_chat_model_gives_one_answer_by_six_doors(form, kohaku_checked):
    with OpenAIServer(reply=reply_from_excerpts) as server:
        told = answered_by(server, form, kohaku_checked.project.home)
        project = without_units(Project(load_settings(environment={}, folder=kohaku_checked.project.home)))
        answers = answers_by_door(project, kohaku_checked)
        assert server.requests, told
    assert len(answers) == len(ASKED)
    assert {question: found for question, found in answers.items() if len(set(found.values())) > 1} == {}
    assert_form(answers, form)


def assert_form(answers, form):
    """Check that what the model wrote has that form, and that it wrote some answer."""
    given = [json.loads(found["kohaku ask"]) for found in answers.values()]
    of_model = [one for one in given if one["answered_by"] == "test" and one["outcome"] == "value"]
    assert {one["form"] for one in of_model} == {form}


def answered_by(server, form, home):
    """Write into the project at `home` that the model of a server answers, at defaults but for the form."""
    text = (
        f'\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{server.base_url}"\ncall_retries = 0\n'
        f'\n[planner]\nkind = "rule"\n\n[answer]\nform = "{form}"\n'
    )
    with (home / "kohaku.toml").open("a", encoding="utf-8") as file:
        file.write(text)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN)
def test_questions_about_daily_life_get_one_answer_by_six_doors(form, kohaku_at, tmp_path):
    part = "second_seen"
    make_documents(part, tmp_path / "documents")
    asked = [one.text for one in read_asked() if one.part == part][:24]
    assert_one_answer(kohaku_at, tmp_path, asked, form)


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.skipif(not WATTBOT.exists(), reason="the documents of WattBot are not at hand")
def test_questions_about_papers_get_one_answer_by_six_doors(form, kohaku_at, tmp_path):
    (tmp_path / "documents").mkdir()
    rows = list(csv.DictReader((WATTBOT / "train_QA.csv").read_text(encoding="utf-8-sig").splitlines()))[:24]
    for name in {ref for row in rows for ref in literal_list(row["ref_id"]) or ()}:
        shutil.copy(WATTBOT / "corpus" / f"{name}.json", tmp_path / "documents")
    assert_one_answer(kohaku_at, tmp_path, [row["question"] for row in rows], form)


@pytest.fixture
def kohaku_at(monkeypatch):
    """Return a function that gives a function that runs verbs in a folder."""

    def at(home):
        monkeypatch.chdir(home)
        monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        return lambda *arguments: CliRunner().invoke(main, [*map(str, arguments)])

    return at


def assert_one_answer(kohaku_at, home, questions, form):
    """Build a project of the documents at `home`, ask each of `questions` by all doors, and compare.

    The reader answers, or a chat model in a form.
    """
    (home / "dagster_home").mkdir()
    with (home / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question"])
        writer.writerows(enumerate(questions))
    corpus = "[corpus]\ndocuments = 'documents'\nquestions = 'questions.csv'\n"
    (home / "kohaku.toml").write_text(f"store = 'store'\n{corpus}", encoding="utf-8")
    kohaku = kohaku_at(home)
    with OpenAIServer(reply=reply_from_excerpts) as server:
        if form is not None:
            answered_by(server, form, home)
        project = Project(load_settings(environment={}, folder=home))
        report = refresh(project)
        assert report.failure is None, report.failure
        answers = answers_by_door(project, kohaku)
    assert {question: found for question, found in answers.items() if len(set(found.values())) > 1} == {}
    assert len(answers) == len(questions)
    if form is not None:
        assert_form(answers, form)
