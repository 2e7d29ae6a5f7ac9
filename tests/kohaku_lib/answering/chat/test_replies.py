"""Replies that are cut, refused or of half a prompt: what the row says of them."""

import hashlib
import json

import pytest
from answering_material import chat_settings, contexts_table, questions_table, snippet

from kohaku_lib.answering import (
    Engine,
    GivenParts,
    answer_questions,
    build_answerer,
    parse_answer,
    structured_prompt,
)
from kohaku_lib.answering.chat.answer_prompt import answer_schema, without_place
from kohaku_lib.answering.chat.short_prompt import short_prompt
from kohaku_lib.llm import build_chat
from kohaku_lib.prompts import short_answer, structured_answer
from kohaku_lib.tables import Question
from kohaku_lib.testing.openai_server import OpenAIServer

QUESTIONS = questions_table(("q1", "How heavy is it?", "kg"))
GOOD = {"answer": "4", "answer_value": "4", "ref_id": ["doc"], "explanation": "e", "supporting_materials": ""}

# A change of the wording is a new version: raise VERSION of its file in prompts together with these digests.
PROMPTS = {
    ("structured.v3", "number", False): "0ce2e2e2c09fd985",
    ("structured.v3", "number", True): "437af26cace3b52b",
    ("structured.v3", "document", False): "decd57153ffb47b7",
    ("structured.v3", "node", False): "9ba7a31775f17c61",
    ("short_answer.v1", "number", False): "e16bcd5987000310",
    ("short_answer.v1", "document", True): "690f8155aaa7dd95",
}


@pytest.mark.parametrize(("version", "cited", "best_guess"), PROMPTS)
def test_the_wording_of_a_version_of_the_prompt_never_changes(version, cited, best_guess):
    is_short = version == short_answer.VERSION
    assert is_short or version == structured_answer.VERSION
    build = short_prompt if is_short else structured_prompt
    question, snippets = Question("q1", "How heavy is it?", "kg"), [without_place(snippet("It weighs 4 kg."))]
    prompts = [
        build(question, snippets, context_first=first, best_guess=best_guess, cited=cited) for first in (True, False)
    ]
    schema = answer_schema(best_guess=best_guess, cited=cited, is_short=is_short)
    wording = json.dumps([[prompt.system, prompt.user] for prompt in prompts] + [schema])
    assert "@" not in wording
    assert hashlib.sha256(wording.encode()).hexdigest()[:16] == PROMPTS[version, cited, best_guess]


def answered(text, *, finish_reason="stop", tokens=None, context="It weighs 4 kg.", **answer):
    def adjust(completion):
        completion["choices"][0]["finish_reason"] = finish_reason
        if tokens is not None:
            completion["usage"]["prompt_tokens"] = tokens

    with OpenAIServer(reply=lambda body: text, adjust=adjust) as server:
        settings = chat_settings(server.base_url, answer={"max_retries": 0, **answer})
        answerer = build_answerer(settings, build_chat(settings.llm))
        contexts = contexts_table({"q1": [snippet(context)]})
        table, report = answer_questions(QUESTIONS, contexts, Engine(settings, GivenParts([answerer], None, {})))
    return table.to_pylist()[0], report, server


@pytest.mark.parametrize(
    ("model", "prompt", "is_short"),
    [
        ("qwen2.5-coder-1.5b", "auto", True),
        ("gemma3:4b", "auto", True),
        ("qwen3:8b", "auto", False),
        ("some-model", "auto", False),
        ("qwen3:8b", "short", True),
        ("gemma3:4b", "full", False),
    ],
)
def test_a_small_model_is_told_few_rules_and_asked_for_three_keys(model, prompt, is_short):
    reply = {"supporting_materials": "It weighs 4 kg.", "answer_value": "4", "ref_id": [1]}
    with OpenAIServer(reply=lambda body: json.dumps(reply)) as server:
        settings = chat_settings(server.base_url, answer={"prompt": prompt}, llm={"model": model})
        answerer = build_answerer(settings, build_chat(settings.llm))
        answer = answerer.answer(Question("q1", "How heavy is it?", "kg"), [snippet("It weighs 4 kg.")])
    [request] = server.requests
    assert ("canteen" in request["messages"][0]["content"]) is is_short
    schema = request["response_format"]["json_schema"]["schema"]
    assert (list(schema["properties"]) == list(reply)) is is_short
    assert (answer.answer, answer.answer_value, answer.ref_id, answer.quote) == (
        "4 kg",
        "4",
        ("doc",),
        "It weighs 4 kg.",
    )


