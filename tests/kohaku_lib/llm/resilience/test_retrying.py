"""Retries: how often, how long between, and what ends them."""

import logging

import pytest
from fake_time import FakeTime

from kohaku_lib.llm.chat import StoppedError
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.resilience.retrying import retried, with_retries
from kohaku_lib.settings import LlmSettings

SETTINGS = LlmSettings(call_retries=3, retry_base_s=2.0)


def failing(*failures):
    """Return a call that fails so often, and the numbers of its attempts."""
    numbers = []

    def send(number):
        numbers.append(number)
        if number <= len(failures):
            raise AttemptError(failures[number - 1])
        return "reply"

    return send, numbers


def test_a_call_is_repeated_until_it_succeeds_with_doubled_waits():
    fake, (send, numbers) = FakeTime(), failing(*[Failure("retry", "busy")] * 3)
    assert retried(send, "the model", SETTINGS, fake.environment()) == "reply"
    assert (numbers, fake.slept) == ([1, 2, 3, 4], [2.0, 4.0, 8.0])


def test_waits_grow_by_the_factor_of_the_settings():
    fake, (send, _) = FakeTime(), failing(*[Failure("retry", "busy")] * 3)
    retried(send, "the model", SETTINGS.model_copy(update={"retry_factor": 1.5}), fake.environment())
    assert fake.slept == [2.0, 3.0, 4.5]


def test_the_last_error_knows_the_number_of_attempts():
    send, numbers = failing(*[Failure("retry", f"busy {number}") for number in range(9)])
    with pytest.raises(AttemptError, match="busy 3") as caught:
        retried(send, "the model", SETTINGS, FakeTime().environment())
    assert (caught.value.attempts, numbers) == (4, [1, 2, 3, 4])


@pytest.mark.parametrize("kind", ["overflow", "exhausted", "unavailable", "unreachable", "refused"])
def test_a_failure_that_a_retry_cannot_mend_is_raised_at_once(kind):
    fake, (send, numbers) = FakeTime(), failing(Failure(kind, "no"))
    with pytest.raises(AttemptError, match="no"):
        retried(send, "the model", SETTINGS, fake.environment())
    assert (numbers, fake.slept) == ([1], [])


def test_the_wait_that_the_server_asks_for_is_kept():
    fake, (send, _) = FakeTime(), failing(Failure("retry", "busy", 30.0))
    retried(send, "the model", SETTINGS, fake.environment())
    assert fake.slept == [31.0]


def test_every_retry_is_logged_with_its_attempt_and_wait(caplog):
    send, _ = failing(Failure("retry", "busy"))
    with caplog.at_level(logging.WARNING, "kohaku"):
        retried(send, "the model", SETTINGS, FakeTime().environment())
    assert [record.getMessage() for record in caplog.records] == ["the model: busy; attempt 2 of 4 starts in 2.0 s"]


def test_without_retries_one_attempt_is_made():
    send, numbers = failing(Failure("retry", "busy"))
    with pytest.raises(AttemptError):
        with_retries(send, AttemptError, 0, 1.0, FakeTime().environment())
    assert numbers == [1]


def test_an_error_of_another_kind_is_not_retried():
    def send(number):
        raise KeyError(number)

    with pytest.raises(KeyError, match="1"):
        with_retries(send, AttemptError, 3, 1.0, FakeTime().environment())


def test_a_stopped_run_waits_for_nothing_and_starts_no_further_attempt():
    fake, (send, numbers) = FakeTime(), failing(*[Failure("retry", "busy")] * 3)
    environment = fake.environment()
    environment.stopped.set()
    with pytest.raises(StoppedError):
        retried(send, "the model", SETTINGS, environment)
    assert numbers == [1]
