"""Messages of one session, one after the other: they wait here and not on a thread, and only a few of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem

MOST_WAITING = 4
WAIT_S = 5  # after too many messages


class _Line:
    def __init__(self) -> None:
        self.turn, self.length = asyncio.Lock(), 0


class SessionTurns:
    """The lines before the sessions of all callers; for the thread of the event loop."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str | None, str], _Line] = {}

    def check(self, caller: Principal, session_id: str | None) -> None:
        """Refuse a message for which there is no room.

        Raises:
            Problem: One message of the session is being answered and four wait.
        """
        line = self._lines.get(_key(caller, session_id)) if session_id is not None else None
        if line is not None and line.length > MOST_WAITING:
            msg = (
                f"a session has at most {MOST_WAITING} messages that wait, and {session_id!r} has as many; "
                "send this one again once it is answered"
            )
            raise Problem(429, msg, {"Retry-After": str(WAIT_S)})

    @asynccontextmanager
    async def turn(self, caller: Principal, session_id: str | None) -> AsyncIterator[None]:
        """Wait for the turn of a message, which is over at the end of the block; without a session there is none.

        Raises:
            Problem: As for `check`.
        """
        if session_id is None:
            yield
            return
        self.check(caller, session_id)
        key = _key(caller, session_id)
        line = self._lines.setdefault(key, _Line())
        line.length += 1
        try:
            async with line.turn:
                yield
        finally:
            line.length -= 1
            if not line.length:
                del self._lines[key]


def _key(caller: Principal, session_id: str) -> tuple[str, str | None, str]:
    """Return a key that no other user's session has: nobody waits for one whose id another one guessed."""
    return caller.org_id, caller.user_id, session_id
