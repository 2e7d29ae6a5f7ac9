"""Polarity cues: negations and absolute words."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import tokens_of

_NEGATION = re.compile(
    r"\b(?:not(?! (?:be |been )?(?:only|just|merely|solely|limited|necessarily)\b)|"
    r"no(?! later\b| less\b| more\b|\.)|never|without|neither|nor|"
    r"none|cannot|lacks?|lacked|fails?|failed|"
    r"excludes?|excluded|excluding|leaves? out|omits?|omitted|absent|unable|hardly|barely|scarcely|rarely|seldom|unlikely|"
    r"insufficient|impossible|"
    r"ignores?|ignored|neglects?|neglected|overlooks?|unclear|little|absence|contrary|yet to|"
    r"prevents?|prohibits?|restricted|lacking|miss(?:es|ed)?(?= (?:the|their|its|our|any)\b)|missing|no longer|"
    r"eliminates?|eliminated|outside|"
    r"nicht(?! nur\b)|keine?[rsnm]?|niemals|nie|ohne)\b|n['’]t\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:only|solely|always|never|all|every|any|entirely|completely|exclusively|purely|fully|none|no|"
    r"guarantees?d?|impossible|"
    r"cannot|regardless|negligible|eliminates?d?|identical|exactly|not(?! (?:only|just|merely)\b)|perfectly|"
    r"universally|immediately)\b|n['’]t\b",
    re.IGNORECASE,
)
_ONLY = frozenset({"only", "solely", "exclusively", "purely"})
_LIMITED = re.compile(
    r"(?<!not )(?<!not be )(?<!not been )\b(?:only|solely|exclusively|(?:limited|restricted|confined) to|leaves? out|"
    r"except(?: for)?)\b(?! limited)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[:;](?=\s)|\.\s")


def negates_any(text: str, stems: frozenset[str], reach: int = 3) -> bool:
    """Return whether a negation in `text` is at most `reach` words before a word of `stems`.

    >>> negates_any("It does not explicitly mention energy.", frozenset({"mention"}))
    True
    >>> negates_any("It mentions energy, but not in the annex.", frozenset({"mention"}))
    False
    """
    for match in _NEGATION.finditer(text):
        following = tokens_of(_CLAUSE_END.split(text[match.end() : match.end() + 60], maxsplit=1)[0])[:reach]
        if any(token.stem in stems for token in following):
            return True
    return False


def absolutes_in(text: str, shared: str = "") -> int:
    """Return the number of absolute words in `text` that are not in `shared`.

    >>> absolutes_in("Only one always works.")
    2
    """
    known = {match.lower() for match in _ABSOLUTE.findall(shared)}
    if known & _ONLY or _LIMITED.search(shared):
        known |= _ONLY
    return sum(match.lower() not in known for match in _ABSOLUTE.findall(text))
