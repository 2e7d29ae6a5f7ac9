"""Questions for several names and the enumerations that hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reader.enumerations import asks_for_several, enumeration_at

NAMES = st.lists(st.sampled_from(["York", "Hull", "New Malton", "Pike & Sons", "Ölmühle"]), min_size=2, unique=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which towns are served?", True),
        ("Which two firms bid?", True),
        ("Which large towns do they serve?", True),
        ("Who were the guests?", True),
        ("Welche zwei Orte?", False),
        ("Which town is served?", False),
        ("Who was the guest?", False),
        ("What was the process?", False),
    ],
)
def test_a_plural_asks_for_several(question, expected):
    assert asks_for_several(question) is expected


@given(NAMES, st.sampled_from([" and ", ", and ", " und "]))
def test_all_names_are_found_from_any_of_them(names, last):
    text = f"It opens in {', '.join(names[:-1])}{last}{names[-1]} next year."
    for name in names:
        assert enumeration_at(text, text.index(name), text.index(name) + len(name)) == names
    assert enumeration_at("Shops in York are planned.", 9, 13) == []
