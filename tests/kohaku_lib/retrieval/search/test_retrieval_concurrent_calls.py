"""Calls that run at the same time: values, failures, lateness."""

import threading
import time

import pytest

from kohaku_lib.retrieval.search.concurrent_calls import run_concurrently


def raising(error):
    def call():
        raise error

    return call


def test_values_come_back_by_name_and_in_order():
    outcomes = run_concurrently({"b": lambda: 2, "a": lambda: [1]}, timeout_s=5)
    assert [(name, outcome.value, outcome.failure) for name, outcome in outcomes.items()] == [
        ("b", 2, None),
        ("a", [1], None),
    ]


def test_calls_meet_each_other():
    meeting = threading.Barrier(3, timeout=5)
    outcomes = run_concurrently(dict.fromkeys("abc", meeting.wait), timeout_s=5)
    assert sorted(outcome.value for outcome in outcomes.values()) == [0, 1, 2]


@pytest.mark.parametrize("error", [ValueError("no such file"), KeyError("x"), MemoryError("full")])
def test_a_failure_is_told_in_a_sentence_and_spares_the_others(error):
    outcomes = run_concurrently({"bad": raising(error), "good": lambda: 1}, timeout_s=5)
    assert outcomes["bad"].failure == f"{type(error).__name__}: {error}"
    assert outcomes["bad"].value is None
    assert outcomes["good"].value == 1


def test_a_late_call_is_left_behind_and_its_value_never_comes():
    gate = threading.Event()
    started = time.perf_counter()
    outcomes = run_concurrently({"late": lambda: gate.wait(20), "good": lambda: 1}, timeout_s=0.05)
    assert time.perf_counter() - started < 5
    assert outcomes["late"].failure == "it took longer than 0.05 s"
    assert outcomes["good"].value == 1
    gate.set()
    time.sleep(0.02)
    assert outcomes["late"].value is None


def test_all_calls_share_one_deadline():
    gate = threading.Event()
    started = time.perf_counter()
    outcomes = run_concurrently({str(number): lambda: gate.wait(20) for number in range(20)}, timeout_s=0.1)
    assert time.perf_counter() - started < 1.5
    assert all(outcome.failure for outcome in outcomes.values())
    gate.set()


def test_the_time_of_each_call_is_taken():
    outcomes = run_concurrently({"quick": lambda: None, "slow": lambda: time.sleep(0.05)}, timeout_s=5)
    assert outcomes["slow"].ms >= 50 > outcomes["quick"].ms


def test_nothing_to_call_gives_nothing():
    assert run_concurrently({}, timeout_s=1) == {}
