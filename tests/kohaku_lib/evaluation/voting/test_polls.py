"""The votes on one question, gathered."""

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.polls import ABSTAINED, MISFIT, spelling, take_poll


def poll(*values, question="How much?", unit="kg"):
    row = {"question": question, "answer_unit": unit}
    return take_poll([Ballot(f"m{place}", value, row=row) for place, value in enumerate(values)])


def test_equal_values_are_one_candidate_in_the_spelling_of_most():
    found = poll("55.6", "is_blank", "55.56", "7", "55.56")
    assert (found.candidates, found.choices) == (("55.56", "7"), (0, ABSTAINED, 0, 1, 0))


def test_a_value_in_another_scale_is_no_other_candidate():
    found = poll("5.439", "5439000", "5439000")
    assert (found.candidates, found.choices) == (("5439000",), (0, 0, 0))


def test_the_kind_follows_from_the_question_and_the_unit():
    assert poll("1", question="True or False: amber is a stone.", unit="is_blank").kind == "claim"
    assert poll("1").kind == "number"
    assert poll("1", unit="is_blank").kind == "text"
    assert take_poll([Ballot("a", "7")]).kind == "text"


def test_only_one_and_zero_answer_a_claim():
    found = poll("1", "2027", "local inference", "0", "1", question="T/F: amber is a stone.")
    assert (found.candidates, found.choices) == (("1", "0"), (0, MISFIT, MISFIT, 1, 0))


def test_references_are_folded_and_counted_once():
    assert take_poll([Ballot("a", "7", ("B", "a", "b"))]).refs == (("b", "a"),)


def test_of_equal_counts_the_earliest_spelling_is_taken():
    assert spelling(["80.0", "eighty", "Eighty", "80"]) == "80.0"
