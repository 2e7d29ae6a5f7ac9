"""Questions for a difference or a sum of two values."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.reader.steps.steps import Steps


def find_difference(text: str) -> Steps | None:
    """Return the steps of a question for the change, the difference or the sum of two values; None if it asks for none."""
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


def _distance(one: float, other: float) -> float:
    return float(f"{abs(one - other):.10g}")


_FINDERS = (_change, _possessives, _difference, _more_than, _together)
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
