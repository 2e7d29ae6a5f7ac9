"""How lines are ranked, and how many passages are read for it."""

import math

import pytest

from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.closest.ranking import FIRST_PASSAGES, log_odds, probability_of_silence, ranked_lines
from kohaku_lib.tables import Question, Snippet

QUESTION = Question("q", "When does the ferry to Nida leave?")
ANSWER = "The ferry to Nida leaves at 8:15."


def snippets(*texts):
    return [
        Snippet(f"d{place}:1", f"d{place}", "Timetable", None, text, place, 1.0) for place, text in enumerate(texts, 1)
    ]


def fillers(count):
    return [f"Kiosk number {number} sells warm socks." for number in range(count)]


def test_the_passages_behind_the_first_are_read_where_none_of_those_answers():
    [best, *_] = ranked_lines(QUESTION, snippets(*fillers(FIRST_PASSAGES), ANSWER))
    assert best.line.line.quote == ANSWER


def test_the_passages_behind_the_first_are_not_read_where_one_of_those_answers():
    lines = ranked_lines(QUESTION, snippets(ANSWER, *fillers(FIRST_PASSAGES)))
    assert lines[0].line.line.quote == ANSWER
    assert lines[0].answers >= LIKELY
    assert max(one.line.passage.snippet.rank for one in lines) == FIRST_PASSAGES


def test_a_passage_that_the_search_finds_earlier_is_likelier():
    first, later = (
        next(one for one in ranked_lines(QUESTION, snippets(*texts)) if one.line.line.quote == ANSWER)
        for texts in ((ANSWER, *fillers(3)), (*fillers(3), ANSWER))
    )
    assert first.answers > later.answers
    assert (first.line.features["search_rank"], later.line.features["search_rank"]) == (0.0, pytest.approx(math.log(4)))


def test_a_value_of_another_kind_is_none():
    [best, *_] = ranked_lines(Question("q", "How many kilograms does the ferry to Nida carry?", "kg"), snippets(ANSWER))
    assert (best.line.value, best.value_right) == (None, None)


def test_silence_is_likelier_the_less_likely_the_best_line_answers():
    found = [probability_of_silence(answers) for answers in (0.05, 0.3, 0.5, 0.9)]
    assert found == sorted(found, reverse=True)
    assert found[0] > LIKELY > found[-1]


def test_the_log_odds_are_the_logarithm_of_the_odds():
    assert (log_odds(0.5), log_odds(0.8)) == (0.0, pytest.approx(math.log(4.0)))


def test_of_two_values_of_a_line_that_are_hardly_told_apart_none_is_sure_and_the_line_is_marked():
    text = (
        "In 2023 the whole workshop used 41,800 kWh of electricity, of which the machine room took 29,260 kWh, or 70%. "
        "The polishing hall used 9,196 kWh, and lighting and offices the remaining 3,344 kWh. In 2022 the whole workshop "
        "had used 38,000 kWh, so that consumption rose by 10% within a year."
    )
    shown = [Snippet("d:1", "d", "Energy Report of the Kohaku Workshop, 2023", 1, text, 1, 1.0)]
    torn, clear = (
        ranked_lines(Question("q", f"How much electricity did the {what} use in 2023?"), shown)[0]
        for what in ("machine room", "whole workshop")
    )
    assert torn.line.value_share < 0.6 < clear.line.value_share
    assert torn.value_right < 0.5 < clear.value_right
    assert torn.excerpt.text[slice(*torn.excerpt.marked)] == torn.line.line.quote
    assert clear.excerpt.text[slice(*clear.excerpt.marked)] == "41,800 kWh"
