"""Exact names against rivals, and the ends of a change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.numbers.ends import end_of
from kohaku_lib.answering.extractive.numbers.numbers import find_number
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.numbers.rivals import mark_relation, marks_in
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.tables import Question, Snippet


def _ask(text, unit, *snippets):
    found = [
        Snippet(f"doc{rank}:1", f"doc{rank}", "A paper", 1, one, rank, 1 / rank) for rank, one in enumerate(snippets, 1)
    ]
    form = read_question(Question("q", text, unit))
    finding = find_number(form, gather_evidence(form, found))
    assert finding is not None
    return finding.value


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("GPT-3 and GPT-3.5", [("gpt", "3"), ("gpt", "3.5")]),
        ("Rho-S, Rho-M", [("rho", "s"), ("rho", "m")]),
        ("Llama 7B, 13B", [("size", "7b"), ("size", "13b")]),
        ("in 2022 and 2023", [("year", "2022"), ("year", "2023")]),
        ("2,023 papers of $2023", []),
        ("state-of-the-art", []),
    ],
)
def test_marks_are_names_with_a_variant_sizes_and_years(text, marks):
    assert [(mark.family, mark.key) for mark in marks_in(text)] == marks


def test_a_number_without_a_mark_of_the_family_is_no_kin():
    assert mark_relation(marks_in("How large is Rho-M?"), "It has 350 million weights.", 7, 10) == ""


def test_the_year_after_a_number_decides_where_it_is_the_nearer():
    text = "The site used 41 MWh in 2022 and 57 MWh in 2023."
    asked = marks_in("What did the site use in 2023?")
    assert [mark_relation(asked, text, place, place + 2) for place in (text.index("41"), text.index("57"))] == [
        "rival",
        "same",
    ]


def test_two_asked_names_of_a_family_are_no_rivals():
    asked = marks_in("How does Rho-S compare with Rho-M?")
    assert mark_relation(asked, "Rho-S has 120 weights.", 10, 13) == "same"


@given(st.text(max_size=80), st.integers(0, 40), st.integers(1, 10))
def test_without_asked_marks_nothing_is_a_rival(text, start, length):
    assert mark_relation((), text, start, start + length) == ""


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("How many weights does Rho-M have?", "weights", "350"),
        ("How many weights does Rho-S have?", "weights", "120"),
        ("How many weights does Rho-L have?", "weights", "900"),
    ],
)
def test_the_exact_name_of_the_question_takes_its_own_number(text, unit, value):
    sentence = "Rho-S has 120 weights, Rho-M has 350 and Rho-L has 900."
    assert _ask(text, unit, sentence) == value


def test_the_year_of_the_question_takes_its_own_number():
    sentence = "The site used 41 MWh of energy in 2022 and 57 MWh of energy in 2023."
    assert _ask("How much energy did the site use in 2023?", "MWh", sentence) == "57"
    assert _ask("How much energy did the site use in 2022?", "MWh", sentence) == "41"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("It fell from 1.62 to 1.18.", ["first", "second"]),
        ("It rose from about 3 W per node to over 9 W.", ["first", "second"]),
        ("It was 1.62 before and 1.18 afterwards.", ["first", "second"]),
        ("It drew 5 W and 7 W.", ["", ""]),
        ("They sent 5 files to 7 hosts.", ["", ""]),
    ],
)
def test_ends_of_a_change_are_told_apart(text, ends):
    quantities = quantities_in(text)
    assert [end_of(text, quantity, quantities) for quantity in quantities] == ends


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the power of the pump after the repair?", "30"),
        ("What was the power of the pump before the repair?", "80"),
        ("What was the power of the pump originally?", "80"),
    ],
)
def test_the_asked_end_of_a_change_is_taken(question, value):
    assert _ask(question, "W", "The repair cut the power of the pump from 80 W to 30 W.") == value


def test_a_rising_change_is_no_range_where_one_end_is_asked():
    sentence = "The repair raised the share of the pump from 30 to 80%."
    assert _ask("What was the share of the pump after the repair?", "percent", sentence) == "80"
    assert _ask("What was the share of the pump before the repair?", "percent", sentence) == "30"


@pytest.mark.parametrize(
    "question",
    [
        "Between which values did the power of the pump lie?",
        "What is the range of the power of the pump?",
        "From what to what did the power of the pump reach?",
    ],
)
def test_a_range_is_answered_with_both_bounds(question):
    sentence = "The pump has a rated power of 300 W. The power of the pump showed between 180 and 260 W."
    assert _ask(question, "W", sentence) == "[180,260]"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("What was it after the change?", "second"),
        ("What was it before the change?", "first"),
        ("What was it before and after the change?", ""),
        ("What was it?", ""),
    ],
)
def test_a_question_asks_for_one_end_of_a_change_or_none(text, end):
    assert read_question(Question("q", text, "W")).end == end


def test_a_unit_of_one_letter_ends_a_sentence_and_an_initial_does_not():
    spans = statement_spans("It draws 300 W. Then it stops. J. Smith wrote it.")
    assert [end - start for start, end in spans] == [15, 14, 18]
