"""The entities marked by hand: well-formed spans of the paragraphs they say, in both halves, and right counts."""

import json
import os
from pathlib import Path

import pytest
from entity_documents import READERS, read_collection
from entity_types import HALVES, SPANS, TYPES, Marked, Span, check_paragraph, half_of, row_of

DATA = Path(os.environ.get("KOHAKU_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ROWS = [json.loads(line) for line in SPANS.read_text(encoding="utf-8").splitlines()]


def test_spans_are_sorted_apart_and_of_the_ten_types():
    for row in ROWS:
        ends = [0, *(end for _, end, _ in row["spans"])]
        assert all(before <= start < end for before, (start, end, _) in zip(ends, row["spans"], strict=False))
        assert {kind for _, _, kind in row["spans"]} <= set(TYPES)


def test_every_collection_has_documents_in_both_halves():
    halves = {(row["collection"], half_of(row["collection"], row["document"])) for row in ROWS}
    assert halves == {(collection, half) for collection in READERS for half in HALVES}


def test_a_name_is_right_by_its_type_and_by_its_place():
    gold = (Span(0, 4, "PERSON"), Span(9, 20, "PERSON"), Span(30, 35, "LOCATION"))
    found = (Span(0, 4, "PERSON"), Span(9, 15, "PERSON"), Span(22, 25, "PERSON"), Span(30, 35, "ORGANIZATION"))
    # One of three found persons has the very place, two share some with a marked one; both marked ones are met.
    assert row_of([Marked("develop", "", gold, found)], "PERSON") == (
        "| PERSON | 2 | 3 | 0.333 | 0.500 | 0.400 | 0.667 | 1.000 | 0.800 |"
    )


@pytest.mark.skipif(not DATA.is_dir(), reason="the public collections are not here")
@pytest.mark.parametrize("collection", READERS)
def test_marked_paragraphs_are_those_of_the_collections(collection):
    documents = read_collection(DATA, collection)
    for row in ROWS:
        if row["collection"] == collection:
            text = documents[row["document"]].paragraphs[row["paragraph"]]
            check_paragraph(row, text)
            assert all(text[start:end].strip() == text[start:end] for start, end, _ in row["spans"])
