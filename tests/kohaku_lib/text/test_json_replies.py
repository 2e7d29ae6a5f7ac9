import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.json_replies import find_json_object, last_json_value, strip_thinking

KEYS = ("explanation", "answer", "answer_value", "ref_id")
GOOD = '{"explanation": "e", "answer": "a", "answer_value": "7", "ref_id": ["d"]}'


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure, here you are:\n\n{GOOD}\n\nI hope this helps {{a lot}}.",
        f'<think>maybe {{"answer_value": "6"}}</think>\n{GOOD}',
        f'maybe {{"answer_value": "6", "answer": "", "ref_id": [], "explanation": ""}}</think>{GOOD}',
        f"<THINKING>\nhm\n</THINKING>{GOOD}",
        f'First {{"answer_value": "6", "answer": "b", "ref_id": "x", "explanation": "y"}}, no: {GOOD}',
        f'{{"note": 1}} {GOOD} {{"unrelated": {{"answer_value": 3}}}}',
        f"[{GOOD}]",
        GOOD.replace('"e"', '"two\nlines and a {brace}"').replace("\n", "\n"),
        "{" + GOOD,
        f"{{not json}} {{{{ }} {GOOD}",
    ],
)
def test_the_last_complete_object_with_the_expected_keys_is_found(reply):
    found = find_json_object(reply, KEYS)
    assert found is not None
    assert (found["answer_value"], found["ref_id"]) == ("7", ["d"])


def test_an_object_with_more_of_the_keys_goes_before_a_later_one_with_fewer():
    found = find_json_object(f'{GOOD} {{"answer": "an afterthought"}}', KEYS)
    assert found is not None
    assert found["answer_value"] == "7"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("{'answer_value': '7', 'ref_id': ['d']}", "7"),
        ('{"answer_value": "7", "ref_id": ["d"],}', "7"),
        ('{answer_value: "7", ref_id: ["d"]}', "7"),
        ('{"explanation": "cut off", "answer_value": "7", "ref_id": ["d"', "7"),
        ('{"answer_value": "7" // seven\n}', "7"),
    ],
)
def test_invalid_json_is_repaired(reply, value):
    found = find_json_object(reply, KEYS)
    assert found is not None
    assert found["answer_value"] == value


@pytest.mark.parametrize(
    "reply",
    [
        "- **explanation**: e\n- **answer_value**: 7\n- **ref_id**: [d]",
        "* explanation: e\n* answer_value: `7`\n* ref_id: [d]",
        "1. Explanation: e\n2. Answer value = 7\n3. Ref id: [d]",
        '"explanation": "e",\n"answer_value": "7",\n"ref_id": [d]',
    ],
)
def test_lists_of_keys_and_values_are_read_where_there_is_no_object(reply):
    assert find_json_object(reply, KEYS) == {"explanation": "e", "answer_value": "7", "ref_id": "[d]"}


@pytest.mark.parametrize(
    "reply", ["", "I cannot answer that.", "{}", '{"other": 1}', "null", "[1, 2]", "42", "}{", "{"]
)
def test_replies_without_the_keys_give_nothing(reply):
    assert find_json_object(reply, KEYS) is None


@pytest.mark.parametrize("reply", ['{"a":' * 100_000, "{" * 100_000, "[" * 100_000 + "{", "<think>" * 20_000])
def test_monstrous_replies_end_soon(reply):
    assert find_json_object(reply, KEYS) is None


def test_an_answer_may_follow_in_thinking_without_an_end():
    assert find_json_object('<think>{"a": 1}', ["a"]) == {"a": 1}
    assert strip_thinking('<think>{"a": 1}', keep_unclosed=True) == '<think>{"a": 1}'


def test_prose_is_never_taken_from_thinking_without_an_end():
    assert strip_thinking("<think>nothing but thoughts") == ""


def _has_a(value):
    return isinstance(value, dict) and "a" in value


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1,}',
        'hm {"a":0}</think>{"a":1}',
        "{'a': 1}",
        '[see 3] {"a": 1,}',
        '{"a": 1, "b": [{"c": 2}],}',
    ],
)
def test_both_ways_to_the_json_of_a_reply_agree(reply):
    assert last_json_value(reply, _has_a)["a"] == find_json_object(reply, ["a"])["a"] == 1


def test_valid_json_goes_before_what_had_to_be_repaired():
    assert last_json_value('{"a": 1} and later {"a": 2,}', _has_a) == {"a": 1}


def test_arrays_are_values_too():
    assert last_json_value('As I said: ["x", "y",]', lambda value: isinstance(value, list)) == ["x", "y"]


def test_what_was_cut_off_is_an_answer_but_no_complete_list():
    assert find_json_object('{"a": 1, "b": ["x"', ["a"]) == {"a": 1, "b": ["x"]}
    assert last_json_value('{"a": 1, "b": ["x"', _has_a) is None


@pytest.mark.parametrize("reply", ["[" * 100_000, '[{"b":' * 50_000, "[1] " * 20_000])
def test_monstrous_replies_without_a_usable_value_give_none(reply):
    assert last_json_value(reply, _has_a) is None


def test_lone_surrogates_become_a_sign_that_can_be_stored():
    assert last_json_value(r'{"a": "\ud800"}', _has_a) == {"a": "�"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=json_values, before=st.text(st.characters(exclude_characters="{}[]<>")))
def test_any_valid_object_with_a_key_comes_back_whole(value, before):
    wanted = {"answer_value": value, "answer": "x"}
    assert find_json_object(before + json.dumps(wanted), KEYS) == wanted


@given(st.text())
def test_no_reply_breaks_the_search(reply):
    found = find_json_object(reply, KEYS)
    assert found is None or found.keys() & set(KEYS)
