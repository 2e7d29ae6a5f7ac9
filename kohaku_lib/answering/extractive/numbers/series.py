"""Pair the numbers of a series with their names."""

from __future__ import annotations

import re
from functools import lru_cache

from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in


@lru_cache(maxsize=4096)
def paired_names(text: str) -> dict[int, str]:
    """Return the name that each number of a series belongs to, by the number's start.

    The last numbers before "respectively" are paired in order with the nearest preceding series of as many names; if
    several numbers are followed by "of", "for" or "in" and a name, each is paired with that name. Two numbers joined by
    "vs." are those of the two things that follow with "for".

    >>> paired_names("Two venues (ACL and CVPR) hold a share of 10% and 20%, respectively.")
    {42: 'ACL', 50: 'CVPR'}
    >>> paired_names("The accuracy was 71.2% vs. 83.6% for Lektor 5 and PaperEye.")
    {17: 'Lektor 5', 27: 'PaperEye'}
    >>> paired_names("Lektor 5 and PaperEye took 1.9 and 0.7 seconds, respectively.")
    {27: 'Lektor 5', 35: 'PaperEye'}
    >>> paired_names("It is 90% of ACL papers and 75% of CVPR papers.")
    {6: 'ACL', 28: 'CVPR'}
    """
    followed = {one.start: match.group(1) for one in quantities_in(text) if (match := _FOLLOWED.match(text, one.end))}
    pairs = followed if len(followed) > 1 else {}
    for match in _RESPECTIVELY.finditer(text):
        values = _series_before(text, match.start())
        names = _names_before(text, values[0].start, len(values)) if len(values) > 1 else []
        pairs |= {value.start: name for value, name in zip(values, names, strict=False)}
    for match in _VERSUS.finditer(text):
        values = [one for one in quantities_in(text) if match.start() <= one.start < match.end(1)]
        if len(values) == 2 and len({match[2], match[3]}) == 2:
            pairs |= {values[0].start: match[2], values[1].start: match[3]}
    return pairs


_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_WORD = r"(?:[A-Z](?:[\w.-]*\w)?|\d[\w.]*[A-Za-z]\w*|(?:19|20)\d{2})"
_NAME = rf"(?!(?:The|In|For|Both|On|At|With|Of|From|Our)\b)(?>{_WORD}(?: (?:{_WORD}|\d{{1,3}}(?![\w.,%])))*)"
_NAMES = re.compile(rf"{_NAME}(?:, (?:the )?{_NAME})*,? (?:and|or|vs\.?) (?:the )?{_NAME}")
_FOLLOWED = re.compile(rf"\s*(?:of|for|in|on|by|with) (?:the )?({_NAME})")
_THING = r"(?:\w[\w-]*(?: (?!and\b)\w[\w-]*){0,3})"
_VERSUS = re.compile(
    rf"(?<![\w.])(\S{{1,12}}(?: \w+)? (?:vs\.?|versus|and) \S{{1,12}}(?: \w+)?) (?:for|with|in) "
    rf"(?:the )?({_THING}) and (?:the )?({_THING})"
)
_PHRASE = r"(?:\b(?!(?:and|or|the|for|of|in|is|are|was|were|to|with|at|both|between)\b)[A-Za-z][\w-]*)"
_PHRASES = re.compile(
    rf"({_PHRASE}(?: {_PHRASE}){{0,2}}) (?:and|or|vs\.?) (?:the |for )?({_PHRASE}(?: {_PHRASE}){{0,2}})"
)
_BETWEEN = re.compile(r"(?:\s?\[\d+\])?[\s,;%]*(?:(?:and|or)\b)?[\s$€£~≈]*(?:about |around )?")
_MAX_TAIL_CHARS = 40  # maximum characters between the last number and the word


def _series_before(text: str, end: int) -> list[Quantity]:
    """Return the contiguous series of numbers that ends shortly before `end`."""
    series: list[Quantity] = []
    for quantity in reversed([one for one in quantities_in(text) if one.end <= end and not one.decorated]):
        if not series and end - quantity.end > _MAX_TAIL_CHARS:
            break
        if series and not _BETWEEN.fullmatch(text[quantity.end : series[0].start]):
            break
        series.insert(0, quantity)
    return series


def _names_before(text: str, end: int, count: int) -> list[str]:
    for match in reversed(list(_NAMES.finditer(text[:end]))):
        names = re.split(r",? (?:and|or|vs\.?) (?:the )?|, (?:the )?", match.group())
        if len(names) == count:
            return names
    return _phrases_before(text, end) if count == 2 else []


def _phrases_before(text: str, end: int) -> list[str]:
    """Return the two phrases joined by "and" closest before `end`, without their common words."""
    found = list(_PHRASES.finditer(text[:end]))
    if not found:
        return []
    one, other = (match.split() for match in found[-1].groups())
    return [" ".join(word for word in one if word not in other), " ".join(word for word in other if word not in one)]
