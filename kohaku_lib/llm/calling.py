"""What every call to an OpenAI-compatible server shares: where it goes, its clock and dice, and its retries."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from kohaku_lib.interruption import is_interrupted
from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.llm.chat import STOPPED, StoppedError
from kohaku_lib.llm.retry import retry_delay_s

Reply = TypeVar("Reply")
_LOOK_S = 0.2  # how often a wait looks for an interrupt
_LOG = logging.getLogger("kohaku")


@dataclass(frozen=True, slots=True)
class Environment:
    """The clock, the dice and the environment variables that a caller of a server uses."""

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


def retried(send: Callable[[int], Reply], what: str, settings: RetrySettings, environment: Environment) -> Reply:
    """Return what `send(attempts so far, this one included)` returns, after at most `call_retries` further attempts.

    Between attempts it waits as `retry_delay_s` says, and a line of the log says why and how long. Raises the last
    AttemptError, its `attempts` set, where that one is not to be retried or no attempt is left.
    """
    retries = settings.call_retries
    attempt = 0
    while True:
        try:
            return send(attempt + 1)
        except AttemptError as error:
            error.attempts = attempt + 1
            if error.failure.kind != "retry" or attempt == retries:
                raise
            delay_s = retry_delay_s(attempt, error.failure.hint_s, settings.retry_base_s, environment.random())
            _LOG.warning("%s", _retry_line(what, error, attempt + 2, retries + 1, delay_s))
        environment.pause(delay_s)
        attempt += 1


def _retry_line(what: str, error: AttemptError, attempt: int, attempts: int, delay_s: float) -> str:
    return f"{what}: {error.failure.message}; attempt {attempt} of {attempts} begins in {delay_s:.1f} s"


def shown_url(url: str) -> str:
    """Return where a server is, without the user name, password and query that its URL may hold.

    >>> shown_url("https://me:secret@example.com:8000/v1?key=abc")
    'https://example.com:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
