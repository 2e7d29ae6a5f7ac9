"""Calls that run at the same time: values, failures, lateness."""

import threading

import pytest

from kohaku_lib.retrieval.search.concurrent_calls import run_concurrently

HANG_S, HOUR_S = 60.0, 3600.0


def raising(error):
    def call():
        raise error

    return call


def test_values_come_back_by_name_and_in_order():
    outcomes = run_concurrently({"b": lambda: 2, "a": lambda: [1]}, timeout_s=HANG_S)
    assert [(name, outcome.value, outcome.failure) for name, outcome in outcomes.items()] == [
        ("b", 2, None),
        ("a", [1], None),
    ]


def test_calls_meet_each_other():
    meeting = threading.Barrier(3, timeout=HANG_S)
    outcomes = run_concurrently(dict.fromkeys("abc", meeting.wait), timeout_s=HANG_S)
    assert sorted(outcome.value for outcome in outcomes.values()) == [0, 1, 2]


@pytest.mark.parametrize("error", [ValueError("no such file"), KeyError("x"), MemoryError("full")])
def test_a_failure_is_told_in_a_sentence_and_spares_the_others(error):
    outcomes = run_concurrently({"bad": raising(error), "good": lambda: 1}, timeout_s=HANG_S)
    assert outcomes["bad"].failure == f"{type(error).__name__}: {error}"
    assert outcomes["bad"].value is None
    assert outcomes["good"].value == 1


def caller_sees(*moments):
    """A clock that shows `moments` to this thread, one at each look, and stands still for all others."""
    caller, shown = threading.current_thread(), iter(moments)
    return lambda: next(shown) if threading.current_thread() is caller else 0.0


def test_a_late_call_is_left_behind_and_its_value_never_comes():
    gate, threads = threading.Event(), []

    def late():
        threads.append(threading.current_thread())
        return gate.wait(HANG_S)

    outcomes = run_concurrently({"good": lambda: 1, "late": late}, HOUR_S, caller_sees(0.0, 0.0, HOUR_S))
    assert outcomes["late"].failure == "it took longer than 3600 s"
    assert outcomes["good"].value == 1
    gate.set()
    threads[0].join()
    assert outcomes["late"].value is None


def test_all_calls_share_one_deadline():
    gate = threading.Event()
    calls = {str(number): lambda: gate.wait(HANG_S) for number in range(20)}
    outcomes = run_concurrently(calls, HOUR_S, caller_sees(0.0, *[HOUR_S] * 20))
    assert all(outcome.failure for outcome in outcomes.values())
    gate.set()


def test_the_time_of_a_call_is_taken():
    now = [7.0]
    outcomes = run_concurrently({"slow": lambda: now.append(7.05)}, HOUR_S, lambda: now[-1])
    assert outcomes["slow"].ms == pytest.approx(50)


def test_nothing_to_call_gives_nothing():
    assert run_concurrently({}, timeout_s=1) == {}
