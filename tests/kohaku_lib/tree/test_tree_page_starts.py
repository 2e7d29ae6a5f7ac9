"""Where the pages of a paragraph begin: as parsers state it, by sentences, in pieces, and in joined parents."""

import json

import pytest

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload, SentencePayload
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.page_starts import page_starts

SENTENCE = "The cat slept all day long."  # 27 characters
LONG = " ".join([SENTENCE] * 120)  # 3,359 characters, cut into three pieces of 40 sentences


def starts_of(*paragraphs, **changes):
    """Return the page and the later pages of every paragraph of a document."""
    payload = DocumentPayload("d", "D", "", sections=(SectionPayload("S", paragraphs),))
    nodes = flatten(payload, "acme", {}, TreeSettings(**changes)).table().to_pylist()
    return [
        (node["page"], json.loads(node["metadata_json"]).get("page_starts"))
        for node in nodes
        if node["kind"] == "paragraph"
    ]


def test_a_paragraph_keeps_what_its_parser_states_less_the_space_before_it():
    paragraph = ParagraphPayload("  One on two. Two on three.", metadata={"page": 2, "page_starts": [[14, 3]]})
    assert starts_of(paragraph) == [(2, [[12, 3]])]


def test_a_table_has_the_pages_of_its_rows():
    rows = ("| a | kWh |", "|---|---|", "| b | 2 |", "| c | 3 |", "| d | 4 |")
    pages = {"| b | 2 |": 5, "| c | 3 |": 6, "| d | 4 |": 6}
    sentences = tuple(SentencePayload(row, {"page": page}) for row, page in pages.items())
    table = ParagraphPayload("\n".join(rows), sentences, {"modality": "table", "page": 5})
    assert starts_of(table) == [(5, [[32, 6]])]  # 12 + 10 + 10 characters stand before the row of c


@pytest.mark.parametrize(
    "stated", [7, [7], [[7]], [["7", 2]], [[7, "iv"]], [[7, 0]], [[7, 2], None], {"7": 2}, [[True, 2]]]
)
def test_other_forms_are_not_read(stated):
    assert page_starts({"page": 1, "page_starts": stated}, [(0, {"page": 1}), (9, {"page": 4})]) == ((9, 4),)


def test_a_paragraph_on_one_page_states_none():
    sentences = (SentencePayload("One is here.", {"page": 4}), SentencePayload("Two is here.", {"page": 4}))
    assert starts_of(ParagraphPayload("One is here. Two is here.", sentences, {"page": 4})) == [(4, None)]


def test_pieces_of_a_long_paragraph_have_their_own_pages():
    # The break is in the 61st sentence, which begins at 60 * 28 = 1,680: in the second piece, which begins at 1,120.
    lines = [[0, 1, 0, 0, 9, 9], [1120, 1, 0, 9, 9, 18], [1685, 2, 0, 0, 9, 9], [2240, 2, 0, 9, 9, 18]]
    paragraph = ParagraphPayload(LONG, metadata={"page": 1, "page_starts": [[1685, 2]], "line_boxes": lines})
    assert starts_of(paragraph) == [(1, None), (1, [[565, 2]]), (2, None)]


def test_a_parent_of_several_paragraphs_has_the_pages_of_all():
    first = ParagraphPayload("Cats sleep a lot.", metadata={"page": 1})  # 17 characters and two line breaks
    second = ParagraphPayload("Dogs run and bark.", metadata={"page": 2, "page_starts": [[13, 3]]})
    settings = {"view": "parent_child", "parent_tokens": 100, "child_tokens": 10, "child_overlap_tokens": 0}
    assert starts_of(first, second, **settings) == [(1, [[19, 2], [32, 3]])]


def test_a_parent_cut_from_a_long_paragraph_has_its_own_pages():
    text = "Fact one holds. Fact two holds. Fact ten holds. Fact six holds."  # 15 characters each
    paragraph = ParagraphPayload(text, metadata={"page": 1, "page_starts": [[40, 2]]})
    settings = {"view": "parent_child", "parent_tokens": 8, "child_tokens": 8, "child_overlap_tokens": 0}
    assert starts_of(paragraph, min_sentence_chars=0, **settings)[0] == (1, None)
    assert starts_of(paragraph, min_sentence_chars=0, **settings)[1][1] == [[8, 2]]
