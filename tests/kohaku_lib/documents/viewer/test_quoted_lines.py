"""The lines of a page that a quote stands in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.viewer.quoted_lines import quoted_lines
from kohaku_lib.documents.viewer.rendered_pages import TextLine


def lines_of(*texts):
    return [TextLine(text, (10.0, 20.0 * place, 90.0, 20.0 * place + 10)) for place, text in enumerate(texts)]


PAGE = lines_of("Rules", "The deposit is ten", "euros. It is re-", "turned in May.", "The deposit is five euros.")


@pytest.mark.parametrize(
    ("quote", "places"),
    [
        ("The deposit is ten euros.", [1, 2]),
        ("It is returned in May.", [2, 3]),  # the hyphen of the line end is gone
        ("the deposit is FIVE euros", [4]),
        ("**Rules**", [0]),
        ("The deposit is ten euros, and more on the next page.", [1]),
        ("The key is lost.", []),
        ("|", []),
    ],
)
def test_a_quote_is_found_in_its_lines(quote, places):
    assert quoted_lines(PAGE, quote) == [PAGE[place] for place in places]


def test_only_lines_in_the_box_count():
    rows = lines_of("Adults", "12 euros", "Children", "12 euros")
    assert quoted_lines(rows, "12 euros", (10, 55, 90, 75)) == [rows[3]]
    assert quoted_lines(rows, "Adults", (10, 55, 90, 75)) == []


@given(st.lists(st.text("abc1 ,-", min_size=1, max_size=8), min_size=1, max_size=6), st.data())
def test_the_lines_of_a_quote_have_all_its_letters(texts, data):
    lines = lines_of(*texts)
    first = data.draw(st.integers(0, len(lines) - 1))
    quote = " ".join(texts[first : first + 2])
    found = "".join(line.text for line in quoted_lines(lines, quote))
    letters = [sign for sign in quote if sign.isalnum()]
    assert "".join(letters) in "".join(filter(str.isalnum, found))
