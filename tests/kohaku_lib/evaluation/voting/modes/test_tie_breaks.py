"""Ties: to the earliest, to nobody, or to a draw that repeats itself."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.voting.modes.tie_breaks import choose_first, choose_none, draw
from kohaku_lib.settings import EnsembleSettings


@given(st.lists(st.integers(), min_size=1, max_size=5, unique=True), st.text(max_size=5), st.integers(0, 99))
def test_a_draw_takes_one_of_the_groups_and_the_same_one_each_time(groups, question_id, seed):
    settings = EnsembleSettings(seed=seed)
    assert draw(groups, settings, question_id) in groups
    assert draw(groups, settings, question_id) == draw(groups, settings, question_id)
    assert choose_first(groups, settings, question_id) == groups[0]
    assert choose_none(groups, settings, question_id) is None


def test_draws_over_many_questions_are_even():
    counts = Counter(draw("abc", EnsembleSettings(), f"q{number}") for number in range(3000))
    assert all(900 < counts[group] < 1100 for group in "abc")  # 1,000 ± 4 standard deviations of 25.8


def test_another_seed_draws_otherwise():
    seeds = [[draw("ab", EnsembleSettings(seed=seed), f"q{number}") for number in range(50)] for seed in (0, 1)]
    assert seeds[0] != seeds[1]
