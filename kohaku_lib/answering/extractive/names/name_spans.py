"""Spans of a sentence that may be names or terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.answering.extractive.text import carries_content


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A candidate name and the strength of the pattern that matched it."""

    text: str
    start: int
    end: int
    pattern: float


@lru_cache(maxsize=4096)
def name_spans(text: str) -> tuple[NameSpan, ...]:
    """Return candidate names in `text`: defined, introduced or quoted terms, capitalised runs, words with digits.

    >>> [span.text for span in name_spans("We present the ML.ENERGY Benchmark, a suite.")]
    ['ML.ENERGY Benchmark']
    """
    return tuple(_name_spans(text))


_UNITS = r"[kMGTm]?(?:Wh|W|J|B|g|s|L|Hz)(?:/\w+)?"
_CAPITAL = (
    r"(?:[A-Z]\.(?=\s[A-ZÀ-ÖØ-Þ])|[A-ZÀ-ÖØ-Þ][\w]*(?:[.\-’'/&][\w]+)*|"
    r"[a-z]+[A-Z]\w*|[A-Za-z]+-?\d[\w.]*\w|[A-Za-z]+\d)"
)
_JOINT = r"(?:of|of the|for|the|and|de|von|van|der|di|da|del|du|la|le|al)"
_RUN = rf"{_CAPITAL}(?:(?:\s|\s?-\s?)(?:{_JOINT}\s(?={_CAPITAL}))?(?:{_CAPITAL}|\d+(?:\.\d+)?[A-Za-z]*\b))*"
_PATTERNS: tuple[tuple[re.Pattern[str], float], ...] = (
    (
        re.compile(
            rf"\b(?:called|named|known as|termed|dub(?:bed)?|titled|entitled|referred to as|coined)\s+(?:the\s+|"
            rf"as\s+)?[\"“‘']?({_RUN}|[a-z][\w-]+(?:\s[a-z][\w-]+)?)"
        ),
        0.5,
    ),
    (
        re.compile(
            rf"\b(?:[Pp]resent|[Ii]ntroduce|[Pp]ropose|[Dd]evelop|[Rr]elease)(?:s|d|ed)?\s+(?:the\s+|a\s+|an\s+|"
            rf"our\s+)?({_RUN})"
        ),
        0.35,
    ),
    (
        re.compile(
            r"(?:^|[.;●•]\s*)([A-Z][\w-]+(?:\s[\w-]+){0,3}?)(?=(?:\s\([\w-]+\))?(?::\s?[A-Z]\w+ (?:is|are) defined\b|"
            r"\s(?:is|are) defined\b|\srefers to\b|\smeans\b))"
        ),
        0.5,
    ),
    (re.compile(r"(?:^|[●•]\s*)([A-Z][\w-]+(?:\s[\w-]+){0,3}?)(?=(?:\s\([\w-]+\))?:\s?(?:[A-Z]|a |an |the ))"), 0.2),
    (
        re.compile(
            r"^([A-Z][\w-]+(?:\s[a-z][\w-]+){1,2}?)(?=\s(?:is|are)\s(?:\w+ly\s)?(?:used|an?|the|known|defined)\b)"
        ),
        0.2,
    ),
    (re.compile(r"[\"“‘]([^\"”’]{3,60}?)[\"”’](?!\w)"), 0.2),
    (re.compile(rf"(?<![\w.-])((?>{_RUN}))(?=,? (?:is|was) an? |(?: \([\w-]+\))?, an? )"), 0.25),
    (re.compile(rf"(?<![\w.-])({_RUN})"), 0.1),
)
_TRAILING_AMOUNT = re.compile(rf"\s\d[\d.,]*\s(?:{_UNITS})$")
_TRAILING_DATE = re.compile(
    r"(?<=\w)[ ,]*(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,4})?$"
)
_CITATION_AFTER = re.compile(r"\s*(?:et al|and [A-Z]\w+,? \(?\d{4}|,?\s*\(?(?:19|20)\d{2}[a-z]?\)|\s&\s)")
_POSSESSIVE = re.compile(r"['’]s?$")
_NOUN_AFTER = re.compile(r"\s[a-z]")
_LEADING = re.compile(
    r"^(?:(?:the|a|an|The term|[Tt]erm|The|A|An|In|On|At|For|From|With|By|We|Our|This|These|Those|It|Its|However|"
    r"Moreover|While|When|As|To|Although|Both|"
    r"Since|If|Such|Each|Additionally|Furthermore|Similarly|Figure|Fig|Table|Section|Thus|Then|Here|There|Their|"
    r"Many|Most|Some|"
    r"After|Under|And|But|Or|Also|All|Using|Given|Based|First|Second|Finally|Given|No|Not|They|Because|Note|"
    r"Recent|Despite|Overall|Appendix|Equation|Eq)\b[\s,]*)+"
)


_AND = re.compile(r"\sand\s")
_CONJUNCTION_PENALTY = 0.1  # penalty of two names joined by "and" against each alone


def _name_spans(text: str) -> Iterator[NameSpan]:
    seen: set[tuple[int, int]] = set()
    for pattern, strength in _PATTERNS:
        for match in pattern.finditer(text):
            for start, end, penalty in _split_conjunction(text, *match.span(1)):
                span = _trim(text, start, end)
                if span is None or span in seen:
                    continue
                seen.add(span)
                if not _CITATION_AFTER.match(text, span[1]):
                    yield NameSpan(text[span[0] : span[1]], *span, strength - penalty)


def _split_conjunction(text: str, start: int, end: int) -> list[tuple[int, int, float]]:
    """Return the whole span and its parts around "and", each with its penalty."""
    joint = _AND.search(text, start, end)
    if joint is None:
        return [(start, end, 0.0)]
    return [(start, end, _CONJUNCTION_PENALTY), (start, joint.start(), 0.0), (joint.end(), end, 0.0)]


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    lead = _LEADING.match(piece)
    start += lead.end() if lead else 0
    piece = _TRAILING_DATE.sub("", text[start:end])
    piece = _TRAILING_AMOUNT.sub("", piece.rstrip(" ,.;:-"))
    piece = _POSSESSIVE.sub("", piece) if _NOUN_AFTER.match(text, end) else piece
    end = start + len(piece)
    if len(piece) < 2 or piece.isdigit() or not carries_content(piece):
        return None
    return start, end
