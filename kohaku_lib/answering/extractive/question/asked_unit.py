"""The unit requested by the words of a question."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.text import content_stems, tokens_of
from kohaku_lib.tables import Question
from kohaku_lib.text.units import SCALES, Unit


def unit_in(text: str) -> Unit | None:
    """Return the unit named in a question: "how many times more", "percentage", "in kWh", "how many boats".

    >>> unit_in("How much is it, in MWh?").measure, unit_in("How many boats are left?").measure
    ('energy', 'noun:boat')
    >>> [unit_in(f"How many {what}?").measure for what in ("times more is it", "times did it ring", "km were run in week 8")]
    ['multiplier', 'noun:time', 'length']
    """
    if asks_for_ratio(text):
        return Unit("multiplier")
    if re.search(r"\bpercent(?:age)?\b", text, re.IGNORECASE):
        return Unit("percent")
    if re.search(r"\bhow many times\b", text, re.IGNORECASE):
        return Unit("noun:time")
    match = _HOW_MANY.search(text)
    counted = parse_unit(match.group(1)) if match else None
    if counted is not None and not counted.is_noun:
        return counted
    named = (_parse_known_unit(match.group(1)) for match in _IN_UNIT.finditer(text))
    return next(filter(None, named), counted)


def asks_for_ratio(text: str) -> bool:
    """Return whether a question asks how many times as much one thing is as another, rather than how often one happens.

    >>> asks_for_ratio("How many times larger is it?"), asks_for_ratio("How many times did it ring?")
    (True, False)
    """
    return _RATIO.search(text) is not None


def states_unit(text: str) -> bool:
    """Return whether the question states the unit of its answer, as in "…, in tonnes?" or "Answer in USD millions."."""
    return any(_parse_known_unit(match.group(1)) for match in _STATED_UNIT.finditer(text))


def unit_stems(question: Question, unit: Unit | None) -> frozenset[str]:
    """Return the stems of the requested unit and of the question's words for the same measure."""
    words = [token.surface for token in tokens_of(question.text)]
    same = [word for word in words if unit is not None and not unit.is_noun and _has_measure(word, unit)]
    return frozenset(content_stems(" ".join([question.unit or "", *same])))


_HOW_MANY = re.compile(
    r"\bhow many (?:of (?:the|these|those|its|his|her|their|our|my) )?((?:[\w.-]+\s+){0,4}?[\w-]+)"
    r"(?=\s+(?:of|in|did|do|does|were|was|are|is|can|could|have|has|had|"
    r"from|per|would|will|to|on|for|by|that|which|must|should|shall|may|might|before|after|until|with|at|between|an?|the|there"
    r"|each|every)\b|\s*\?|\s*,|$)",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"\bhow many times (?:(?:is|was) (?:it|this|that) )?(?:as|more|less|fewer|the"
    r"|(?!per\b|after\b|over\b|under\b|other\b|n?ever\b|her\b)\w+er)\b|\b(?:by )?what (?:factor|multiple)\b",
    re.IGNORECASE,
)
_UNIT_WORDS = r"((?:[A-Za-z$%/²³₂0-9-]+)(?:\s(?:of|per)\s[\w₂-]+|\s[\w₂-]+)?)"
_IN_UNIT = re.compile(rf"(?:\bin\s+|\((?:in\s+)?)(?!time\b|\S+\s\d){_UNIT_WORDS}", re.IGNORECASE)
_STATED_UNIT = re.compile(
    rf"(?:[,(]\s*(?:measured\s+|expressed\s+)?|\b(?:answer|respond|reply)\s+)in\s+{_UNIT_WORDS}", re.IGNORECASE
)


def _has_measure(word: str, unit: Unit) -> bool:
    known = parse_unit(word)
    return known is not None and known.measure == unit.measure


def _parse_known_unit(text: str) -> Unit | None:
    words = text.split()
    for count in range(len(words), 0, -1):
        unit = parse_unit(" ".join(words[:count]))
        if unit is not None and "noun:" not in unit.measure and len(words[0]) > 1 and words[0].lower() not in SCALES:
            return unit
        if unit is not None and words[0].lower() in SCALES and count > 1 and "noun:" not in unit.measure:
            return unit
    return None
