"""Gold documents and quotes of truth rows, against a brute-force reading."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.metrics.evidence import cluster_of, evidence_recall, gold_documents, is_quoted

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=14)


@pytest.mark.parametrize(
    ("cell", "documents"),
    [
        ("['wu2021b','patterson2021']", {"wu2021b", "patterson2021"}),
        ('["A", "b"]', {"a", "b"}),
        ("luccioni2025b", {"luccioni2025b"}),
        ("is_blank", set()),
        ("['is_blank']", set()),
        ("[]", set()),
        ("", set()),
    ],
)
def test_gold_documents_are_read_from_any_list(cell, documents):
    assert gold_documents({"ref_id": cell}) == documents


@pytest.mark.parametrize(
    ("row", "cluster"),
    [
        ({"ref_id": "['wu2021b','patterson2021']"}, "wu2021b"),
        ({"ref_id": "['Patterson2021','wu2021b']", "cluster": " "}, "patterson2021"),
        ({"ref_id": "['a']", "cluster": " Talk 7 "}, "Talk 7"),
        ({"ref_id": "is_blank", "cluster": "Talk 7"}, "Talk 7"),
        ({"ref_id": "['is_blank', 'a']"}, "a"),
        ({"ref_id": "is_blank"}, None),
        ({"ref_id": None, "cluster": None}, None),
        ({}, None),
    ],
)
def test_the_cluster_of_a_question_is_its_column_else_its_first_document(row, cluster):
    assert cluster_of(row) == cluster


@pytest.mark.parametrize(
    ("row", "quoted"),
    [
        ({"explanation": "Quote"}, True),
        ({"explanation": "Figure, quote"}, True),
        ({"explanation": "Table", "Quote": "True"}, True),
        ({"explanation": "Table", "Quote": "0"}, False),
        ({"explanation": "Math"}, False),
        ({}, False),
    ],
)
def test_quotes_are_told_by_their_flag_or_explanation(row, quoted):
    assert is_quoted(row) is quoted


def test_a_short_quote_is_one_shingle():
    assert evidence_recall("only three words", ["there are only three words here"], 100) == 0.0
    assert evidence_recall("only three words", ["Only THREE words!"], 100) == 1.0


def test_a_quote_may_run_over_two_snippets():
    assert evidence_recall("one two three four five", ["one two", "three four five"], 100) == 1.0


def test_hyphens_at_line_ends_are_joined():
    assert evidence_recall("one two three four fivefold", ["one two three four five-\n  fold"], 100) == 1.0


def test_the_budget_cuts_the_joined_text_line_breaks_included():
    quote, texts = "one two three four five", ["one two", "three four five"]
    assert evidence_recall(quote, texts, len("one two\nthree four five")) == 1.0
    assert evidence_recall(quote, texts, len("one two\nthree four five") - 1) == 0.0


@given(WORDS, WORDS)
def test_recall_equals_a_brute_force_count(quote, text):
    wanted = {tuple(quote[n : n + 5]) for n in range(len(quote) - 4)} or {tuple(quote)}
    found = [tuple(text[n : n + 5]) for n in range(len(text) - 4)] or [tuple(text)]
    expected = sum(shingle in found for shingle in wanted) / len(wanted) if quote else None
    assert evidence_recall(" ".join(quote), [" ".join(text)], 10_000) == expected


@given(WORDS, WORDS, st.integers(0, 40))
def test_a_larger_budget_never_loses_whole_words(quote, text, cut):
    joined = " ".join(text)
    bounded = evidence_recall(" ".join(quote), [joined], cut * 2)  # one-letter words: an even cut splits none
    whole = evidence_recall(" ".join(quote), [joined], len(joined))
    if len(text) >= 5 and cut * 2 >= 10 and bounded is not None and whole is not None:
        assert bounded <= whole
