import pytest

from kohaku_lib.llm.resilience.breaker import FAILURES_TO_OPEN, OPEN_S, CircuitBreaker


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return CircuitBreaker(clock)


def opened(breaker):
    for _ in range(FAILURES_TO_OPEN):
        assert breaker.admits()
        breaker.failed()
    return breaker


def test_five_failures_in_a_row_open_it_for_a_minute(breaker, clock):
    opened(breaker)
    assert (breaker.admits(), breaker.wait_s) == (False, OPEN_S)
    clock.now += OPEN_S - 0.1
    assert not breaker.admits()
    clock.now += 0.1
    assert breaker.admits()


def test_a_success_in_between_begins_the_count_anew(breaker):
    for _ in range(3):
        for _ in range(FAILURES_TO_OPEN - 1):
            breaker.failed()
        breaker.succeeded()
    assert breaker.admits()


def test_after_the_minute_one_call_at_a_time_tries_the_server(breaker, clock):
    opened(breaker)
    clock.now += OPEN_S
    assert [breaker.admits() for _ in range(3)] == [True, False, False]
    breaker.released()
    assert [breaker.admits() for _ in range(2)] == [True, False]


def test_two_trials_that_succeed_close_it(breaker, clock):
    opened(breaker)
    clock.now += OPEN_S
    for _ in range(2):
        assert breaker.admits()
        assert not breaker.admits()
        breaker.succeeded()
    assert [breaker.admits() for _ in range(3)] == [True] * 3


def test_a_trial_that_fails_opens_it_for_another_minute_and_success_counts_anew(breaker, clock):
    opened(breaker)
    clock.now += OPEN_S
    assert breaker.admits()
    breaker.succeeded()
    assert breaker.admits()
    breaker.failed()
    assert not breaker.admits()
    clock.now += OPEN_S
    assert breaker.admits()
    breaker.succeeded()
    assert breaker.admits()
    assert not breaker.admits()  # still tried one by one


def test_a_late_success_of_a_call_from_before_does_not_close_it(breaker):
    opened(breaker)
    breaker.succeeded()
    breaker.succeeded()
    assert not breaker.admits()
