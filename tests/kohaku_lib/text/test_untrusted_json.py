"""JSON from elsewhere becomes values that can be stored: no surrogates, no keys, no endless integers."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.masking import remember_secret
from kohaku_lib.text.untrusted_json import (
    MOST_TOKENS,
    as_object,
    reply_json,
    scrubbed_json,
    scrubbed_text,
    token_count,
    without_surrogates,
)

ANY_TEXT = st.text(st.characters())  # lone surrogates included
PLAIN_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**17), 10**17), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@given(PLAIN_JSON)
def test_json_without_anything_odd_is_unchanged(value):
    assert reply_json(json.dumps(value).encode()) == value
    assert scrubbed_json(value) == value


@given(ANY_TEXT)
def test_a_cleaned_text_can_be_encoded_and_keeps_its_length(text):
    cleaned = without_surrogates(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    assert without_surrogates(cleaned) == cleaned


def test_names_of_an_object_are_cleaned_too():
    assert scrubbed_json({"\ud800": ["\udfff", {"a": "\ud83d!"}]}) == {"�": ["�", {"a": "�!"}]}


def test_keys_of_this_process_are_masked_wherever_they_are():
    remember_secret("sk-0123456789abcdef-test")
    assert "0123456789" not in scrubbed_text("your key sk-0123456789abcdef-test is wrong")
    assert "0123456789" not in str(scrubbed_json([{"a": "sk-0123456789abcdef-test"}]))


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"\xef\xbb\xbf7", 7),
        (b'"\xff"', "�"),
        (b"999999999999999999", 999_999_999_999_999_999),
        (b"1" + b"0" * 18, 1e18),
        (b"1" + b"0" * 5000, math.inf),
    ],
)
def test_bytes_that_are_nearly_json_are_read(raw, value):
    assert reply_json(raw) == value


@pytest.mark.parametrize("raw", [b"", b"{", b"<html>", b"[" * 100_000, b'{"a" 1}'])
def test_what_is_no_json_is_a_value_error(raw):
    with pytest.raises(ValueError, match=r"."):
        reply_json(raw)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (2.0, 2),
        (MOST_TOKENS, MOST_TOKENS),
        (MOST_TOKENS * 2, None),
        (float("nan"), None),
        ([], None),
        (False, None),
    ],
)
def test_only_plausible_whole_numbers_are_counts(value, count):
    assert token_count(value) == count


@pytest.mark.parametrize("value", [None, 7, "a", [], [{}], True])
def test_what_is_no_object_is_an_empty_one(value):
    assert as_object(value) == {}


def test_an_object_is_passed_on_as_it_is():
    value = {"a": {}}
    assert as_object(value) is value
