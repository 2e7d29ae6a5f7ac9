"""The clock, randomness, environment variables and stop flag of calls, which tests replace."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kohaku_lib.llm.chat import STOPPED, StoppedError
from kohaku_lib.parallel.interruption import is_interrupted

_LOOK_S = 0.2  # polling interval of interrupts


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
