"""Numbers that go with names in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.numbers.series import paired_names
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Rho-S, Rho-M and Rho-L need 3, 5 and 9 W, respectively.", ["Rho-S", "Rho-M", "Rho-L"]),
        ("The 7B and 13B models need 30 W and 50 W respectively.", ["7B", "13B"]),
        ("In 2021 and 2022 it took 30% and 50%, respectively.", ["2021", "2022"]),
        ("It needs 3 W for Rho-S, and 5 W for Rho-M.", ["Rho-S", "Rho-M"]),
        ("It needs 3 W for Rho-S only.", []),
        ("Rho-S and Rho-M need 3 W and 5 W.", []),
        ("Rho-S and Rho-M need 3, 5 and 9 W, respectively.", []),
        ("Rho-S and Rho-M need 3 W, respectively.", []),
    ],
)
def test_names_and_numbers_pair_in_order_where_their_counts_agree(text, names):
    pairs = paired_names(text)
    assert [pairs[start] for start in sorted(pairs)] == names


@given(st.text(max_size=80))
def test_pairs_start_within_the_text(text):
    assert all(0 <= start < len(text) for start in paired_names(f"{text} respectively"))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "Water withdrawal and consumption are about 43.8 L [20] and 3.1 L [8], respectively.",
            ["Water withdrawal", "consumption"],
        ),
        (
            "The rates for wafer plants and semiconductor plants in Oslo are 45% and 23%, respectively.",
            ["wafer", "semiconductor"],
        ),
    ],
)
def test_things_that_are_no_names_are_paired_by_what_tells_them_apart(text, pairs):
    assert list(paired_names(text).values()) == pairs


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What share of ACL papers argues for efficiency?", "10"),
        ("What share of CVPR papers argues for efficiency?", "20"),
        ("What is the recycling rate of wafer plants in Oslo?", "45"),
        ("What is the recycling rate of semiconductor plants in Oslo?", "23"),
    ],
)
def test_the_number_of_the_asked_thing_is_taken(question, value):
    text = (
        "For both venues (ACL and CVPR) a small share of papers (10% and 20% respectively) argues for efficiency. "
        "The recycling rates for wafer plants and semiconductor plants in Oslo are 45% and 23%, respectively."
    )
    snippets = [Snippet("d:1", "d", "Water", 1, text, 1, 1.0)]
    assert ReadingAnswerer(0.0).answer(Question("q", question, "percent"), snippets).answer_value == value
