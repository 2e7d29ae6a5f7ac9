"""What every call to an OpenAI-compatible server shares: its clock, randomness, environment variables and retries."""

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
_LOOK_S = 0.2  # how often a wait looks for an interrupt
_LOG = logging.getLogger("kohaku")


@dataclass(frozen=True, slots=True)
class Environment:
    """The clock, the random numbers and the environment variables that a caller of a server uses."""

    clock: Callable[[], float] = time.monotonic  # seconds, never going back
    now: Callable[[], float] = time.time  # seconds since the epoch
    sleep: Callable[[float], None] | None = None  # by default until `stopped`, at the longest
    random: Callable[[], float] = random.random
    variables: Mapping[str, str] | None = None  # os.environ by default
    stopped: threading.Event = field(default_factory=threading.Event)
    needs_key: bool = True  # False where nobody is going to be asked

    def variable(self, name: str) -> str | None:
        """Return the environment variable `name`, None where it is not set or blank.

        >>> Environment(variables={"KEY": " abc "}).variable("KEY")
        'abc'
        """
        variables = os.environ if self.variables is None else self.variables
        return variables.get(name, "").strip() or None

    def pause(self, seconds: float) -> None:
        """Wait so long, or until the run is stopped or interrupted; raises StoppedError where it is."""
        (self.sleep or self._wait)(seconds)
        self.go_on()

    def go_on(self) -> None:
        """Raise StoppedError where the run is stopped."""
        if self.stopped.is_set() or is_interrupted():
            raise StoppedError(STOPPED, attempts=0)

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not is_interrupted():
            if self.stopped.wait(min(left, _LOOK_S)):
                return


class RetrySettings(Protocol):
    """How often an attempt is repeated, and how long to wait before."""

    @property
    def call_retries(self) -> int:
        """Further attempts."""
        ...

    @property
    def retry_base_s(self) -> float:
        """First delay between attempts."""
        ...


class RetryableError(Protocol):
    """What an error says about another attempt."""

    @property
    def may_pass(self) -> bool:
        """Whether another attempt may succeed."""
        ...

    @property
    def hint_s(self) -> float | None:
        """The wait that the server asks for."""
        ...


def retried(send: Callable[[int], Reply], what: str, settings: RetrySettings, environment: Environment) -> Reply:
    """Return what `send` returns, after at most `call_retries` further attempts; each is announced in the log.

    Args:
        send: Called with the number of attempts so far, this one included.
        what: Names in the log what failed.
        settings: Number and delays of attempts.
        environment: Clock, randomness, and whether the run is stopped.

    Raises:
        AttemptError: The last error, its `attempts` set, where it may not pass or no attempt is left.
        StoppedError: The run was stopped.

    """

    def attempt(number: int) -> Reply:
        try:
            return send(number)
        except AttemptError as error:
            error.attempts = number
            raise

    def announce(error: AttemptError, number: int, delay_s: float) -> None:
        next_one = f"attempt {number + 1} of {settings.call_retries + 1} begins in {delay_s:.1f} s"
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
    """Return what `send(attempts so far)` returns, tried again after errors of `kind` that may pass.

    Between attempts it waits as `retry_delay_s` says. `announce` is called before each wait with the error, the number
    of the attempt that failed, and the wait in seconds. The last error is raised as it is.
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
    """Return where a server is, without the user name, password and query that its URL may hold.

    >>> shown_url("https://me:secret@example.com:8000/v1?key=abc")
    'https://example.com:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
