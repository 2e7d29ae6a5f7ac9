"""The questions whose values give the answer to another one, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_number
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in

Compute = Callable[[float, float], float | None]


@dataclass(frozen=True, slots=True)
class Steps:
    """The questions whose values are put together, and how; a comparison states its second value and unit itself."""

    questions: tuple[str, ...]
    compute: Compute
    stated: float | None = None
    unit: str | None = None

    def result(self, found: Sequence[Finding | None]) -> Finding | None:
        """Return what the values give, with both quotes; None if one of them was not found or they do not compare."""
        read = [one for one in found if one is not None]
        values = [_number(one.value) for one in read] + ([] if self.stated is None else [self.stated])
        if len(read) < len(self.questions) or len(values) != 2 or values[0] is None or values[1] is None:
            return None
        value = self.compute(values[0], values[1])
        if value is None:
            return None
        return Finding(
            format_number(value),
            " … ".join(dict.fromkeys(one.quote for one in read)),
            tuple(dict.fromkeys(document for one in read for document in one.document_ids)),
            reduce(lambda product, one: product * one.confidence, read, 1.0),
        )


def _number(value: str) -> float | None:
    found = list(quantities_in(value))
    return found[0].low if len(found) == 1 and found[0].low == found[0].high else None
