"""One row as a vote: its value in the unit and scale of the row, its references and their spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.voting.ballots import Ballot, first_spellings, read_ballot


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ({"answer_value": "1,500 kg", "answer_unit": "t"}, "1.5"),
        ({"answer_value": "1.5", "answer_unit": "is_blank"}, "1.5"),
        ({"answer_value": "2.5", "answer_unit": "liters", "answer": "About 2.5 million liters."}, "2500000"),
        ({"answer_value": "2.5", "answer_unit": "million liters", "answer": "About 2.5 million liters."}, "2.5"),
        ({"answer_value": "False", "question": "True or False: it rains."}, "0"),
        ({"answer_value": None}, "is_blank"),
        ({}, "is_blank"),
    ],
)
def test_the_value_is_normalised_to_the_unit_and_scale_of_the_row(row, value):
    assert read_ballot("a", row).value == value


def test_a_ballot_keeps_its_member_its_row_and_each_reference_once():
    row = {"answer_value": "7", "ref_id": "['Wu2021', 'xia2024', 'Wu2021']"}
    ballot = read_ballot("run 3", row)
    assert (ballot.member, ballot.refs, ballot.row) == ("run 3", ("Wu2021", "xia2024"), row)


@pytest.mark.parametrize(
    ("row", "stated"),
    [
        ({"answer_value": "7", "answer": "It took 7 days."}, True),
        ({"answer_value": "7", "answer": "is_blank", "explanation": "It took seven days."}, True),
        ({"answer_value": "7", "answer": "It took a week."}, False),
        ({"answer_value": "2.5 GWh", "answer_unit": "MWh", "answer": "It used 2.5 GWh."}, True),
        ({"answer_value": "7", "answer": "is_blank", "explanation": ""}, None),
        ({"answer_value": "is_blank", "explanation": "No document says so."}, None),
        ({"answer_value": "1", "question": "True or False: it rains.", "answer": "It does."}, None),
    ],
)
def test_the_words_of_a_row_state_its_value_or_not(row, stated):
    assert read_ballot("a", row).stated is stated


@pytest.mark.parametrize(("value", "is_blank"), [("", True), ("N/A", True), ("0", False), ("[1,2]", False)])
def test_a_blank_value_is_an_abstention_and_zero_is_none(value, is_blank):
    assert Ballot("a", value).blank is is_blank


@given(st.lists(st.lists(st.sampled_from(["Wu", "wu", "WU", "xia", "Zoë", "ZOË"]), max_size=3), max_size=4))
def test_each_reference_has_its_first_spelling_in_the_order_of_citation(cited):
    ballots = [Ballot(str(number), "7", tuple(refs)) for number, refs in enumerate(cited)]
    flat = [ref for refs in cited for ref in refs]
    spellings = first_spellings(ballots)
    assert list(spellings) == list(dict.fromkeys(ref.lower() for ref in flat))
    assert all(flat.index(spelling) == [ref.lower() for ref in flat].index(key) for key, spelling in spellings.items())
