"""Sentences have the boxes of their lines, on their page."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.sentence_boxes import sentence_places

FIRST, SECOND = "The mill was built in the north.", "It ran on water until the river fell dry in May."
TEXT = f"{FIRST} {SECOND}"
# three lines: "The mill was built in the north. It ran" / "on water until the river" / "fell dry in May."
LINES = [[0, 1, 50, 700, 300, 710], [40, 1, 50, 712, 300, 722], [65, 2, 50, 60, 180, 70]]
BOXES = [[1, 50, 700, 300, 722], [2, 50, 60, 180, 70]]


def sentences(**metadata):
    paragraph = ParagraphPayload(TEXT, None, {"page": 1, "bbox": [50, 700, 300, 722], **metadata})
    payload = DocumentPayload("d", "D", TEXT, sections=(SectionPayload("S", (paragraph,), {"page": 1}),))
    rows = flatten(payload, "a", {}, TreeSettings()).table().to_pylist()
    return rows[2], [row for row in rows if row["kind"] == "sentence"]


def test_a_sentence_has_the_box_of_its_lines():
    _, (first, _) = sentences(line_boxes=LINES, boxes=BOXES)
    assert (first["text"], first["page"], first["bbox"]) == (FIRST, 1, [50, 700, 300, 710])


def test_a_sentence_over_a_page_break_has_a_box_on_each_page():
    _, (_, second) = sentences(line_boxes=LINES, boxes=BOXES)
    assert (second["page"], second["bbox"]) == (1, [50, 700, 300, 722])
    assert json.loads(second["metadata_json"])["boxes"] == [[1, 50, 700, 300, 722], [2, 50, 60, 180, 70]]


def test_a_sentence_after_the_break_is_on_the_next_page():
    lines = [[0, 1, 50, 700, 300, 710], [33, 2, 50, 60, 300, 70], [57, 2, 50, 72, 300, 82]]
    _, (first, second) = sentences(line_boxes=lines, boxes=[[1, 50, 700, 300, 710], [2, 50, 60, 300, 82]])
    assert (first["page"], second["page"]) == (1, 2)
    assert second["bbox"] == [50, 60, 300, 82]
    assert "boxes" not in json.loads(second["metadata_json"])


def test_a_break_of_columns_parts_the_box_on_one_page():
    lines = [[0, 1, 50, 700, 290, 710], [40, 1, 310, 60, 550, 70]]
    _, (_, second) = sentences(line_boxes=lines, boxes=[[1, 50, 700, 290, 710], [1, 310, 60, 550, 70]])
    assert json.loads(second["metadata_json"])["boxes"] == [[1, 50, 700, 290, 710], [1, 310, 60, 550, 70]]


def test_the_lines_themselves_are_not_carried_into_the_nodes():
    paragraph, found = sentences(line_boxes=LINES, boxes=BOXES)
    assert "line_boxes" not in paragraph["metadata_json"]
    assert json.loads(paragraph["metadata_json"])["boxes"] == BOXES
    assert all('"bbox"' not in row["metadata_json"] for row in found)


def test_without_lines_a_sentence_has_the_place_of_its_paragraph():
    _, found = sentences()
    assert [(row["page"], row["bbox"]) for row in found] == [(1, [50, 700, 300, 722])] * 2


@pytest.mark.parametrize(
    "lines", ["text", [1], [[0, 1, 2]], [["0", 1, 1, 2, 3, 4]], [[0, "x", 1, 2, 3, 4]], [[0, 1, 1, None, 3, 4]]]
)
def test_lines_of_another_form_are_taken_for_none(lines):
    assert sentence_places([(0, 3)], {"line_boxes": lines}) == [{}]


def test_blanks_cut_from_the_start_move_the_lines():
    lines = {"line_boxes": [[0, 1, 0, 0, 10, 10], [6, 1, 0, 12, 10, 22]]}
    assert sentence_places([(4, 8)], lines, shift=2)[0]["bbox"] == [0, 12, 10, 22]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.data())
def test_a_box_holds_every_line_that_its_sentence_touches_and_no_other(lengths, data):
    starts = [sum(lengths[:index]) for index in range(len(lengths))]
    lines = [[start, 1, 10, 20 * row, 90, 20 * row + 10] for row, start in enumerate(starts)]
    begin = data.draw(st.integers(0, sum(lengths) - 1))
    end = data.draw(st.integers(begin + 1, sum(lengths)))
    touched = [line for line, length in zip(lines, lengths, strict=True) if line[0] < end and line[0] + length > begin]
    (place,) = sentence_places([(begin, end)], {"line_boxes": lines})
    assert place == {"page": 1, "bbox": [10, touched[0][3], 90, touched[-1][5]]}
