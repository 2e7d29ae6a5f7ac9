"""Turns: who is served next of those who wait, so that nobody waits for all of another's work."""

from __future__ import annotations

from collections import Counter, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")
RECENT = 64  # items given out last: an organisation with one among them is beside the others


class Turns(Generic[Item]):
    """Items that wait, given out in turns: of organisations, within one of its callers, of a caller as they came.

    An organisation has up to `share` items under way, and one less while it is not alone: where all compute, fewer of one
    leave more time to another.

    >>> turns = Turns(share=2)
    >>> for item in ("a1", "a2", "a3", "b1"):
    ...     turns.add(item[0], "key", item)
    >>> [turns.take() for _ in range(4)]
    [('a', 'a1'), ('b', 'b1'), None, None]
    >>> turns.end("a")
    >>> turns.take()
    ('a', 'a2')
    """

    def __init__(self, share: int) -> None:
        self._share = share
        self._waiting: dict[
            str, dict[str, deque[Item]]
        ] = {}  # by organisation and caller, those whose turn is next first
        self._active: Counter[str] = Counter()
        self._recent: deque[str] = deque(maxlen=RECENT)

    def __len__(self) -> int:
        """Return how many items wait."""
        return sum(len(items) for callers in self._waiting.values() for items in callers.values())

    def add(self, organisation: str, caller: str, item: Item) -> None:
        """Have an item wait."""
        self._waiting.setdefault(organisation, {}).setdefault(caller, deque()).append(item)

    def take(self) -> tuple[str, Item] | None:
        """Return the item whose turn it is with its organisation, under way until `end`; None if none may begin."""
        present = {*self._waiting, *self._active, *self._recent}
        most = self._share if len(present) == 1 else max(1, self._share - 1)
        organisation = next((one for one in self._waiting if self._active[one] < most), None)
        if organisation is None:
            return None
        self._recent.append(organisation)
        callers = self._waiting.pop(organisation)
        caller = next(iter(callers))
        items = callers.pop(caller)
        item = items.popleft()
        if items:
            callers[caller] = items  # behind the others
        if callers:
            self._waiting[organisation] = callers
        self._active[organisation] += 1
        return organisation, item

    def end(self, organisation: str) -> None:
        """Count an item of an organisation as done."""
        self._active[organisation] -= 1
        if not self._active[organisation]:
            del self._active[organisation]
