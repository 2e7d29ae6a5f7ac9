"""Turns: who is served next of those who wait, so that nobody waits for all of another's work."""

from __future__ import annotations

from collections import Counter, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Turns(Generic[Item]):
    """Items that wait, given out in turns: of organisations, within one of its callers, of a caller as they came.

    An organisation with up to `share` items under way; who has more waits, and the others are served before it.

    >>> turns = Turns(share=2)
    >>> for item in ("a1", "a2", "a3", "b1"):
    ...     turns.add(item[0], "key", item)
    >>> [turns.take() for _ in range(4)]
    [('a', 'a1'), ('b', 'b1'), ('a', 'a2'), None]
    >>> turns.end("a")
    >>> turns.take()
    ('a', 'a3')
    """

    def __init__(self, share: int) -> None:
        self._share = share
        self._waiting: dict[
            str, dict[str, deque[Item]]
        ] = {}  # by organisation and caller, those whose turn is next first
        self._active: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many items wait."""
        return sum(len(items) for callers in self._waiting.values() for items in callers.values())

    def add(self, organisation: str, caller: str, item: Item) -> None:
        """Have an item wait."""
        self._waiting.setdefault(organisation, {}).setdefault(caller, deque()).append(item)

    def take(self) -> tuple[str, Item] | None:
        """Return the item whose turn it is with its organisation, under way until `end`; None if none may begin."""
        organisation = next((one for one in self._waiting if self._active[one] < self._share), None)
        if organisation is None:
            return None
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
