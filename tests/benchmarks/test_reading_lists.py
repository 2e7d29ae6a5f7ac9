"""Made lists and tables for training."""

import random

import pytest
from reading_lists import MadeTable, list_examples, list_page

TABLE = MadeTable("Fees.", ("Fee", "EUR"), [["Entry", "5"], ["Parking", "3"]], [("What is the parking?", (1, 1))])


def test_a_question_over_a_made_table_has_the_place_of_its_cell():
    [example] = TABLE.examples("fees")
    assert (example.passage, example.answer) == ("Fees. Fee: Entry; EUR: 5. Fee: Parking; EUR: 3.", "3")


def test_the_page_of_a_made_table_is_markdown_and_without_header_two_columns():
    text, asked = TABLE.page()
    assert text == "Fees.\n| Fee | EUR |\n|---|---|\n| Entry | 5 |\n| Parking | 3 |"
    assert asked == [("What is the parking?", "3")]
    bare = MadeTable("Fees.", ("", ""), TABLE.lines, [("What is the tea?", None)])
    assert bare.page() == ("Fees.\nEntry     5\nParking   3", [("What is the tea?", None)])


@pytest.mark.parametrize("seed", range(20))
def test_answers_stand_in_their_passages_and_what_is_missing_does_not(seed):
    for example in list_examples(random.Random(seed)):
        assert example.answer is None or example.answer in example.passage
    text, asked = list_page(random.Random(seed))
    assert all(answer is None or answer in text for _, answer in asked)
    assert len({question for question, _ in asked}) == len(asked) > 1
