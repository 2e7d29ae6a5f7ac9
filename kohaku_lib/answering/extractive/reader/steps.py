"""Questions that two values answer, each read by a question of its own: differences, sums and comparisons."""

from __future__ import annotations

import re
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


def steps_of(question: str) -> Steps | None:
    """Return the steps that answer a question; None if one value answers it.

    >>> steps_of("By how much did the rent rise from 2022 to 2023?").questions
    ('What was the rent in 2022?', 'What was the rent in 2023?')
    >>> steps_of("By how much was Ann's offer higher than that of Bob?").questions
    ("What was Ann's offer?", "What was Bob's offer?")
    >>> steps_of("How many more errors did Ann make than Bob?").questions
    ('How many errors did Ann make?', 'How many errors did Bob make?')
    >>> steps_of("How many apples and pears together were sold?").questions
    ('How many apples were sold?', 'How many pears were sold?')
    >>> claim = steps_of("Was the rent of the flat below 900 euros in 2023?")
    >>> claim.questions, claim.compute(850.0, 900.0), claim.stated
    (('What was the rent of the flat in 2023?',), 1.0, 900.0)
    """
    text = re.sub(r"^\s*true or false:\s*", "", question.strip(), flags=re.IGNORECASE)
    return next((steps for find in _FINDERS if (steps := find(text)) is not None), None)


def _change(text: str) -> Steps | None:
    match = _CHANGE.match(text)
    if match is None:
        return None
    asked = f"What was {match['what']} in {{}}{match['tail']}?"
    return Steps((asked.format(match["first"]), asked.format(match["last"])), _distance)


def _possessives(text: str) -> Steps | None:
    match = _POSSESSIVES.match(text)
    if match is None:
        return None
    return Steps(
        tuple(f"What was {owner}'s {match['what']}?" for owner in (match["one"], match["other"])),
        _distance,
    )


def _difference(text: str) -> Steps | None:
    match = _DIFFERENCE.match(text)
    if match is None:
        return None
    asked = f"What {match['aux']} the {match['what']} of {{}}?"
    return Steps((asked.format(match["one"]), asked.format(match["other"])), _distance)


def _more_than(text: str) -> Steps | None:
    match = _MORE_THAN.match(text) or _MORE_BEHIND.match(text)
    if match is None:
        return None
    verb = f" {match['verb']}" if match["verb"] else ""
    asked = f"{match['ask']} {match['what']} {match['aux']} {{}}{verb}{match['tail']}?"
    return Steps((asked.format(match["one"]), asked.format(match["other"])), _distance)


def _together(text: str) -> Steps | None:
    match = _TOGETHER.match(text)
    if match is None:
        return None
    asked = f"{match['before']} {{}} {match['after']}"
    return Steps((asked.format(match["one"]), asked.format(match["other"])), lambda one, other: one + other)


def _bounded(text: str) -> Steps | None:
    match = _BOUNDED.match(text) or _BOUNDED_STATEMENT.match(text)
    if match is None:
        return None
    quantity = next(iter(quantities_in(match["bound"])), None)
    if quantity is None or quantity.low != quantity.high:
        return None
    what = re.sub(r"^(?:The|A|An|Our|Its|Their)\b", lambda word: word[0].lower(), match["what"])
    asked = f"What {match['aux'].lower()} {what}{match['tail'].rstrip('?. ')}?"
    unit = match["bound"].lstrip("0123456789., ") or None
    return Steps((asked,), _COMPARED[_sign(match["sign"])], quantity.low, unit)


def _distance(one: float, other: float) -> float:
    return float(f"{abs(one - other):.10g}")


def _sign(words: str) -> str:
    return next(sign for sign, forms in _SIGNS.items() if words.lower() in forms)


def _number(value: str) -> float | None:
    found = list(quantities_in(value))
    return found[0].low if len(found) == 1 and found[0].low == found[0].high else None


_FINDERS = (_change, _possessives, _difference, _more_than, _together, _bounded)
_CHANGE = re.compile(
    r"by how (?:much|many) did (?P<what>.+?) (?:rise|fall|grow|drop|increase|decrease|shrink|change|climb|decline)"
    r" (?:from|between) (?:(?:in|the year) )?(?P<first>[^?]+?) (?:to|and) (?P<last>\S+(?: \d{4})?)(?P<tail>[^?]*)\?$",
    re.IGNORECASE,
)
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
_MORE_THAN = re.compile(
    r"(?P<ask>how (?:many|much)) (?:more|fewer|less) (?P<what>.+?) (?P<aux>do|does|did) (?P<one>.+?) (?P<verb>\w+)"
    r"(?P<tail>[^?]*?) than (?P<other>[^?]+?)(?: (?:did|does|do))?\?$",
    re.IGNORECASE,
)
_MORE_BEHIND = re.compile(
    r"(?P<ask>how (?:many|much)) (?P<what>.+?) (?:more|fewer|less) than (?P<other>.+?) (?P<aux>do|does|did)"
    r" (?P<one>.+?) (?P<verb>\w+)(?P<tail>[^?]*?)\?$",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"(?P<before>(?:for how much|how much|how many|what)\b.*?) ?\b(?P<one>[\w-]+) and (?P<other>[\w-]+)"
    r" (?:together|combined|taken together) (?P<after>[^?]+\?)$",
    re.IGNORECASE,
)
_SIGNS = {
    "<": ("below", "under", "less than", "lower than", "fewer than", "smaller than", "shorter than"),
    ">": ("above", "over", "more than", "higher than", "greater than", "larger than", "longer than"),
    "<=": ("at most", "no more than"),
    ">=": ("at least", "no less than"),
}
_COMPARED: dict[str, Compute] = {
    "<": lambda value, bound: float(value < bound),
    ">": lambda value, bound: float(value > bound),
    "<=": lambda value, bound: float(value <= bound),
    ">=": lambda value, bound: float(value >= bound),
}
_SIGN = "|".join(form for forms in _SIGNS.values() for form in forms)
_BOUND = r"(?P<bound>[£$€]?\d[\d,.]*(?: ?(?:%|million|billion|thousand|[a-z²³°/]+))?)"
_BOUNDED = re.compile(
    rf"(?P<aux>is|was|are|were) (?P<what>.+?) (?P<sign>{_SIGN}) {_BOUND}(?P<tail>(?: (?:in|on|at|for|during)\b[^?]*)?)\?$",
    re.IGNORECASE,
)
_BOUNDED_STATEMENT = re.compile(
    rf"(?P<what>.+?) (?P<aux>is|was|are|were) (?P<sign>{_SIGN}) {_BOUND}(?P<tail>(?: (?:in|on|at|for|during)\b.*?)?)\.?$",
    re.IGNORECASE,
)
