"""Long texts without the usual breaks take time in proportion to their length, not to its square."""

import time

import pytest

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.leaf_spans import leaf_spans
from kohaku_lib.tree.resegmenting.resegment import resegment

MOST_S = 10  # each of them took minutes where a search began anew at every character


@pytest.fixture
def is_quick():
    start = time.process_time()
    yield
    assert time.process_time() - start < MOST_S


@pytest.mark.usefixtures("is_quick")
@pytest.mark.parametrize("piece", [".", ". ", "....... 12 ", "word and word ", "x"])
def test_a_paragraph_of_one_line_is_split_quickly(piece):
    payload = DocumentPayload("d", "Title", piece * (200_000 // len(piece)))
    assert len(flatten(payload, "acme", {}, TreeSettings())) > 2


@pytest.mark.usefixtures("is_quick")
@pytest.mark.parametrize("piece", ["A", "1", "a-b-", "Ab-1"])
def test_a_page_with_a_word_of_many_letters_is_rebuilt_quickly(piece):
    lines = [piece * (100_000 // len(piece)), *["A line of usual length stands here."] * 5]
    paragraph = ParagraphPayload("\n".join(lines))
    payload = DocumentPayload("d", "Title", "", sections=(SectionPayload("Page 1", (paragraph,), {"page": 1}),))
    rebuilt = resegment(payload, TreeSettings())
    letters = "".join(text.text for section in rebuilt.sections or () for text in section.paragraphs)
    assert letters.startswith(lines[0][:900])


@pytest.mark.usefixtures("is_quick")
def test_the_sentences_of_a_very_long_line_are_found_quickly():
    text = "The model was trained for 24 days and used 1,287 MWh of energy. " * 100_000
    assert len(leaf_spans(text, TreeSettings())) == 100_000


def test_the_pieces_of_an_endless_sentence_have_no_blanks_around_them():
    text = "  ".join(["word"] * 600)
    pieces = [text[start:end] for start, end in leaf_spans(text, TreeSettings())]
    assert len(pieces) == 4
    assert all(piece == piece.strip() for piece in pieces)
    assert "".join(pieces).replace(" ", "") == "word" * 600
