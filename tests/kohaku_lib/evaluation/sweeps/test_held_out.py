"""Held-out questions: a stable share of all, nested as the share grows."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.sweeps.held_out import is_held_out


@given(st.text(max_size=20))
def test_no_share_holds_out_none_and_the_whole_all(question):
    assert not is_held_out(question, 0.0)
    assert is_held_out(question, 1.0)


@given(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1))
def test_a_question_that_is_held_out_stays_so_at_a_larger_share(question, one, other):
    small, large = sorted((one, other))
    assert not is_held_out(question, small) or is_held_out(question, large)


def test_about_the_share_of_many_questions_is_held_out():
    count = sum(is_held_out(f"question {number}", 0.2) for number in range(5000))
    assert 870 < count < 1130  # 1,000 ± 4.6 standard deviations of 28.3
