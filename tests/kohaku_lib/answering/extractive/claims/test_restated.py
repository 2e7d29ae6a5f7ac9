"""Claims that one sentence says again or denies."""

import pytest

from kohaku_lib.answering.extractive.claims.restated import judge_restated
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet

POLICY = [
    Snippet("p:sec1:p1", "p", "Policy", None, "Brill Optics Travel.", 1, 1.0),
    Snippet(
        "p:sec2:p1",
        "p",
        "Policy",
        None,
        "First class tickets are never refunded. Taxis cost less than buses. The hall has 40 seats. "
        "Parken wird nicht bezahlt.",
        2,
        0.9,
    ),
]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("True or false: Brill Optics refunds first class tickets.", "0"),
        ("True or false: First class tickets are never refunded.", "1"),
        ("True or false: The hall has 40 seats.", "1"),
        ("True or false: The hall has 40 red seats.", None),
        ("True or false: The hall has 50 seats.", None),
        ("True or false: Brill Optics refunds meals.", None),
        ("True or false: Kepler Optics refunds first class meals.", None),
        ("Richtig oder falsch: Brill Optics bezahlt Parken.", "0"),
    ],
)
def test_a_claim_needs_all_its_words_to_be_true_and_most_of_them_denied_to_be_false(claim, verdict):
    form = read_question(Question("q", claim))
    found = judge_restated(form, gather_evidence(form, POLICY), POLICY)
    assert (found and found.value) == verdict


def test_without_a_sentence_there_is_no_verdict():
    form = read_question(Question("q", "True or false: It rains."))
    heading = [Snippet("p:sec1:p1", "p", "", None, "Rain today", 1, 1.0)]
    for snippets in ([], heading):
        assert judge_restated(form, gather_evidence(form, snippets), snippets) is None
