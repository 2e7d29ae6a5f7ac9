"""Retries of calls to servers. Which failures are retried, and how long to wait, is decided in `failures`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import Protocol, TypeVar

from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.failures import retry_delay_s
from kohaku_lib.settings import EmbeddingSettings, LlmSettings, RerankSettings

ServedSettings = LlmSettings | EmbeddingSettings | RerankSettings  # the sections that name a server
Reply = TypeVar("Reply")
Error = TypeVar("Error", bound="RetryableError")
_LOG = logging.getLogger("kohaku")


def retried(send: Callable[[int], Reply], what: str, settings: ServedSettings, environment: Environment) -> Reply:
    """Call `send` with up to `call_retries` logged retries, and return its result.

    Args:
        send: Called with the attempt number, from 1.
        what: The call's name in the log.
        settings: Number and delay of retries.
        environment: Clock, randomness and stop flag.

    Raises:
        AttemptError: The last error, with `attempts` set, if a retry cannot help or none is left.
        StoppedError: The run was stopped.

    """

    def attempt(number: int) -> Reply:
        try:
            return send(number)
        except AttemptError as error:
            error.attempts = number
            raise

    def announce(error: AttemptError, number: int, delay_s: float) -> None:
        next_one = f"attempt {number + 1} of {settings.call_retries + 1} starts in {delay_s:.1f} s"
        _LOG.warning("%s: %s; %s", what, error.failure.message, next_one)

    delays = settings.retry_base_s, environment, announce, settings.retry_factor
    return with_retries(attempt, AttemptError, settings.call_retries, *delays)


def with_retries(
    send: Callable[[int], Reply],
    kind: type[Error],
    retries: int,
    base_s: float,
    environment: Environment,
    announce: Callable[[Error, int, float], None] = lambda error, number, delay_s: None,
    factor: float = 2.0,
) -> Reply:
    """Call `send(attempt number)`, retrying after errors of `kind` that may pass.

    Delays are those of `retry_delay_s`. `announce` is called before each wait with the error, the number of the failed
    attempt, and the delay in seconds. The last error is raised unchanged.
    """
    from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

    numbers = count(1)

    def failure(state: RetryCallState) -> Error:
        error = state.outcome.exception() if state.outcome is not None else None
        assert isinstance(error, kind)
        return error

    def wait_s(state: RetryCallState) -> float:
        return retry_delay_s(state.attempt_number - 1, failure(state).hint_s, base_s, environment.random(), factor)

    def may_pass(error: object) -> bool:
        return isinstance(error, kind) and error.may_pass

    retrying = Retrying(
        retry=retry_if_exception(may_pass),
        stop=stop_after_attempt(retries + 1),
        wait=wait_s,
        sleep=environment.pause,
        before_sleep=lambda state: announce(failure(state), state.attempt_number, state.upcoming_sleep),
        reraise=True,
    )
    return retrying(lambda: send(next(numbers)))


class RetryableError(Protocol):
    """An error that indicates whether a retry may help."""

    @property
    def may_pass(self) -> bool:
        """Whether a retry may succeed."""
        ...

    @property
    def hint_s(self) -> float | None:
        """The wait requested by the server."""
        ...
