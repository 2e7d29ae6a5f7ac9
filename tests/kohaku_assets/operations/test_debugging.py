"""kohaku debug over the built sample: every attempt with what it was given, asked, replied and read."""

import json
from functools import partial

import pytest

from kohaku_assets.operations.debugging import ADHOC_ID, debug_question
from kohaku_lib.errors import InputFileError
from kohaku_lib.testing.openai_server import OpenAIServer

FLOATS = "What floats in salt water?"


@pytest.fixture
def debug(kohaku_checked, monkeypatch):
    """Run `kohaku debug` in a private copy of the built project."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    return partial(kohaku_checked, "debug")


def test_an_id_of_the_questions_file_brings_its_text_and_unit(fresh):
    trace = debug_question(fresh(), "k01")
    assert trace.question.text.startswith("How much electricity")
    assert trace.question.unit
    assert debug_question(fresh(), FLOATS).question.id == ADHOC_ID


def test_a_questions_file_without_questions_is_one_sentence(debug, tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("id,answer\nk01,5\n")
    said = debug("k01", settings=[f"corpus.questions={path}"], code=2).stderr
    assert "lacks the column 'question' (columns found: 'id', 'answer'); add it to the header" in said


def test_what_looks_like_an_id_and_is_none_is_said(debug):
    assert "corpus.questions has no id 'k99', so it was treated as the text of a question" in debug("k99").stderr
    assert "has no id" not in debug("k01").stderr
    assert "has no id" not in debug(FLOATS).stderr


def test_every_attempt_is_kept_with_its_retrieval(fresh):
    project = fresh("retrieval.context_tokens=60", "retrieval.top_k=2")
    trace = debug_question(project, "Who paid for the machine room?", "name")
    told = json.loads(trace.row["trace_json"])["attempts"]
    assert [len(attempt.snippets) for attempt in trace.attempts] == [one["snippets"] for one in told]
    assert [depth for depth, _, _ in trace.retrievals] == list(range(1, len(trace.retrievals) + 1))
    assert len(trace.retrievals) > 1
    assert all(seconds > 0 and result.timings_ms for _, result, seconds in trace.retrievals)
    assert all(attempt.calls == () and attempt.seconds > 0 for attempt in trace.attempts)


def test_passages_that_cover_too_little_of_the_question_are_not_read(fresh):
    trace = debug_question(fresh(), "Who won the cup in 1931?", "name")
    assert trace.attempts == ()
    assert all(attempt["uncovered"] for attempt in json.loads(trace.row["trace_json"])["attempts"])


def test_the_answer_is_that_of_ask(fresh):
    project = fresh()
    trace = debug_question(project, "k01")
    row = project.files.latest_table("predictions").slice(0, 1).to_pylist()[0]
    assert trace.row["answer_value"] == row["answer_value"]
    assert trace.attempts[-1].answer.answer_value == row["answer_value"]
    assert any(cited["quote_found"] for cited in trace.row["citations"])


def test_the_calls_of_a_chat_model_are_shown_with_prompt_and_reply(debug):
    with OpenAIServer() as server:
        settings = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "planner.kind=rule",
            "answer.max_retries=0",
        )
        found = json.loads(debug(FLOATS, "--json", settings=settings).stdout)
        [call] = found["attempts"][0]["calls"]
        assert FLOATS in call["user"]
        assert call["reply"]
        assert call["replayed"] is False
        text = debug(FLOATS, settings=settings).stdout
        assert "(from the ledger): tokens in" in text
        assert "--prompts prints it" in text
        assert found["attempts"][0]["calls"][0]["system"] in debug(FLOATS, "--prompts", settings=settings).stdout


def test_a_call_that_fails_is_shown_with_its_error(fresh, debug):
    with OpenAIServer([{"kind": "status", "status": 400}] * 6) as server:
        settings = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "planner.kind=rule",
            "llm.call_retries=0",
        )
        [attempt, *_] = debug_question(fresh(*settings), FLOATS).attempts
    assert attempt.answer is None
    assert attempt.error
    assert attempt.calls[0].reply is None


def test_a_person_reads_plan_retrieval_attempts_and_citations(debug):
    text = debug("k01").stdout
    for words in ("Plan", "Retrieval", "Attempt 1: ", "answer: ", "quote: ", "quote_found"):
        assert words in text


def test_an_empty_question_is_refused(fresh, debug):
    with pytest.raises(InputFileError, match="the question is empty"):
        debug_question(fresh(), " ")
    assert "the question is empty" in debug("", code=2).stderr


def test_a_model_that_sees_is_shown_what_a_run_would_show_it(fresh, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    with OpenAIServer() as server:
        told = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "planner.kind=rule",
            "answer.max_retries=0",
        )
        debug_question(fresh(*told, "retrieval.top_k_images=1", "answer.send_images=true"), "k01")
        [request] = server.requests
    [_, picture] = request["messages"][1]["content"]
    assert picture["image_url"]["url"].startswith("data:image/webp;base64,")
