"""Which cells and spans can answer a question."""

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.candidates import read_candidates
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.tables import Question, Snippet

SALES = (
    "| Month | Cakes (EUR) | Visitors |\n| --- | --- | --- |\n"
    "| April 2025 | 310 | 41 |\n| May 2025 | 280 | 52 |\n| Total | 590 | 93 |"
)


def values(question, text, unit=None):
    form = read_question(Question("q", question, unit))
    snippets = [Snippet("d:sec2:p1", "d", "", None, text, 1, 1.0)]
    return [one.value for one in read_candidates(load_reader().model, form, question, snippets)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many visitors came in May 2025?", {"52"}),
        ("How many visitors came in April 2025?", {"41"}),
        ("How many visitors came in total?", {"93"}),
        ("How many visitors came from April 2025 to May 2025?", {"93"}),
        ("How many visitors came in June 2025?", {"41", "52"}),
    ],
)
def test_only_cells_of_the_row_that_a_question_names_answer_it_and_totals_only_if_asked_for(question, expected):
    assert set(values(question, SALES)) == expected


def test_a_cell_that_the_question_says_is_no_answer_to_it():
    table = "| System | Owner |\n| --- | --- |\n| Payroll | Ann Fox |\n| Wiki | Bo Lund |"
    assert values("Who owns Payroll?", table) == ["Ann Fox"]


def test_rows_of_no_named_cell_are_all_possible():
    table = "| System | Owner |\n| --- | --- |\n| Payroll | Ann Fox |\n| Wiki | Bo Lund |"
    assert set(values("Who owns the shop?", table)) >= {"Ann Fox", "Bo Lund"}


def test_probabilities_of_cells_are_among_those_of_the_named_rows():
    question = "How many visitors came in May 2025?"
    form = read_question(Question("q", question))
    snippets = [Snippet("d:sec2:p1", "d", "", None, SALES, 1, 1.0)]
    spans = [one.features["span"] for one in read_candidates(load_reader().model, form, question, snippets)]
    assert max(spans) > -0.7  # e ** -0.7 is about a half: nothing of it is lost to the other rows


ROOMS = "| Room | Seats |\n| --- | --- |\n| Hall 3 | 40 |\n| Hall 4 | 60 |\n| Attic | 12 |"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many seats are in hall 4?", {"60"}),
        ("How many seats are in hall 5?", {"12"}),  # the reader's confidence tells that it is another room
        ("How many seats are in the cellar?", {"40", "60", "12"}),
        ("How many seats are there in total?", set()),
        ("How many seats has the hall with the fewest of them?", set()),
        ("How many seats are in the room after the attic?", set()),
    ],
)
def test_rows_of_another_number_do_not_answer_and_no_row_answers_for_all(question, expected):
    assert set(values(question, ROOMS)) - {"3", "4"} == expected


def test_a_column_of_totals_answers_for_its_row_and_one_whose_name_only_holds_the_letters_does_not():
    question = "How many visitors were there in total?"
    assert values(question, "| Site | Total visitors |\n| --- | --- |\n| Linz | 12 |") == ["12"]
    assert values(question, "| Site | Visitors of the small hall |\n| --- | --- |\n| Linz | 12 |") == []


def test_of_many_passages_those_with_the_most_words_of_the_question_are_read():
    texts = ("The choir sang in 6 halls.", "The owl lays 3 eggs.", "The wren lays 5 eggs in its nest.", "It rains.")
    snippets = [Snippet(f"d:sec{n}:p1", "d", "", None, text, n, 1.0) for n, text in enumerate(texts, 1)]
    question = "How many eggs does the wren lay?"
    model, form = load_reader().model, read_question(Question("q", question))
    for most, read in ((1, texts[2:3]), (2, texts[1:3]), (4, texts[:3])):
        candidates = read_candidates(model, form, question, snippets, most)
        assert [one.located.passage.text for one in candidates] == list(read)


PARTS = "| Part | Length | Price |\n| --- | --- | --- |\n| Hose 25 mm | 8 m | 12 € |\n| Valve | 2 m | 30 € |"


def test_a_measure_in_the_name_of_a_row_is_no_value_of_it():
    assert values("How many metres of hose were used?", PARTS, "m") == ["8"]


PRICES = "| Cake | Small | Large |\n| --- | --- | --- |\n| Plum tart | £4 | |\n| Lemon tart | £5 | £9 |"


def test_a_row_without_a_cell_in_the_asked_column_has_no_answer():
    assert values("What is the price of the large plum tart?", PRICES, "GBP") == []
    assert values("What is the price of the small plum tart?", PRICES, "GBP") == ["4"]


def test_a_row_that_a_question_names_keeps_out_those_of_other_passages_of_its_table():
    rows = "\n".join(f"| Street number {place} of the old harbour quarter | {place} trees |" for place in range(1, 30))
    table = f"| Street | Trees |\n| --- | --- |\n| Elm Lane | none |\n{rows}"
    assert values("How many trees stand in Elm Lane?", table) == ["0"]


def test_the_salutation_of_a_letter_answers_nothing():
    assert "Dear Parents" not in values("Who comes to the fair?", "Dear Parents,\n\nthe Mayor comes to the fair.")


def test_a_remark_in_a_sheet_explains():
    sheet = "| Bed | Kg |\n| --- | --- |\n| A | 4 |\n| Bed B is empty because it floods | |"
    assert values("Why is bed B empty?", sheet) == ["Bed B is empty because it floods"]
