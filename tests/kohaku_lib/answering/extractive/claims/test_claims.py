"""What speaks against a claim: a word in another's place, negations that are none, adjectives of other nouns."""

import pytest

from kohaku_lib.answering.extractive.claims.claims import ClaimSigns, claim_belief, judge_claim
from kohaku_lib.answering.extractive.claims.opposites import count_opposites
from kohaku_lib.answering.extractive.claims.polarity import absolutes_in, negations_in
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question

FILLER = ("The harbour lies in the north.", "Its boats are painted each spring.", "The crew sleeps on board.")


def _judge(claim, *quotes):
    return judge_claim(read_question(Question("q", f"True or False: {claim}")), [*quotes, *FILLER])


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("New sites often rely on air cooling.", "In general, new sites often rely on liquid cooling.", "0"),
        ("New sites often rely on liquid cooling.", "In general, new sites often rely on liquid cooling.", "1"),
        (
            "The duty applies to all systems.",
            "The duty should not be limited to large ones but applies to all systems.",
            "1",
        ),
        ("The duty applies to all systems.", "The duty does not apply to all systems.", "0"),
        (
            "Local inference reduces the overhead.",
            "Local inference avoids remote servers and reduces the overhead.",
            "1",
        ),
        ("Inference takes more than 40% of the energy.", "Inference takes 60% of the energy.", "1"),
        ("Inference takes more than 40% of the energy.", "Inference takes 20% of the energy.", "0"),
        ("Pruning reduces the cost of inference.", "Pruning decreases the cost of inference.", "1"),
        ("Pruning increases the cost of inference.", "Pruning decreases the cost of inference.", "0"),
    ],
)
def test_a_claim_is_judged_by_what_the_sentence_says(claim, sentence, value):
    assert _judge(claim, sentence) == value


def test_a_replaced_word_costs_more_than_full_coverage_gains():
    plain = ClaimSigns(1.0, 0, 0, 0, 0, 0.0, 0, 0)
    replaced = ClaimSigns(1.0, 0, 0, 0, 0, 0.0, 0, 0, replaced=1)
    assert claim_belief(plain) == pytest.approx(0.55)
    assert claim_belief(replaced) == pytest.approx(-1.45)


def test_a_claim_that_nothing_speaks_against_is_true_however_little_of_it_is_said():
    assert claim_belief(ClaimSigns(0.0, 0, 0, 0, 0, 0.0, 0, 0)) > 0
    assert claim_belief(ClaimSigns(1.0, 0, 1, 0, 0, 0.0, 0, 0)) < 0
    assert claim_belief(ClaimSigns(1.0, 0, 0, 0, 1, 0.0, 0, 0)) < 0


def test_an_exception_allowed_by_another_statement_is_no_absolute_word():
    claim = "The rule covers all harbour boats."
    assert _judge(claim, "The rule covers boats of the harbour.", "The rule covers all boats.") == "1"


def test_no_statement_gives_no_verdict():
    assert judge_claim(read_question(Question("q", "True or False: It rains.")), []) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "count"),
    [
        ("nerv activiti reduc", "nerv activiti increas while pressur reduc", 1),
        ("pressur reduc", "nerv activiti increas while pressur reduc", 0),
        ("train slow", "train acceler", 1),
        ("train slow", "boat acceler", 0),
        ("effort inhibit trad", "effort promot trad", 1),
    ],
)
def test_the_opposite_with_more_of_the_same_company_counts(claim, evidence, count):
    assert count_opposites(claim.split(), evidence.split()) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It should not be limited to them.", 0),
        ("It is not only cheap.", 0),
        ("It is not necessarily cheap.", 0),
        ("It is not cheap.", 1),
    ],
)
def test_a_negation_of_a_limit_negates_nothing(text, count):
    assert negations_in(text) == count


def test_an_absolute_word_that_the_evidence_shares_is_no_sign():
    assert absolutes_in("It applies to all systems always.", "It holds for all.") == 1


@pytest.mark.parametrize(
    ("claim", "evidence", "count"),
    [
        (["local", "inferenc", "reduc", "cost"], ["remot", "server", "reduc", "cost"], 0),
        (["local", "server", "reduc", "cost"], ["remot", "server", "reduc", "cost"], 1),
        (["cost", "of", "inferenc", "increas"], ["decreas", "the", "cost"], 1),
    ],
)
def test_an_adjective_is_opposed_only_beside_the_same_noun(claim, evidence, count):
    assert count_opposites(claim, evidence) == count


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("Small boats use more fuel than large ships.", "Large ships use more fuel than small boats.", "0"),
        ("Large ships use more fuel than small boats.", "Large ships use more fuel compared to small boats.", "1"),
        ("Small boats use less fuel than large ships.", "Large ships use more fuel than small boats.", "1"),
        ("The fee makes up less than half of the cost.", "The fee makes up 74% of the cost.", "0"),
        ("The fee makes up more than half of the cost.", "The fee makes up 74% of the cost.", "1"),
        (
            "The owners said they would leave the harbour.",
            "The owners announced that they would leave the harbour.",
            "1",
        ),
    ],
)
def test_comparisons_and_fractions_are_read(claim, sentence, value):
    assert _judge(claim, sentence) == value


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("The duty covers both boats and cranes.", "The duty covers boats, but leaves out cranes.", "0"),
        ("The duty covers both boats and cranes.", "The duty covers boats and also cranes.", "1"),
        ("Work on harbours has dealt with boats only.", "Work on harbours has been limited to boats.", "1"),
        ("The load changes with the tide.", "The load barely changes with the tide.", "0"),
    ],
)
def test_what_is_limited_is_told_from_what_is_not(claim, sentence, value):
    assert _judge(claim, sentence) == value


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("The crew prefers sails rather than diesel engines.", "The crew prefers diesel engines on every way.", "0"),
        ("The crew prefers sails rather than diesel engines.", "The crew prefers sails to diesel engines.", "1"),
        ("The crew prefers sails rather than diesel engines.", "The crew prefers sails on every way.", "1"),
    ],
)
def test_what_a_claim_rejects_must_not_be_what_is_said(claim, sentence, value):
    assert _judge(claim, sentence) == value


@pytest.mark.parametrize(
    ("claim", "sentence", "value"),
    [
        ("Old boats offer a better view than new cranes.", "Old boats give a far better view than new cranes.", "1"),
        ("New cranes offer a better view than old boats.", "Old boats offer a far better view than new cranes.", "0"),
        ("In less than 60 ms old boats turn faster than cranes.", "Old boats turn faster than cranes.", "1"),
        ("The load is carried by sails rather than engines.", "The load is carried by sails; engines need more.", "1"),
        ("Big engines have low costs.", "Their high costs make big engines rare.", "0"),
        ("Poor towns bear a large share.", "The costs are not even: poor towns bear a large share.", "1"),
        ("Old towns benefit from the harbour.", "Old towns neither own nor benefit from the harbour.", "0"),
        ("The boats have clearly shown big gains.", "The boats have clearly demonstrated big gains.", "1"),
    ],
)
def test_comparisons_denials_and_synonyms_keep_to_their_clause(claim, sentence, value):
    assert _judge(claim, sentence) == value
