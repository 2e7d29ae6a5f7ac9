"""Broken words are mended where the document's own words prove it, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.tree.resegmenting.page_lines import PageLine
from kohaku_lib.tree.resegmenting.vocabulary import WordCounts


def vocabulary(*lines):
    return WordCounts([PageLine(line, 1) for line in lines])


def test_a_hyphen_at_the_line_end_goes_where_the_word_is_known_whole():
    assert vocabulary("training is costly").join(["costs of train-", "ing are high"]) == "costs of training are high"


def test_a_hyphen_stays_where_the_compound_is_known():
    words = vocabulary("a state-of-the-art model with self-attention")
    assert words.join(["a state-of-the-", "art model"]) == "a state-of-the-art model"
    assert words.join(["with self-", "attention"]) == "with self-attention"


def test_the_more_frequent_form_wins():
    words = vocabulary("reuse it, reuse it again, re-use it")
    assert words.join(["we re-", "use it"]) == "we reuse it"


def test_a_hyphen_stays_between_two_words_of_the_document():
    words = vocabulary("the water is clean", "a network is cheap")
    assert words.join(["clean-", "water network"]) == "clean-water network"


def test_a_hyphen_goes_where_nothing_is_known():
    assert vocabulary("").join(["infra-", "structure"]) == "infrastructure"


@pytest.mark.parametrize(("left", "right"), [("GPT-", "3 is large"), ("Jean-", "Paul said"), ("A100-", "only runs")])
def test_a_hyphen_stays_before_capitals_and_digits_and_behind_digits(left, right):
    assert vocabulary("").join([left, right]) == left + right


def test_a_hyphen_stays_within_a_longer_compound():
    assert vocabulary("").join(["easy-", "to-use tools"]) == "easy-to-use tools"


def test_lines_broken_behind_a_bracket_or_in_an_address_join_without_a_blank():
    words = vocabulary("")
    assert words.join(["as shown (", "Vaswani et al., 2017)"]) == "as shown (Vaswani et al., 2017)"
    assert words.join(["see https:", "//doi.org/10.1"]) == "see https://doi.org/10.1"


def test_a_hyphen_that_stands_for_the_rest_of_a_word_stays_with_its_blank():
    assert vocabulary("").join(["Haupt-", "und Nebeneingang"]) == "Haupt- und Nebeneingang"
    assert vocabulary("").join(["water-", "or wind-driven"]) == "water- or wind-driven"
    assert vocabulary("a thousand").join(["a thous-", "and more"]) == "a thousand more"


def test_other_lines_join_with_a_blank():
    assert vocabulary("").join(["one line", "and another"]) == "one line and another"


def test_a_split_word_is_joined_where_the_whole_is_known():
    assert vocabulary("R esearch and research and Research").mend("R esearch matters") == "Research matters"


def test_a_split_acronym_is_joined():
    assert vocabulary("A WS and AWS and AWS").mend("on A WS today") == "on AWS today"


def test_two_real_words_stay_apart():
    words = vocabulary("a net work of work", "network network", "a net is a net")
    assert words.mend("a net work") == "a net work"


def test_an_article_stays_apart_though_the_joined_word_exists():
    assert vocabulary("a lone wolf, alone, alone, lone").mend("a lone wolf") == "a lone wolf"


def test_a_variable_before_a_word_stays_apart():
    assert vocabulary("the x axis and the y axis").mend("the x axis") == "the x axis"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("in NLP , and society .", "in NLP, and society."),
        ("Wu et al. , 2021", "Wu et al., 2021"),
        ("( Peters 2018 )", "(Peters 2018)"),
        ("CO 2 emissions", "CO2 emissions"),
        ("CO 2e and CO 2 e", "CO2e and CO2e"),
        ("a value of .5 stays", "a value of .5 stays"),
        ("NO 20 is no oxide", "NO 20 is no oxide"),
    ],
)
def test_blanks_before_punctuation_and_in_formulas_are_removed(text, mended):
    assert vocabulary("").mend(text) == mended


@given(st.lists(st.text(alphabet="abAB -.,", min_size=1, max_size=12).filter(str.strip), max_size=8))
def test_mending_and_joining_change_blanks_and_hyphens_only(texts):
    lines = [" ".join(text.split()) for text in texts]
    words = vocabulary(*lines)
    joined = words.join([words.mend(line) for line in lines])
    bare = str.maketrans("", "", " -")
    assert joined.translate(bare) == "".join(lines).translate(bare)
