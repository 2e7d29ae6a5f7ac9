"""The environment and retries of calls to OpenAI-compatible servers."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from kohaku_lib.interruption import is_interrupted
from kohaku_lib.llm.chat import STOPPED, StoppedError
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.retry import retry_delay_s

Reply = TypeVar("Reply")
Error = TypeVar("Error", bound="RetryableError")
_LOOK_S = 0.2  # polling interval of interrupts
_LOG = logging.getLogger("kohaku")


@dataclass(frozen=True, slots=True)
class Environment:
    """The injectable clock, randomness, environment variables and stop flag of calls."""

    clock: Callable[[], float] = time.monotonic  # seconds, monotonic
    now: Callable[[], float] = time.time  # seconds since the epoch
    sleep: Callable[[float], None] | None = None  # by default ends early if `stopped`
    random: Callable[[], float] = random.random
    variables: Mapping[str, str] | None = None  # os.environ by default
    stopped: threading.Event = field(default_factory=threading.Event)
    needs_key: bool = True  # False if no calls will be made

    def variable(self, name: str) -> str | None:
        """Return the environment variable `name`, None if unset or blank.

        >>> Environment(variables={"KEY": " abc "}).variable("KEY")
        'abc'
        """
        variables = os.environ if self.variables is None else self.variables
        return variables.get(name, "").strip() or None

    def pause(self, seconds: float) -> None:
        """Sleep.

        Raises:
            StoppedError: The run was stopped or interrupted.
        """
        (self.sleep or self._wait)(seconds)
        self.raise_if_stopped()

    def raise_if_stopped(self) -> None:
        """Raise StoppedError if the run is stopped or interrupted."""
        if self.stopped.is_set() or is_interrupted():
            raise StoppedError(STOPPED, attempts=0)

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (remaining_s := until - time.monotonic()) > 0 and not is_interrupted():
            if self.stopped.wait(min(remaining_s, _LOOK_S)):
                return


class RetrySettings(Protocol):
    """Number and delay of retries."""

    @property
    def call_retries(self) -> int:
        """Further attempts."""
        ...

    @property
    def retry_base_s(self) -> float:
        """First delay between attempts."""
        ...


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


def retried(send: Callable[[int], Reply], what: str, settings: RetrySettings, environment: Environment) -> Reply:
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

    return with_retries(attempt, AttemptError, settings.call_retries, settings.retry_base_s, environment, announce)


def with_retries(
    send: Callable[[int], Reply],
    kind: type[Error],
    retries: int,
    base_s: float,
    environment: Environment,
    announce: Callable[[Error, int, float], None] = lambda error, number, delay_s: None,
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
        return retry_delay_s(state.attempt_number - 1, failure(state).hint_s, base_s, environment.random())

    retrying = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, kind) and error.may_pass),
        stop=stop_after_attempt(retries + 1),
        wait=wait_s,
        sleep=environment.pause,
        before_sleep=lambda state: announce(failure(state), state.attempt_number, state.upcoming_sleep),
        reraise=True,
    )
    return retrying(lambda: send(next(numbers)))


def shown_url(url: str) -> str:
    """Return `url` without user name, password and query.

    >>> shown_url("https://me:secret@example.com:8000/v1?key=abc")
    'https://example.com:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
