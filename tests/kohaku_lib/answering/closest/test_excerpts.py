"""The text shown of a sentence or row: whole sentences around it, never more than 300 characters."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.closest.excerpts import MOST_CHARS, excerpt_of
from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.tables import Snippet


def passage(text):
    return passages_of([Snippet("d:1", "d", "Lockers", None, text, 1, 1.0)])[-1]


def span_of(words, within):
    start = within.text.index(words)
    return Span(start, start + len(words), 1.0)


def test_a_sentence_has_its_neighbours_and_the_answering_words_are_marked():
    read = passage("Every locker has a key. The deposit is ten euros. It is paid in cash.")
    found = excerpt_of(read, read.lines[1], span_of("ten euros", read))
    assert found.text == "Every locker has a key. The deposit is ten euros. It is paid in cash."
    assert found.text[slice(*found.marked)] == "ten euros"


def test_what_follows_goes_before_what_precedes_where_not_all_fits():
    before, after = f"B{'b' * 150}.", f"A{'a' * 150}."
    read = passage(f"{before} The deposit is ten euros. {after}")
    assert excerpt_of(read, read.lines[1], None).text == f"The deposit is ten euros. {after}"


def test_without_a_span_the_whole_sentence_is_marked():
    read = passage("Every locker has a key. The deposit is ten euros.")
    found = excerpt_of(read, read.lines[1], None)
    assert found.text[slice(*found.marked)] == "The deposit is ten euros."


def test_a_row_stands_alone_and_names_its_columns():
    read = passage("Prices\n| Thing | Deposit |\n| --- | --- |\n| Locker | 10 € |\n| Towel | 2 € |")
    found = excerpt_of(read, read.lines[0], span_of("10 €", read))
    assert (found.text, found.text[slice(*found.marked)]) == ("Thing: Locker; Deposit: 10 €", "10 €")


def test_of_words_that_stand_twice_those_are_marked_that_the_reader_found():
    read = passage("Adults pay 15 euros, and children pay 5 euros.")
    found = excerpt_of(read, read.lines[0], Span(read.text.index("5 euros."), len(read.text) - 1, 1.0))
    assert found.text[: found.marked[0]] == "Adults pay 15 euros, and children pay "
    assert found.text[slice(*found.marked)] == "5 euros"


def test_a_number_is_marked_as_a_whole():
    read = passage("Prices\n| Thing | Price |\n| --- | --- |\n| Chair | 1,224.50 |\n| Lamp | 34.65 |")
    start = read.lines[0].cells[1].start
    found = excerpt_of(read, read.lines[0], Span(start + 2, start + 5, 1.0))
    assert found.text[slice(*found.marked)] == "1,224.50"


def test_in_a_row_only_the_cell_of_the_answer_is_marked():
    read = passage("Rooms\n| Room | Seats |\n| --- | --- |\n| 12 | 2 |\n| 20 | 0 |")
    start = read.lines[0].cells[1].start
    found = excerpt_of(read, read.lines[0], Span(start, start + 1, 1.0))
    assert (found.text, found.marked) == ("Room: 12; Seats: 2", (17, 18))


@given(st.integers(0, 900), st.integers(0, 900), st.integers(1, 250))
def test_a_text_without_spaces_is_cut_around_the_answer(before, after, length):
    read = passage(f"{'b' * before} {'灯' * length}{'a' * after}.")
    start = read.lines[-1].start
    start = read.text.index("灯", start)
    found = excerpt_of(read, read.lines[-1], Span(start, start + length, 1.0))
    assert 0 <= found.marked[0] < found.marked[1] <= len(found.text) <= MOST_CHARS


def test_a_date_that_the_reader_spells_otherwise_marks_the_whole_sentence():
    read = passage("The pool opened on 3.5.2024.")
    found = excerpt_of(read, read.lines[0], span_of("May", read))
    assert found.text[slice(*found.marked)] == "The pool opened on 3.5.2024."


@given(st.lists(st.integers(1, 40), min_size=1, max_size=120), st.integers(0, 119))
def test_of_a_long_sentence_the_words_around_the_answer_are_kept(lengths, place):
    words = ["w" * length for length in lengths]
    words[place % len(words)] = "ANSWER"
    read = passage(f"{' '.join(words)}.")
    found = excerpt_of(read, read.lines[0], span_of("ANSWER", read))
    assert len(found.text) <= MOST_CHARS
    assert found.text[slice(*found.marked)] == "ANSWER"
    assert set(found.text.strip("… .").split(" ")) <= {*words, *(word + "." for word in words)}
