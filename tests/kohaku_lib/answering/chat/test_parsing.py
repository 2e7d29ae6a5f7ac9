import json

import pytest

from kohaku_lib.answering.chat.parsing import UNREADABLE, canonical_value, clean_refs, parse_answer
from kohaku_lib.tables import Question

HOW_MANY = Question("q", "How many kilograms?", "kg")


def parsed(value, question=HOW_MANY, **fields):
    return parse_answer(json.dumps({"answer_value": value, "ref_id": ["d"], **fields}), question)


def test_all_fields_arrive():
    answer = parsed(
        "4.3", answer="It is 4.3 kg.", explanation="Stated.\nPlainly.", supporting_materials="weighs  4.3 kg"
    )
    assert (answer.answer, answer.answer_value, answer.ref_id) == ("It is 4.3 kg.", "4.3", ("d",))
    assert (answer.explanation, answer.quote) == ("Stated. Plainly.", "weighs 4.3 kg")
    assert (answer.error, answer.confidence) == (None, None)
    assert answer.raw_response is not None


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (7, "7"),
        (7.0, "7"),
        (0, "0"),
        (1e-7, "0.0000001"),
        (5439000.0, "5439000"),
        (1e22, "10000000000000000000000"),
        (0.1, "0.1"),
        (-3.5, "-3.5"),
        (True, "1"),
        (False, "0"),
        (None, "is_blank"),
        ("", "is_blank"),
        ([], "is_blank"),
        ({}, "is_blank"),
        (float("inf"), "is_blank"),
        ([0.02, 0.1], "[0.02,0.1]"),
        ([7], "7"),
        (["A100", "V100"], "A100, V100"),
        ([1, 2, 3], "1, 2, 3"),
        ({"value": 3, "unit": "kg"}, "3"),
    ],
)
def test_values_of_every_json_type_become_texts(value, canonical):
    assert canonical_value(value) == canonical


@pytest.mark.parametrize(
    ("value", "normal"), [("13,900", "13900"), ("about 80%", "80"), ("80 – 90", "[80,90]"), ("N/A", "is_blank")]
)
def test_values_are_normalised_as_the_metric_wants_them(value, normal):
    assert parsed(value, Question("q", "How many?")).answer_value == normal


@pytest.mark.parametrize(("value", "normal"), [("True", "1"), (False, "0"), ("The claim is false.", "0")])
def test_claims_become_one_or_zero(value, normal):
    assert parsed(value, Question("q", "True or False: it rains.")).answer_value == normal


@pytest.mark.parametrize(
    ("value", "refs"),
    [
        (["a", "b"], ("a", "b")),
        (["b", "a", "b"], ("b", "a")),
        ("a", ("a",)),
        ("a, b", ("a", "b")),
        ("['a', 'b']", ("a", "b")),
        ('["a"]', ("a",)),
        ("[ref_id=a]", ("a",)),
        ("ref_id=a, ref_id=b", ("a", "b")),
        (["[ref_id=a]", "ref_id: b"], ("a", "b")),
        ([["a"], {"x": 1}][0], ("a",)),
        (["is_blank"], ()),
        (["is_blank", "a"], ("a",)),
        ("is_blank", ()),
        ([None, ""], ()),
        (None, ()),
        ([7], ("7",)),
    ],
)
def test_references_are_cleaned(value, refs):
    assert clean_refs(value) == refs


@pytest.mark.parametrize("reply", ["", "I do not know.", '{"thoughts": 1}', '{"explanation": "only this"}'])
def test_an_unreadable_reply_is_blank_and_says_so(reply):
    answer = parse_answer(reply, HOW_MANY)
    assert (answer.answer_value, answer.ref_id, answer.error) == ("is_blank", (), UNREADABLE)
    assert answer.raw_response == reply


def test_an_abstention_is_blank_without_an_error():
    answer = parsed("is_blank", ref_id="is_blank")
    assert (answer.answer_value, answer.ref_id, answer.error) == ("is_blank", (), None)


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is not stated, only 2 weeks of notice.",
        "The answer is unknown; 12 weeks is a guess.",
        "The answer is not 12 weeks.",
    ],
)
def test_a_refusal_in_words_is_no_value(reply):
    assert parse_answer(reply, Question("q", "How long is the leave?", "weeks")).error is not None
