"""A clock that only sleeping moves, dice that always fall the same way, and patience after a short time limit."""

from __future__ import annotations

from typing import Any

from kohaku_lib.llm import Environment


class FakeTime:
    """Time that stands still but for `sleep`; `slept` lists every wait in seconds."""

    def __init__(self, random: float = 0.5, now: float = 1_700_000_000.0) -> None:
        self.slept: list[float] = []
        self._random = random
        self._now = now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def environment(self, variables: dict[str, str] | None = None) -> Environment:
        """Return the environment of a chat model that lives in this time."""
        return Environment(
            clock=lambda: sum(self.slept),
            now=lambda: self._now + sum(self.slept),
            sleep=self.sleep,
            random=lambda: self._random,
            variables=variables or {},
        )


def patient(asking: Any) -> None:
    """Let what asks a server wait for it from now on: the time limit was for the first attempt, the next one needs none."""
    asking._access.client.timeout = None