def test_the_words_of_a_short_reply_are_its_value_with_the_unit_or_a_truth_value():
    claim = Question("q1", "True or false: It rains.")
    assert parse_answer('{"answer_value": 0, "ref_id": [1]}', claim).answer == "False"
    assert parse_answer('{"answer_value": "Graz", "ref_id": [1]}', Question("q2", "Where?", "kg")).answer == ""


def test_a_reply_that_was_cut_before_its_answer_says_so():
    row, report, _ = answered("Let me think about the weights", finish_reason="length")
    assert row["error"] == "the reply was truncated at llm.max_tokens = 1024 before its answer was complete; raise it"
    assert "llm.max_tokens" in report.problems[0]


def test_a_reply_that_was_cut_behind_its_answer_counts():
    row, report, _ = answered(json.dumps(GOOD), finish_reason="length")
    assert (row["answer_value"], row["error"], report.problems) == ("4", None, ())


def test_a_reply_without_an_answer_is_told_as_such():
    assert answered("I do not know.")[0]["error"] == "the reply holds no JSON object with an answer"


def test_a_model_that_thinks_beyond_its_limit_is_asked_once():
    row, _, server = answered(" ", finish_reason="length")
    assert "raise llm.max_tokens" in row["error"]
    assert len(server.requests) == 1


def test_a_prompt_that_the_server_cut_keeps_its_answer_with_a_warning():
    row, report, _ = answered(json.dumps(GOOD), tokens=2048, context="It weighs 4 kg. " * 2000)
    assert (row["answer_value"], row["error"]) == ("4", None)
    [problem] = report.problems
    assert problem.startswith("question 'q1' in run 'test-model.0': the server read 2048 tokens")
    assert "num_ctx" in json.loads(row["trace_json"])["attempts"][0]["warning"]


def test_a_cut_prompt_is_told_beside_a_value_that_no_excerpt_states():
    said = GOOD | {"answer": "43 kg", "answer_value": "43", "supporting_materials": "It weighs 43 kg."}
    row, report, _ = answered(json.dumps(said), tokens=2048, context="It weighs 4 kg. " * 2000)
    assert row["answer_value"] == "is_blank"
    [problem] = report.problems
    assert "the server read 2048 tokens" in problem
    assert problem.endswith("The model said “43”, which no passage states.")


def test_a_prompt_that_was_read_whole_has_no_warning():
    row, report, _ = answered(json.dumps(GOOD), tokens=7000, context="It weighs 4 kg. " * 2000)
    assert report.problems == ()
    assert "warning" not in json.loads(row["trace_json"])["attempts"][0]


def test_a_best_guess_is_asked_for_and_told_as_one():
    guess = json.dumps(GOOD | {"confidence": "low"})
    row, _, server = answered(guess, best_guess=True)
    [request] = server.requests
    assert "with confidence low" in request["messages"][0]["content"]
    assert '"confidence": "high where' in request["messages"][1]["content"]
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["confidence"] == {"type": "string", "enum": ["high", "low"]}
    assert (row["answer_value"], row["confidence"]) == ("4", 0.3)
    assert row["explanation"] == "A best guess, which the excerpts do not settle: e"


def test_without_it_nothing_is_asked_about_confidence():
    row, _, server = answered(json.dumps(GOOD))
    assert "confidence" not in json.dumps(server.requests)
    assert (row["confidence"], row["explanation"]) == (None, "e")


@pytest.mark.parametrize(("level", "confidence"), [("high", 0.8), ("LOW", 0.3), ("0.7", None), (None, None), (3, None)])
def test_only_the_levels_high_and_low_give_a_confidence(level, confidence):
    reply = json.dumps({"answer_value": "4", "ref_id": ["d"], "confidence": level})
    assert parse_answer(reply, Question("q", "How many?")).confidence == confidence
