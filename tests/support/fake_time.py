"""A clock that only sleeping moves, and dice that always fall the same way."""

from __future__ import annotations

from kohaku_lib.llm import Surroundings


class FakeTime:
    """Time that stands still but for `sleep`; `slept` lists every wait in seconds."""

    def __init__(self, random: float = 0.5, now: float = 1_700_000_000.0) -> None:
        self.slept: list[float] = []
        self._random = random
        self._now = now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def surroundings(self, environment: dict[str, str] | None = None) -> Surroundings:
        """Return the surroundings of a chat model that lives in this time."""
        return Surroundings(
            clock=lambda: sum(self.slept),
            now=lambda: self._now + sum(self.slept),
            sleep=self.sleep,
            random=lambda: self._random,
            environment=environment or {},
        )
