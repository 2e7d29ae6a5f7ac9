"""Questions that ask for several names, and the enumeration in a sentence that holds them."""

from __future__ import annotations

import re


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for more than one name.

    >>> [asks_for_several(text) for text in ("Which towns are served?", "Who were the speakers?", "Which bus stops there?")]
    [True, True, False]
    """
    return _SEVERAL.search(question) is not None


def enumeration_at(text: str, start: int, end: int) -> list[str]:
    """Return the names of the enumeration that overlaps `text[start:end]`, in order; [] if there is none.

    >>> enumeration_at("Shops in York, Hull and New Malton are planned.", 9, 13)
    ['York', 'Hull', 'New Malton']
    >>> enumeration_at("Grants went to York (£900), Hull with £1,200 and Malton with £950.", 15, 19)
    ['York', 'Hull', 'Malton']
    """
    for match in _ENUMERATION.finditer(text):
        if match.start() < end and start < match.end():
            return [item["name"] for item in _ITEM.finditer(match[0])]
    return []


_PLURAL = r"\w+(?<![sui])s\b"
_SEVERAL = re.compile(
    r"\b(?:which|what|welche[nr]?) (?:(?:two|three|four|five|six|\d|zwei|drei|vier) )?"
    rf"(?!(?:has|was|does|series|news)\b)(?:{_PLURAL}(?! the\b)|\w+ {_PLURAL} (?:are|were|do|did|have|had|can|will)\b)"
    r"|\bwho (?:were|are|sits? on|is on)\b|^\s*wer (?:sind|waren|sitzt|saß)\b"
    r"|\bwelche \w+ (?:sind|waren|haben|hatten|werden|wurden|gehören|kommen|können|gibt)\b"
    r"|\bwhich (?:\w+ )?(?:people|men|women|children)\b|\bname (?:the|all|two|three)\b",
    re.IGNORECASE,
)
_NAME = r"[^\W\d_a-zß-ÿ](?:[\w’'-]|\.(?=\w))*(?: (?:& |of |de |van |von )?[^\W\d_a-zß-ÿ][\w’'-]*)*"
_AMOUNT = r"(?:,? (?:(?:with|at|for|by|mit|zu|für) )?\(?[£$€]?\d[\d.,]*(?<![.,])(?: ?(?:%|€|[a-zä-ü]+))?\)?)?"
_ITEM = re.compile(rf"(?P<name>{_NAME}){_AMOUNT}")
_ENUMERATION = re.compile(rf"{_NAME}{_AMOUNT}(?:, {_NAME}{_AMOUNT})*,? (?:and|und|or|oder) {_NAME}{_AMOUNT}")
