"""Acronyms spelled out, terms defined, names presented."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.reader.acronyms import expansion_of
from kohaku_lib.answering.reader.evidence import gather_evidence
from kohaku_lib.answering.reader.names import find_name, name_spans
from kohaku_lib.answering.reader.question import read_question
from kohaku_lib.answering.reader.series import paired_names
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
    ("acronym", "text", "words"),
    [
        ("SIA", "the sustainability impact assessments (SIAs) of it", "sustainability impact assessments"),
        ("LLM", "LLM (large language model) use", "large language model"),
        ("NER", "We use named-entity recognition (NER) here", "named-entity recognition"),
        ("TCO", "the total cost of ownership (TCO)", "total cost of ownership"),
        ("PUE", "the efficiency (PUE) of it", None),
        ("PUE", "no spelling", None),
    ],
)
def test_an_acronym_is_spelled_out_by_its_letters(acronym, text, words):
    assert expansion_of(acronym, text) == words


@given(st.text(alphabet="ABC", min_size=1, max_size=4), st.text(max_size=60))
def test_an_expansion_stands_in_the_text_and_begins_with_the_first_letter(acronym, text):
    words = expansion_of(acronym, text)
    assert words is None or words[:1].lower() == acronym[0].lower()


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
    start = time.perf_counter()
    assert list(name_spans(text))
    assert isinstance(paired_names(f"{text} 3 and 4, respectively"), dict)
    assert time.perf_counter() - start < 5.0
