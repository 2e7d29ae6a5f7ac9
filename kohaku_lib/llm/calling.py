"""What every call to an OpenAI-compatible server shares: where it goes, its clock and dice, and its retries."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.llm.chat import StoppedError
from kohaku_lib.llm.retry import retry_delay_s

Reply = TypeVar("Reply")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The clock, the dice and the environment variables that a caller of a server uses."""

    clock: Callable[[], float] = time.monotonic  # seconds, never going back
    now: Callable[[], float] = time.time  # seconds since the epoch
    sleep: Callable[[float], None] | None = None  # by default until `stopped`, at the longest
    random: Callable[[], float] = random.random
    environment: Mapping[str, str] | None = None  # os.environ by default
    stopped: threading.Event = field(default_factory=threading.Event)
    needs_key: bool = True  # False where nobody is going to be asked

    def variable(self, name: str) -> str | None:
        """Return the environment variable `name`, None where it is not set or blank.

        >>> Surroundings(environment={"KEY": " abc "}).variable("KEY")
        'abc'
        """
        environment = os.environ if self.environment is None else self.environment
        return environment.get(name, "").strip() or None

    def pause(self, seconds: float) -> None:
        """Wait so long, or until the run is stopped; raises StoppedError where it is."""
        (self.sleep or self.stopped.wait)(seconds)
        self.go_on()

    def go_on(self) -> None:
        """Raise StoppedError where the run is stopped."""
        if self.stopped.is_set():
            msg = "the run was stopped; what was answered is kept, and the next run goes on from there"
            raise StoppedError(msg, attempts=0)


def retried(send: Callable[[int], Reply], retries: int, base_s: float, around: Surroundings) -> Reply:
    """Return what `send(attempts so far, this one included)` returns, after at most `retries` further attempts.

    Between attempts it waits as `retry_delay_s` says. Raises the last AttemptError, its `attempts` set, where that
    one is not to be retried or no attempt is left.
    """
    attempt = 0
    while True:
        try:
            return send(attempt + 1)
        except AttemptError as error:
            error.attempts = attempt + 1
            if error.failure.kind != "retry" or attempt == retries:
                raise
            delay_s = retry_delay_s(attempt, error.failure.hint_s, base_s, around.random())
        around.pause(delay_s)
        attempt += 1


def shown_url(url: str) -> str:
    """Return where a server is, without the user name, password and query that its URL may hold.

    >>> shown_url("https://me:secret@example.com:8000/v1?key=abc")
    'https://example.com:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
