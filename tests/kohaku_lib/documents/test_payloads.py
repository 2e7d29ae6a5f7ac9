"""Payloads survive the way to JSON and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import payload_from_json, payload_to_json
from kohaku_lib.documents.payloads import document_text
from kohaku_lib.errors import DocumentError
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload, SentencePayload

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
METADATA = st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.lists(st.integers(), max_size=2), max_size=2)
SENTENCES = st.builds(SentencePayload, TEXT, METADATA)
PARAGRAPHS = st.builds(ParagraphPayload, TEXT, st.none() | st.lists(SENTENCES, max_size=2).map(tuple), METADATA)
SECTIONS = st.builds(SectionPayload, TEXT, st.lists(PARAGRAPHS, max_size=2).map(tuple), METADATA)
PAYLOADS = st.builds(
    DocumentPayload,
    TEXT,
    TEXT.filter(bool),
    TEXT,
    METADATA,
    st.none() | st.lists(SECTIONS, max_size=2).map(tuple),
)


@given(PAYLOADS)
def test_round_trip_loses_nothing(payload):
    assert payload_from_json(json.loads(json.dumps(payload_to_json(payload)))) == payload


def test_absent_keys_get_defaults_and_the_title_that_of_the_id():
    payload = payload_from_json({"document_id": "a", "sections": [{"paragraphs": [{}]}]})
    assert payload == DocumentPayload("a", "a", "", {}, (SectionPayload("", (ParagraphPayload(""),)),))


def test_the_text_of_a_document_is_its_own_or_its_paragraphs():
    sections = (SectionPayload("S", (ParagraphPayload("One."), ParagraphPayload("Two."))),)
    assert document_text(DocumentPayload("a", "A", "", {}, sections)) == "One.\n\nTwo."
    assert document_text(DocumentPayload("a", "A", "Own.", {}, sections)) == "Own."


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ([], "the payload must be an object, got list"),
        ({"document_id": "a"}, "neither 'text' nor 'sections'"),
        ({"text": 3}, "'text' of the payload must be a text, got int"),
        ({"sections": "x"}, "'sections' of the payload must be a list, got str"),
        ({"sections": [{"paragraphs": [3]}]}, r"paragraphs\[0\] of sections\[0\] of the payload must be an object"),
        ({"text": "", "metadata": []}, "'metadata' of the payload must be an object"),
    ],
)
def test_other_json_is_refused_with_the_part_that_is_wrong(value, part):
    with pytest.raises(DocumentError, match=part):
        payload_from_json(value)
