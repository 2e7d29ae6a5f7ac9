"""Paragraphs that go on for pages are cut between sentences; everything else stays as it is written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DOCUMENTS, IMAGE_CAPTIONS, ParagraphPayload, SectionPayload, SentencePayload, empty_table
from kohaku_lib.tree import build_tree
from kohaku_lib.tree.flatten import LONG_CHARS, cut_long_paragraphs
from kohaku_lib.tree.paragraph_leaves import LeafSentence, Leaves, paragraph_leaves

SENTENCE = "The cat slept all day long."  # 27 characters, 28 with the blank behind it


def cut(*paragraphs):
    leaves = [paragraph_leaves(paragraph, "d", {}, TreeSettings()) for paragraph in paragraphs]
    return cut_long_paragraphs(SectionPayload("S", paragraphs, {"page": 1}), leaves)


def nodes_of(text, **changes):
    payload = {"document_id": "d", "title": "D", "text": text, "metadata": {}, "sections": None}
    fixed = {"org_id": "o", "mime_type": "text/plain", "status": "parsed", "metadata_json": "{}", "sha256": "0" * 64}
    row = {"document_id": "d", "path": "d.txt", "title": "D", "payload_json": json.dumps(payload), **fixed}
    documents = empty_table(DOCUMENTS).from_pylist([row], schema=DOCUMENTS)
    return build_tree(documents, empty_table(IMAGE_CAPTIONS), TreeSettings(**changes))[0].to_pylist()


def test_a_paragraph_of_pages_becomes_pieces_of_equal_length_that_hold_all_of_its_sentences():
    section, leaves = cut(ParagraphPayload(" ".join([SENTENCE] * 160)))  # 4,479 characters: three pieces
    assert [len(own.sentences) for own in leaves] == [53, 54, 53]
    assert [paragraph.text for paragraph in section.paragraphs] == [own.text for own in leaves]
    assert leaves[0].text == " ".join([SENTENCE] * 53)
    for own in leaves:
        assert all(own.text[slice(*one.span)] == one.text == SENTENCE for one in own.sentences)


def test_a_paragraph_up_to_the_limit_and_one_of_a_single_sentence_stay_whole():
    short = ParagraphPayload(SENTENCE + " " + "x" * (LONG_CHARS - len(SENTENCE) - 1))
    endless = ParagraphPayload("word " * 2000)
    section, leaves = cut(short)
    assert section.paragraphs == (short,)
    assert len(leaves[0].text) == LONG_CHARS
    leaves = [Leaves(endless.text, "text", True, [LeafSentence((0, len(endless.text)), endless.text, {})])]
    assert cut_long_paragraphs(SectionPayload("S", (endless,)), leaves)[1] == leaves


def test_words_that_no_given_sentence_holds_stay_in_their_piece():
    text = " ".join([f"Aside {number}. {SENTENCE}" for number in range(100)]) + " The end."
    section, leaves = cut(ParagraphPayload(text, tuple(SentencePayload(SENTENCE) for _ in range(100))))
    assert " ".join(own.text for own in leaves) == text
    assert [paragraph.text for paragraph in section.paragraphs] == [own.text for own in leaves]
    assert all(own.text[slice(*one.span)] == SENTENCE for own in leaves for one in own.sentences)
    assert len(leaves) == 3


def test_tables_are_not_cut():
    rows = "\n".join(f"| {number} | {SENTENCE} |" for number in range(200))
    table = ParagraphPayload("| a | b |\n|---|---|\n" + rows, metadata={"modality": "table"})
    section, leaves = cut(table)
    assert section.paragraphs == (table,)
    assert len(leaves) == 1


def test_a_piece_is_where_its_own_sentences_are():
    per_page = 60
    text = " ".join([SENTENCE] * 2 * per_page)
    lines = [[at * 28, 1 + at // per_page, 50, 10.0 * at, 300, 10.0 * at + 9] for at in range(2 * per_page)]
    whole = ParagraphPayload(text, metadata={"page": 1, "bbox": [50, 0, 300, 599], "line_boxes": lines, "list": True})
    section, _ = cut(whole)
    assert [paragraph.metadata["page"] for paragraph in section.paragraphs] == [1, 1, 2]
    assert [paragraph.metadata["bbox"][1] for paragraph in section.paragraphs] == [0.0, 400.0, 800.0]
    assert all(
        paragraph.metadata["list"] and "line_boxes" not in paragraph.metadata for paragraph in section.paragraphs
    )


def test_pieces_without_places_keep_the_page_of_the_paragraph_and_no_box():
    section, _ = cut(ParagraphPayload(" ".join([SENTENCE] * 120), metadata={"page": 7, "bbox": [0, 0, 1, 1]}))
    assert [paragraph.metadata for paragraph in section.paragraphs] == [{"page": 7}] * 3


def test_a_sentence_longer_than_a_piece_is_alone_and_the_others_share_the_rest():
    text = f"{SENTENCE} {'word ' * 700}. {' '.join([SENTENCE] * 60)}"
    spans = [(0, 27), (28, 3529), *((3530 + 28 * at, 3557 + 28 * at) for at in range(60))]
    leaves = Leaves(text, "text", True, [LeafSentence(span, text[slice(*span)], {}) for span in spans])
    _, pieces = cut_long_paragraphs(SectionPayload("S", (ParagraphPayload(text),)), [leaves])
    assert len(pieces[0].sentences) == 1
    assert max(len(piece.text) for piece in pieces[2:]) <= 1500
    assert sum(len(piece.sentences) for piece in pieces) == 62


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 900), min_size=1, max_size=60))
def test_no_sentence_is_lost_doubled_or_moved(lengths):
    spans, at = [], 0
    for length in lengths:
        spans.append((at, at + length))
        at += length + 1
    text = " ".join("x" * length for length in lengths)
    leaves = Leaves(
        text, "text", True, [LeafSentence(span, text[slice(*span)], {"n": n}) for n, span in enumerate(spans)]
    )
    _, pieces = cut_long_paragraphs(SectionPayload("S", (ParagraphPayload(text),)), [leaves])
    assert [one.metadata["n"] for piece in pieces for one in piece.sentences] == list(range(len(lengths)))
    assert " ".join(piece.text for piece in pieces) == text
    assert all(piece.text[slice(*one.span)] == one.text for piece in pieces for one in piece.sentences)
    assert len(text) <= LONG_CHARS or max(len(piece.text) for piece in pieces) <= 1500 + 900


def test_the_tree_holds_pieces_as_paragraphs_unless_paragraphs_are_kept_as_written():
    text = " ".join([SENTENCE] * 160) + "\n\nA short one."
    kinds = [node["kind"] for node in nodes_of(text)]
    assert kinds.count("paragraph") == 4
    paragraphs = [node for node in nodes_of(text, resegment=False) if node["kind"] == "paragraph"]
    assert [len(node["text"]) for node in paragraphs] == [4479, 12]


@pytest.mark.parametrize("changes", [{}, {"resegment": False}])
def test_a_document_without_long_paragraphs_has_the_same_tree_either_way(changes):
    text = "\n\n".join([" ".join([SENTENCE] * 20)] * 5)
    assert [node["node_id"] for node in nodes_of(text, **changes)] == [node["node_id"] for node in nodes_of(text)]
