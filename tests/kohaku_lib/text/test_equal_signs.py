"""Signs that look alike are one sign, at the same place."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.citing.references import resolve_refs
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.tables import Snippet
from kohaku_lib.text.equal_signs import equal_words, with_equal_signs
from kohaku_lib.text.tokens import tokens
from kohaku_lib.values import values_equal

HYPHENS = "-\u2010\u2011\ufe63\uff0d"


@given(st.text())
def test_every_sign_keeps_its_place_and_equal_signs_stay_equal(text):
    plain = with_equal_signs(text)
    assert len(plain) == len(text)
    assert with_equal_signs(plain) == plain


@pytest.mark.parametrize("hyphen", HYPHENS)
def test_all_hyphens_join_a_word_and_bound_a_range(hyphen):
    assert tokens(f"part F{hyphen}16") == ["part", "f-16"]
    assert [(one.low, one.high) for one in quantities_in(f"It runs 6{hyphen}8 hours a day.")] == [(6, 8)]
    assert values_equal(f"6{hyphen}8 hours", "[6,8]")
    assert values_equal(f"F{hyphen}16", "f-16")


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("２０２４", 2024),
        ("１２，５００", 12500),
        ("٣٫٥", 3.5),
        ("१२", 12),
        ("12\u00a0500", 12500),
        ("12\u202f500", 12500),
        ("12\u2007500,50", 12500.5),
    ],
)
def test_digits_of_all_scripts_and_all_spaces_of_thousands_are_numbers(written, number):
    assert [one.low for one in quantities_in(f"It is {written} km.")] == [number]


def test_a_no_break_space_outside_of_a_number_is_a_blank():
    assert with_equal_signs("in\u00a02024, 4\u00a0°C, Table\u00a0300") == "in 2024, 4 °C, Table 300"


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("Grandmother’s ‘cup’", "grandmother's 'cup'"),
        ("“no” «si» „ja“", '"no" "si" "ja"'),
        (unicodedata.normalize("NFD", "Zürich"), "zürich"),
        ("מֻזֵאוֹן", "מזאון"),
        ("كتـاب", "كتاب"),
        ("\u06a9\u0645\u06cc\u062a\u0647", "\u0643\u0645\u064a\u062a\u0647"),
        ("ware\u00adhouse", "warehouse"),
        ("ＫＸ－２００", "kx-200"),
        ("ﬁnal", "final"),
    ],
)
def test_one_word_however_it_is_written(written, other):
    assert equal_words(written) == equal_words(other) == other


@pytest.mark.parametrize(
    "quote",
    [
        'The part "F-16" costs 2024 EUR in Zürich.',
        "The part “F‑16” costs ２０２４ EUR in Zürich.",
        unicodedata.normalize("NFD", "The part „F‐16“ costs 2024 EUR in Zürich."),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_quote_is_found_in_all_spellings_with_its_place(quote, form):
    text = unicodedata.normalize(form, "See below. The part «F‑16» costs ２０２４ EUR in Zürich. It is old.")
    place = find_quote(quote, [Snippet("d:p1", "d", "D", 1, text, 1, 1.0)])
    assert place is not None
    assert text[place.char_start : place.char_end].startswith("The part «F‑16» costs ２０２４ EUR in Z")


def test_a_document_is_cited_by_its_name_in_other_signs():
    assert resolve_refs(["f-16.md", "“Übersicht”"], ["F‑16.md", "übersicht"]) == (("F‑16.md", "übersicht"), 0)
