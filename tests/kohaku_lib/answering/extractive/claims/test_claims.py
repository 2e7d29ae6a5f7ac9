"""What speaks against a claim: antonyms, denials, numbers, absolute words."""

import pytest

from kohaku_lib.answering.extractive.claims.claims import ClaimSigns, claim_belief, judge_claim
from kohaku_lib.answering.extractive.claims.opposites import count_opposites
from kohaku_lib.answering.extractive.claims.polarity import absolutes_in, negates_any
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question

FILLER = ("The harbour lies in the north.", "Its boats are painted each spring.", "The crew sleeps on board.")


def judge(claim, *quotes):
    return judge_claim(read_question(Question("q", f"True or False: {claim}")), [*quotes, *FILLER])


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("New sites often rely on liquid cooling.", "In general, new sites often rely on liquid cooling.", "1"),
        ("The duty applies to all systems.", "The duty is not limited to large ones but applies to all systems.", "1"),
        ("The duty applies to all systems.", "The duty does not apply to all systems.", "0"),
        ("Inference takes more than 40% of the energy.", "Inference takes 60% of the energy.", "1"),
        ("Inference takes more than 40% of the energy.", "Inference takes 20% of the energy.", "0"),
        ("The fee makes up less than half of the cost.", "The fee makes up 74% of the cost.", "0"),
        ("Pruning reduces the cost of inference.", "Pruning decreases the cost of inference.", "1"),
        ("Pruning increases the cost of inference.", "Pruning decreases the cost of inference.", "0"),
        ("The harbour abandoned the old cranes.", "The harbour maintained the old cranes.", "0"),
        ("The boats have clearly shown big gains.", "The boats have clearly demonstrated big gains.", "1"),
    ],
)
def test_a_claim_is_judged_by_what_the_sentence_says(claim, sentence, value):
    assert judge(claim, sentence) == value


@pytest.mark.parametrize(
    ("signs", "is_true"),
    [
        (ClaimSigns(0.0, 0, 0, 0, 0.0, 0), True),  # nothing speaks against it, however little of it is said
        (ClaimSigns(1.0, 1, 0, 0, 0.0, 0), False),
        (ClaimSigns(1.0, 0, 0, 1, 0.0, 0), False),
        (ClaimSigns(0.0, 0, -1, 0, 0.0, 0), False),
        (ClaimSigns(0.0, 0, 0, 0, 0.5, 0), False),
        (ClaimSigns(1.0, 0, 0, 0, 0.0, 1), False),
    ],
)
def test_each_sign_turns_the_verdict(signs, is_true):
    assert (claim_belief(signs) > 0) == is_true


def test_an_absolute_word_that_another_statement_shares_is_no_sign():
    claim = "The rule covers all harbour boats."
    assert judge(claim, "The rule covers boats of the harbour.", "The rule covers all boats.") == "1"
    assert absolutes_in("It applies to all systems always.", "It holds for all.") == 1


def test_no_statement_gives_no_verdict():
    assert judge_claim(read_question(Question("q", "True or False: It rains.")), []) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "count"),
    [
        ("pressur reduc", "nerv activiti increas while pressur reduc", 0),
        ("train slow", "train acceler", 1),
        ("effort inhibit trad", "effort promot trad", 1),
    ],
)
def test_the_opposite_with_more_of_the_same_company_counts(claim, evidence, count):
    assert count_opposites(claim.split(), evidence.split()) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It should not be limited to cheap ones.", False),
        ("It is not cheap.", True),
        ("Es ist nicht cheap.", True),
    ],
)
def test_a_negation_of_a_limit_negates_nothing(text, expected):
    assert negates_any(text, frozenset({"cheap"})) is expected
