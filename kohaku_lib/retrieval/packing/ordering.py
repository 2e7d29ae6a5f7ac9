"""Orders of the snippets in a prompt; models attend to its beginning and its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

Item = TypeVar("Item")
Order = Literal["front_loaded", "sandwich", "alternating"]


def in_order(items: Sequence[Item], order: Order = "front_loaded") -> list[Item]:
    """Return `items` (best first) in another prompt order; two or fewer are unchanged.

    `front_loaded`: the best first. `sandwich`: the best first, the second best last, the worst in the
    middle. `alternating`: the best, the worst, the second best, and so on.

    >>> in_order([1, 2, 3, 4, 5], "sandwich"), in_order([1, 2, 3, 4, 5], "alternating")
    ([1, 3, 5, 4, 2], [1, 5, 2, 4, 3])
    """
    return _ORDERS[order](items) if len(items) > 2 else list(items)


def _sandwich_order(items: Sequence[Item]) -> list[Item]:
    return [*items[::2], *items[1::2][::-1]]


def _alternating_order(items: Sequence[Item]) -> list[Item]:
    ends = zip(items, reversed(items), strict=True)
    return [item for pair in ends for item in pair][: len(items)]


_ORDERS: dict[str, Callable[[Sequence], list]] = {
    "front_loaded": list,
    "sandwich": _sandwich_order,
    "alternating": _alternating_order,
}
