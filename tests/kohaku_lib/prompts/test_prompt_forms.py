"""The forms that the prompts describe: places to fill, replies that can be read, and structured answers."""

import string

import pytest

from kohaku_lib.answering import parse_answer
from kohaku_lib.answering.chat.answer_prompt import answer_schema, structured_prompt
from kohaku_lib.answering.chat.short_prompt import short_prompt
from kohaku_lib.prompts import (
    PROMPTS,
    graph_extraction,
    question_class,
    question_variations,
    search_queries,
    snippet_grading,
    structured_answer,
)
from kohaku_lib.registry import Registry
from kohaku_lib.tables import Question
from kohaku_lib.text.json_replies import find_json_object, last_json_value

PLACES = {
    "agent_step": {"question", "steps"},
    "broader_question": {"question"},
    "channel_plan": {"question"},
    "cited_answer": {"sources", "turns", "question"},
    "cluster_summary": {"words", "passages"},
    "documents_overview": {"sources", "turns", "question"},
    "follow_up": {"turns", "question"},
    "graph_extraction": {"types", "relations", "text"},
    "hypothetical_passage": {"question"},
    "image_caption": set(),
    "merged_answer": {"drafts"},
    "question_class": {"question"},
    "question_variations": {"count", "question"},
    "search_queries": {"count", "question"},
    "snippet_grading": {"question", "excerpts", "count"},
    "snippet_yes_no": {"question", "text"},
}


def places(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize(
    "prompt", [one for one in PROMPTS if hasattr(one.module, "USER")], ids=lambda prompt: prompt.name
)
def test_the_user_message_has_a_place_for_each_part_and_no_other(prompt):
    assert places(prompt.module.USER) == PLACES[prompt.name]


@pytest.mark.parametrize(
    ("wording", "value"),
    [
        (search_queries.SYSTEM, {"queries": ["...", "..."]}),
        (question_variations.SYSTEM, {"queries": ["...", "..."]}),
        (snippet_grading.STANDARD, {"relevance": [7, 0]}),
        (snippet_grading.THOROUGH, {"relevance": [7, 0], "grounding": [9, 0], "missing": ["the year"]}),
        (
            graph_extraction.SYSTEM,
            {
                "entities": [{"name": "...", "type": "..."}],
                "relations": [{"subject": "...", "predicate": "...", "object": "...", "confidence": 0.9}],
            },
        ),
    ],
)
def test_the_example_of_a_reply_is_read_as_a_reply_would_be(wording, value):
    assert last_json_value(wording, lambda found: isinstance(found, dict)) == value


@pytest.mark.parametrize("best_guess", [False, True])
def test_the_shape_of_an_answer_has_the_keys_of_the_schema_in_order(best_guess):
    prompt = structured_prompt(Question("q1", "How heavy?", "kg"), [], best_guess=best_guess)
    keys = list(answer_schema(best_guess=best_guess)["properties"])
    shape = prompt.user[prompt.user.index(structured_answer.SHAPE[:20]) :]
    assert [shape.index(f'"{key}"') for key in keys] == sorted(shape.index(f'"{key}"') for key in keys)
    assert list(find_json_object(shape, keys)) == keys


@pytest.mark.parametrize("best_guess", [False, True])
@pytest.mark.parametrize(("cited", "ref"), [("number", 3), ("document", "canteen"), ("node", "canteen:p3")])
def test_the_example_of_the_short_prompt_is_a_reply_of_its_schema(cited, ref, best_guess):
    prompt = short_prompt(Question("q1", "When does it close?"), [], best_guess=best_guess, cited=cited)
    schema = answer_schema(best_guess=best_guess, cited=cited, is_short=True)
    example = last_json_value(prompt.system, lambda value: isinstance(value, dict))
    assert list(example) == list(schema["properties"]) == schema["required"]
    assert (example["answer_value"], example["ref_id"]) == ("14:00", [ref])
    assert "@" not in prompt.system + prompt.user
    assert ("confidence low" in prompt.system) is best_guess


@pytest.mark.parametrize("best_guess", [False, True])
def test_no_mark_of_a_setting_is_left_in_the_messages(best_guess):
    prompt = structured_prompt(Question("q1", "How heavy?", None), [], best_guess=best_guess)
    assert "@" not in prompt.system + prompt.user
    assert ("confidence low" in prompt.system) is best_guess


def test_the_wording_of_an_abstention_is_an_abstention_when_it_is_given():
    answer = parse_answer('{"answer_value": "is_blank", "ref_id": "is_blank"}', Question("q1", "How heavy?", "kg"))
    assert (answer.answer_value, answer.ref_id) == ("is_blank", ())


def test_the_intents_and_signals_of_a_question_are_all_offered():
    message = question_class.system(["factual", "relational"])
    assert "one of factual, relational," in message
    assert all(f"{name} ({meaning})" in message for name, meaning in question_class.SIGNALS.items())


def test_versions_are_distinct_and_numbered():
    versions = [prompt.version for prompt in PROMPTS]
    assert len(set(versions)) == len(versions)
    assert all(version.rpartition(".v")[2].isdigit() for version in versions)
    assert isinstance(PROMPTS, Registry)
