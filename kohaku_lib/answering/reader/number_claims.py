"""Whether a text holds the numbers that a claim states."""

from __future__ import annotations

from kohaku_lib.answering.reader.quantities import Quantity, quantities_in
from kohaku_lib.answering.reader.units import convert


def numbers_agree(claim: str, evidence: str) -> int:
    """Return 1 where the evidence holds a number of the claim, -1 where it holds only others of its kind, else 0.

    >>> numbers_agree("more than 40% of it", "about 90% of it"), numbers_agree("it took 3 days", "it took 5 days")
    (1, -1)
    """
    asked = [quantity for quantity in quantities_in(claim) if not quantity.decorated and not quantity.is_year]
    given = [quantity for quantity in quantities_in(evidence) if not quantity.decorated]
    verdicts = [verdict for quantity in asked if (verdict := _verdict(quantity, given)) != 0]
    return min(verdicts, default=0)


_MORE = frozenset({"more than", "over", "above", "at least", ">", "≥", "a minimum of", "no less than", "minimum"})
_LESS = frozenset(
    {
        "less than",
        "fewer than",
        "under",
        "below",
        "at most",
        "up to",
        "<",
        "≤",
        "no more than",
        "a maximum of",
        "maximum",
    }
)


def _verdict(asked: Quantity, given: list[Quantity]) -> int:
    comparable = [pair for quantity in given if (pair := _in_unit_of(asked, quantity)) is not None]
    if not comparable:
        return 0
    return 1 if any(_satisfies(asked, low, high) for low, high in comparable) else -1


def _in_unit_of(asked: Quantity, quantity: Quantity) -> tuple[float, float] | None:
    if asked.unit is None or quantity.unit is None:
        same_noun = asked.unit is quantity.unit and bool(set(asked.nouns[:2]) & set(quantity.nouns[:3]))
        same_number = asked.unit is quantity.unit and asked.low == quantity.low
        return (quantity.low, quantity.high) if same_noun or same_number else None
    low, high = convert(quantity.low, quantity.unit, asked.unit), convert(quantity.high, quantity.unit, asked.unit)
    return None if low is None or high is None else (low, high)


def _satisfies(asked: Quantity, low: float, high: float) -> bool:
    near = 0.02 * max(abs(asked.low), abs(asked.high))
    if low - near <= asked.low <= high + near or asked.low - near <= low <= asked.high + near:
        return True
    if asked.hedge in _MORE:
        return low > asked.low
    return asked.hedge in _LESS and high < asked.high
