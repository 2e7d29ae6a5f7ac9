"""Pages, boxes and storage keys from metadata, whatever a foreign payload contains; and the table of nodes."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.tables import NODES
from kohaku_lib.text.token_estimates import estimated_tokens
from kohaku_lib.tree.figure_keys import figure_key
from kohaku_lib.tree.node_columns import Node, NodeColumns
from kohaku_lib.tree.page_boxes import bbox_of, page_of
from kohaku_lib.tree.paragraph_leaves import LeafSentence
from kohaku_lib.tree.parent_child import place_of_sentences

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("value", "page"),
    [
        (1, 1),
        ("07", 7),
        (2**31 - 1, 2**31 - 1),
        (2**31, None),
        (True, None),
        (1.0, None),
        ("٣", None),
        ("", None),
        (-1, None),
    ],
)
def test_a_page_is_a_positive_integer_that_the_column_can_store(value, page):
    assert page_of({"page": value}) == page


def test_a_page_that_is_not_stated_is_unknown():
    assert page_of({}) is None


@given(JSON)
def test_any_value_gives_a_valid_page_and_box_or_none(value):
    page, box = page_of({"page": value}), bbox_of({"bbox": value})
    assert page is None or 0 < page < 2**31
    assert box is None or (len(box) == 4 and all(isinstance(edge, float) and math.isfinite(edge) for edge in box))


@pytest.mark.parametrize(
    "box", [[1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, math.nan], [1, 2, 3, math.inf], [1, 2, 3, True], "1234", None]
)
def test_a_box_has_exactly_four_finite_numbers(box):
    assert bbox_of({"bbox": box}) is None


def test_a_box_may_be_a_tuple():
    assert bbox_of({"bbox": (0, 1, 2, 3)}) == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("metadata", "key"),
    [
        ({"page": 3, "image_index": 1}, "img:d:p3:i1"),
        ({"page": "3", "image_index": "1"}, "img:d:p3:i1"),
        ({"image_storage_key": "own", "page": 3, "image_index": 1}, "own"),
        ({"image_storage_key": "", "page": 3, "image_index": 1}, "img:d:p3:i1"),
        ({"page": 3}, ""),
        ({"page": None, "image_index": 1}, ""),
        ({"page": math.inf, "image_index": 1}, ""),
        ({}, ""),
    ],
)
def test_the_key_of_a_figure_is_the_stated_one_else_composed_of_page_and_index(metadata, key):
    assert figure_key("d", metadata) == key


@given(st.text())
def test_tokens_are_a_quarter_of_the_characters_and_at_least_one(text):
    assert estimated_tokens(text) == max(1, len(text) // 4)


def columns():
    built = NodeColumns("acme", "d")
    built.add(Node("d", "document", 0, "T", "T"), -1)
    section = built.add(Node("d:sec1", "section", 0, "S", "S"), 0)
    built.add(
        Node("d:sec1:p1", "paragraph", 0, "S", "text", page=2, bbox=[0, 1, 2, 3], span=(3, 7), searchable=True), section
    )
    return built


def test_rows_are_numbered_and_have_the_id_of_their_parent():
    table = columns().table()
    assert table.schema.equals(NODES)
    assert table["parent_row"].to_pylist() == [-1, 0, 1]
    assert table["parent_id"].to_pylist() == [None, "d", "d:sec1"]
    assert len(columns()) == 3


def test_parent_rows_can_count_from_a_later_row():
    assert columns().table(first_row=10)["parent_row"].to_pylist() == [-1, 10, 11]


def test_what_a_node_does_not_state_is_null():
    first, _, last = columns().table().to_pylist()
    assert (first["page"], first["bbox"], first["char_start"], first["char_end"]) == (None, None, None, None)
    assert (last["page"], last["bbox"], last["char_start"], last["char_end"]) == (2, [0, 1, 2, 3], 3, 7)


def test_metadata_of_any_kind_is_stored_as_json():
    built = NodeColumns("acme", "d")
    built.add(Node("d", "document", 0, "T", "T", metadata={"größe": 1, "path": {1, 2}.__class__}), -1)
    assert json.loads(built.table()["metadata_json"][0].as_py()) == {"größe": 1, "path": "<class 'set'>"}


def sentence(**metadata):
    return LeafSentence((0, 1), "x", metadata)


def test_sentences_are_where_the_first_begins_with_the_boxes_of_all():
    members = [sentence(page=1, bbox=[0, 0, 9, 9]), sentence(page=2, bbox=[0, 5, 9, 8])]
    assert place_of_sentences(members) == {
        "page": 1,
        "bbox": [0.0, 0.0, 9.0, 9.0],
        "boxes": [[1, 0.0, 0.0, 9.0, 9.0], [2, 0.0, 5.0, 9.0, 8.0]],
    }


def test_one_box_needs_no_list_and_no_page_no_place():
    assert place_of_sentences([sentence(page=1, bbox=[0, 0, 9, 9])]) == {"page": 1, "bbox": [0.0, 0.0, 9.0, 9.0]}
    assert place_of_sentences([sentence(page=1)]) == {"page": 1}
    assert place_of_sentences([sentence(), sentence(page=2)]) == {}


def test_a_sentence_over_two_columns_brings_the_boxes_of_both():
    parts = [[1, 0, 0, 9, 9], [1, 20, 0, 29, 9]]
    assert place_of_sentences([sentence(page=1, bbox=[0, 0, 9, 9], boxes=parts)])["boxes"] == parts
