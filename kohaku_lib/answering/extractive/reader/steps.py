"""Questions that two values answer, each read by a question of its own: differences and sums."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_number
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.values import parse_value


@dataclass(frozen=True, slots=True)
class Steps:
    """The questions whose two values are put together, and how."""

    questions: tuple[str, ...]
    compute: Callable[[float, float], float]

    def result(self, found: Sequence[Finding | None]) -> Finding | None:
        """Return what the values give, with both quotes; None if one of them was not found or is no number."""
        read = [one for one in found if one is not None]
        numbers = [number for one in read if (number := _number(one.value)) is not None]
        if len(numbers) < len(self.questions):
            return None
        return Finding(
            format_number(self.compute(*numbers)),
            " … ".join(dict.fromkeys(one.quote for one in read)),
            tuple(dict.fromkeys(document for one in read for document in one.document_ids)),
            reduce(lambda product, one: product * one.confidence, read, 1.0),
        )


def steps_of(question: str) -> Steps | None:
    """Return the steps that answer a question; None if one value answers it.

    >>> steps_of("By how much was Ann's offer higher than that of Bob?").questions
    ("What was Ann's offer?", "What was Bob's offer?")
    >>> steps_of("What is the difference between the price of the van and that of the bus?").questions
    ('What is the price of the van?', 'What is the price of the bus?')
    >>> steps_of("How many apples and pears together were sold?").questions
    ('How many apples were sold?', 'How many pears were sold?')
    """
    for pattern, asked, compute in _KINDS:
        match = pattern.match(question.strip())
        if match is not None:
            parts = match.groupdict()
            return Steps(tuple(asked.format(parts[name], **parts) for name in ("one", "other")), compute)
    return None


def _number(value: str) -> float | None:
    found = quantities_in(value)
    return found[0].low if len(found) == 1 and not found[0].is_range and parse_value(value).kind != "range" else None


def _distance(one: float, other: float) -> float:
    return float(f"{abs(one - other):.10g}")


_POSSESSIVES = re.compile(
    r"by how much (?:is|was|were) (?P<one>[^?]+?)['’]s? (?P<what>[^?]+?) "
    r"(?:higher|lower|more|less|larger|smaller|greater|dearer|cheaper|longer|shorter|above|below)(?: expensive)?"
    r" (?:than )?(?:that of |those of )?(?P<other>[^?]+?)(?:['’]s?)?\?$",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"what (?P<aux>is|was) the difference between the (?P<what>[^?]+?) of (?P<one>[^?]+?) and (?:the (?P=what) of |that of )?"
    r"(?P<other>[^?]+?)\?$",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"(?P<before>(?:for how much|how much|how many|what)\b.*?) ?\b(?P<one>[\w-]+) and (?P<other>[\w-]+)"
    r" (?:together|combined|taken together) (?P<after>[^?]+\?)$",
    re.IGNORECASE,
)
_KINDS = (
    (_POSSESSIVES, "What was {0}'s {what}?", _distance),
    (_DIFFERENCE, "What {aux} the {what} of {0}?", _distance),
    (_TOGETHER, "{before} {0} {after}", float.__add__),
)
