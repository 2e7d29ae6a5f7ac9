"""Made lists and tables for training."""

import random

import pytest
from reading_lists import MadeTable, list_examples

TABLE = MadeTable("Fees.", ("Fee", "EUR"), [["Entry", "5"], ["Parking", "3"]], [("What is the parking?", (1, 1))])


def test_a_question_over_a_made_table_has_the_place_of_its_cell():
    [example] = TABLE.examples("fees")
    assert (example.passage, example.answer) == ("Fees. Fee: Entry; EUR: 5. Fee: Parking; EUR: 3.", "3")


@pytest.mark.parametrize("seed", range(20))
def test_answers_stand_in_their_passages_and_what_is_missing_does_not(seed):
    for example in list_examples(random.Random(seed)):
        assert example.answer is None or example.answer in example.passage
