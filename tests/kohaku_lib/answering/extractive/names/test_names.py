"""Acronyms spelled out, terms defined, names presented."""

import time

import pytest

from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.names.name_spans import name_spans
from kohaku_lib.answering.extractive.names.names import find_name
from kohaku_lib.answering.extractive.numbers.series import paired_names
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet

TEXTS = (
    "The water usage effectiveness (WUE) of the site is high.",
    "• Water consumption:It is defined as “withdrawal minus discharge” of the river.",
    "We present the FlowMark Suite, a suite of tests for pumps. • Extensible suite: It is an easily extended suite.",
)


def _find(text):
    form = read_question(Question("q", text))
    snippets = [Snippet(f"d{n}:1", f"d{n}", "A paper", 1, one, n, 1 / n) for n, one in enumerate(TEXTS, 1)]
    return form.kind, find_name(form, gather_evidence(form, snippets))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What does WUE stand for?", "water usage effectiveness"),
        ("What is the full name of the acronym WUE?", "water usage effectiveness"),
        ("What is the term for the amount that is defined as 'withdrawal minus discharge'?", "Water consumption"),
        ("What is the name of the suite of tests that is presented for pumps?", "FlowMark Suite"),
    ],
)
def test_names_and_terms_are_found_where_they_are_introduced(text, value):
    kind, finding = _find(text)
    assert kind == "name"
    assert finding is not None
    assert finding.value == value


@pytest.mark.parametrize("text", ["7B 13.5B GPT-3 " * 60, "Alpha, " * 300, "A." * 600, "Alpha Beta " * 200])
def test_long_rows_of_names_are_read_in_no_time(text):
    start = time.thread_time()  # of the processor for this thread alone, however busy the machine is
    assert list(name_spans(text))
    assert isinstance(paired_names(f"{text} 3 and 4, respectively"), dict)
    assert time.thread_time() - start < 5.0
