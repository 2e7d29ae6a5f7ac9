"""Claims that compare a value with a stated bound or with another value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.reader.steps.steps import Compute, Steps


def find_comparison(text: str) -> Steps | None:
    """Return the steps of a claim or a yes-or-no question that compares two values; None if it compares none."""
    return next((steps for find in _FINDERS if (steps := find(text)) is not None), None)


def _compared(text: str) -> Steps | None:
    """Find "Was the fee of 2024 below that of 2023?"; a year alone takes the place of the other's."""
    match = _COMPARISON.match(text) or _COMPARISON_STATEMENT.match(text)
    if match is None:
        return None
    one, other = match["one"], match["other"]
    year = _YEAR.search(one)
    second = one.replace(year[0], other) if year and _YEAR.fullmatch(other) else other
    asked = f"What {match['aux'].lower()} {_in_sentence(match['what'])} {match['prep']} {{}}?"
    return Steps((asked.format(one), asked.format(second)), _COMPUTE[_sign(match["sign"])])


def _bounded(text: str) -> Steps | None:
    """Find "Was the fee below 90 euros in 2023?"."""
    match = _BOUNDED.match(text) or _BOUNDED_STATEMENT.match(text)
    if match is None:
        return None
    asked = f"What {match['aux'].lower()} {_in_sentence(match['what'])}{match['tail'].rstrip('?. ')}?"
    return _with_bound(asked, match)


def _lasting(text: str) -> Steps | None:
    """Find "The tour lasted longer than two hours"."""
    match = _LASTING.match(text)
    if match is None:
        return None
    verb, ask = _VERBS[match["verb"].lower()]
    return _with_bound(f"{ask} {_in_sentence(match['what'])} {verb}?", match)


def _with_bound(asked: str, match: re.Match[str]) -> Steps | None:
    quantity = next(iter(quantities_in(match["bound"])), None)
    if quantity is None or quantity.low != quantity.high:
        return None
    unit = _NUMBER.sub("", match["bound"]).strip() or None
    return Steps((asked,), _COMPUTE[_sign(match["sign"])], quantity.low, unit)


def _in_sentence(what: str) -> str:
    return re.sub(r"^(?:The|A|An|Our|Its|Their)\b", lambda word: word[0].lower(), what)


def _sign(words: str) -> str:
    return next(sign for sign, forms in _SIGNS.items() if words.lower() in forms)


_SIGNS = {
    "<": ("below", "under", "less than", "lower than", "fewer than", "smaller than", "shorter than"),
    ">": ("above", "over", "more than", "higher than", "greater than", "larger than", "longer than"),
    "<=": ("at most", "no more than"),
    ">=": ("at least", "no less than"),
}
_COMPUTE: dict[str, Compute] = {
    "<": lambda value, bound: float(value < bound),
    ">": lambda value, bound: float(value > bound),
    "<=": lambda value, bound: float(value <= bound),
    ">=": lambda value, bound: float(value >= bound),
}
_FINDERS = (_compared, _bounded, _lasting)
_VERBS = {
    form: (verb, f"{ask} {aux}")
    for verb, ask, forms in (
        ("last", "How long", {"lasts": "does", "lasted": "did"}),
        ("take", "How long", {"takes": "does", "took": "did"}),
        ("cost", "How much", {"costs": "does", "cost": "did"}),
        ("weigh", "How much", {"weighs": "does", "weighed": "did"}),
    )
    for form, aux in forms.items()
}
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_NUMBER = re.compile(rf"[\d.,]+|\b(?:{_WORDS})\b", re.IGNORECASE)
_SIGN = "|".join(form for forms in _SIGNS.values() for form in forms)
_BOUND = (
    rf"(?P<bound>[£$€]?(?:\d[\d,.]*|{_WORDS})"
    r"(?: ?(?:%|million|billion|thousand|[a-z²³°/]+))?)"
)
_TAIL = r"(?P<tail>(?: (?:in|on|at|for|during)\b[^?]*?)?)"
_TWO = (
    rf"(?P<what>.+?) (?P<prep>of|in|for|at) (?P<one>[^?]+?){{aux}} (?P<sign>{_SIGN}) (?:that|those|the ones?) (?:of|in|for|at)"
    r" (?P<other>[^?]+?)"
)
_AUX = r"(?P<aux>is|was|are|were)"
_COMPARISON = re.compile(rf"{_AUX} {_TWO.format(aux='')}\?$", re.IGNORECASE)
_COMPARISON_STATEMENT = re.compile(rf"{_TWO.format(aux=f' {_AUX}')}\.?$", re.IGNORECASE)
_BOUNDED = re.compile(rf"{_AUX} (?P<what>.+?) (?P<sign>{_SIGN}) {_BOUND}{_TAIL}\?$", re.IGNORECASE)
_BOUNDED_STATEMENT = re.compile(rf"(?P<what>.+?) {_AUX} (?P<sign>{_SIGN}) {_BOUND}{_TAIL}\.?$", re.IGNORECASE)
_LASTING = re.compile(rf"(?P<what>.+?) (?P<verb>{'|'.join(_VERBS)}) (?P<sign>{_SIGN}) {_BOUND}\.?$", re.IGNORECASE)
