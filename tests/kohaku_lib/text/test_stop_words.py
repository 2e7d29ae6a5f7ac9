"""Stop words come from one list per language."""

import pytest

from kohaku_lib.answering.extractive.text import content_stems
from kohaku_lib.index.bm25.tokenising import tokenise
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.text.stop_words import filler_words, query_stop_words, stop_words


@pytest.mark.parametrize(("language", "word"), [("english", "the"), ("german", "und"), ("french", "les")])
def test_each_language_has_its_own(language, word):
    assert word in stop_words(language)


@pytest.mark.parametrize("language", ["none", "klingon"])
def test_a_language_that_nobody_listed_has_none(language):
    assert stop_words(language) == filler_words(language) == frozenset()


def test_fillers_of_a_question_are_stop_words_and_more():
    assert filler_words("english") > query_stop_words("english") > stop_words("english")


@pytest.mark.parametrize("word", ["against", "few", "now"])
def test_the_index_the_planner_and_the_reader_leave_out_the_same_stop_words(word):
    assert tokenise(f"{word} boat", LexicalSettings()) == ["boat"]
    assert content_stems(f"{word} boat") == ["boat"]
    assert plan_by_rule(f"How fast is {word} boat?", 2)[1:] == ["fast boat"]


@pytest.mark.parametrize("word", ["according", "many"])
def test_the_planner_and_the_reader_leave_out_the_words_that_only_phrase_a_question(word):
    assert content_stems(f"{word} boat") == ["boat"]
    assert plan_by_rule(f"{word} old boat sails", 2)[1:] == ["old boat sails"]


def test_a_query_keeps_fillers_that_documents_may_be_about():
    assert content_stems("GPUs used") == ["gpu"]
    assert plan_by_rule("How many GPUs were used?", 2)[1:] == ["GPUs used"]
