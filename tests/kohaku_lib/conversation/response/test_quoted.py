"""What an answer quotes of its sources, and the words in it that answer."""

import pytest

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.answering.closest.passage import ClosestPassage
from kohaku_lib.conversation.response.quoted import in_node, quoted
from kohaku_lib.tables import Snippet

HEAD = "| Room | Seats |\n| --- | --- |\n"
TABLE = f"Rooms\n{HEAD}| Birch | 24 |\n| Cedar 24 | 24 |\n| Seats | 9 |"
PROSE = "It has 3,140 seats. Doors open at six."


def snippet(text):
    return Snippet("d:p1", "d", "D", 1, text, 1, 1.0)


def value_answer(text, value, quote, shown):
    start = text.index(quote)
    cited = Citation("d", "d:p1", 1, quote, quote_found=True, char_start=start, char_end=start + len(quote))
    return Answer(question="q", text=shown, value=value, citations=(cited,))


@pytest.mark.parametrize(
    ("text", "quote", "shown", "value", "told", "words"),
    [
        (TABLE, "| Birch | 24 |", "24", "24", f"{HEAD}| Birch | 24 |", "24"),
        (TABLE, "Cedar 24 | 24", "24", "24", f"{HEAD}| Cedar 24 | 24 |", "24"),
        (TABLE, "| Seats | 9 |", "Seats", "Seats", f"{HEAD}| Seats | 9 |", "Seats"),  # of the row, not of the head
        (PROSE, "It has 3,140 seats", "3,140 seats", "3140", "It has 3,140 seats.", "3,140 seats"),
        (PROSE, "It has 3,140 seats", "3140 places", "3140", "It has 3,140 seats.", "3,140"),
        (
            "Aides: Ann Lee and Bo Ek.",
            "Aides: Ann Lee and Bo Ek.",
            "Ann Lee, Bo Ek",
            '["Ann Lee", "Bo Ek"]',
            "Aides: Ann Lee and Bo Ek.",
            "Ann Lee and Bo Ek",
        ),
        (PROSE, "Doors open at six", "18:00", "18:00", "Doors open at six.", None),
    ],
)
def test_a_value_is_marked_in_its_sentence_or_in_its_row_below_the_head(text, quote, shown, value, told, words):
    found = quoted(value_answer(text, value, quote, shown), snippet(text))
    assert found.text == told
    assert (found.text[slice(*found.marked)] if found.marked else None) == words
    assert text[found.char_start : found.char_end] == quote
    if words == "Seats":
        assert found.marked[0] > len(HEAD)


@pytest.mark.parametrize(("outcome", "is_answer"), [("passage", True), ("silent", True), ("silent", False)])
def test_a_passage_is_marked_only_where_it_answers(outcome, is_answer):
    passage = ClosestPassage(PROSE, (20, 38), 0.7, "d", "d:p1", "", None)
    answer = Answer(question="q", text="", value=None, outcome=outcome, confidence=0.8, passages=(passage,))
    found = quoted(answer, snippet(f"Welcome. {PROSE}"), is_answer=is_answer)
    assert (found.text, bool(found.marked)) == (PROSE, is_answer)
    assert f"Welcome. {PROSE}"[found.char_start : found.char_end] == "Doors open at six."


def test_words_that_stand_twice_are_those_of_the_passage():
    text = "Six doors. Doors open at six, as six is early."
    passage = ClosestPassage("Doors open at six, as six is early.", (14, 17), 0.7, "d", "d:p1", "", None)
    answer = Answer(question="q", text="", value=None, outcome="passage", confidence=0.8, passages=(passage,))
    found = quoted(answer, snippet(f"at six. {text}"))
    assert (found.char_start, found.char_end) == (33, 36)


@pytest.mark.parametrize(
    ("shown", "node"),
    [
        ("It has 24 seats.", "It has 24 windows. It has 24 seats."),  # a part of a long paragraph
        (
            "| Room | Seats |\n| --- | --- |\n| Cedar | 24 |",
            f"{TABLE}\n| Cedar | 24 |",
        ),  # rows below the head of their table
    ],
)
def test_the_place_of_a_quote_is_that_in_the_whole_text_of_its_node(shown, node):
    quote = shown.split("\n")[-1]
    found = in_node(quoted(value_answer(shown, "24", quote, "24"), snippet(shown)), snippet(shown), node)
    assert node[found.char_start : found.char_end] == quote
    assert found.char_start > 0


def test_what_is_not_quoted_has_no_quote():
    assert quoted(value_answer(PROSE, "3140", "3,140", "3,140"), Snippet("d:p2", "d", "D", 1, "Other.", 1, 1.0)) is None
