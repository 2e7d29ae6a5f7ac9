"""Words, stems and sentences with their places in the text, as the extractive reader sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """Return the words of `text`, which blanks and line ends part.

    >>> sorted(words("most highest"))
    ['highest', 'most']
    """
    return frozenset(text.split())


STOP_WORDS = words(
    """a about above according after again all also among an and any are as at be because been before being below
    between both but by can could did do does doing done during each either for from further had has have having he
    her here his how however i if in into is it its itself just may many me might more most much my no nor not of off on
    once one only or other our out over own per same she should so some such than that the their them then there
    these they this those through to too under until up upon us use used using very was we were what when where
    whether which while who whom whose why will with within would you your
    s t true false"""
)

COMPARATIVES = frozenset({"more", "most", "above", "below", "before", "after", "same"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its stem, its surface, and where it stands."""

    stem: str
    surface: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words and numbers of `text` in order, hyphenated words in parts.

    >>> [token.stem for token in tokens_of("GPT-3 consumed 1,287 MWh.")]
    ['gpt', '3', 'consum', '1287', 'mwh']
    """
    return tuple(_token(match) for match in _WORD.finditer(text))


def content_stems(text: str) -> list[str]:
    """Return the stems of `text` without stop words, in order, each once.

    >>> content_stems("What were the emissions of the model?")
    ['emit', 'model']
    """
    stems = (token.stem for token in tokens_of(text) if token.surface.lower() not in STOP_WORDS)
    return list(dict.fromkeys(stems))


@lru_cache(maxsize=65536)
def stem_of(word: str) -> str:
    """Return `word` in lower case without its inflection: enough to match forms of one word, no more.

    >>> [stem_of(word) for word in ("training", "trained", "trains", "studies", "study", "GPUs", "less")]
    ['train', 'train', 'train', 'studi', 'studi', 'gpu', 'less']
    """
    low = word.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    if _GAS.match(low):
        return "co2"
    if low[:1].isdigit():
        return low.replace(",", "").rstrip(".")
    for suffix, replacement, keep in _SUFFIXES:
        if low.endswith(suffix) and len(low) - len(suffix) >= keep:
            return _trimmed(low[: len(low) - len(suffix)] + replacement, suffix)
    return _trimmed(low, "")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of every sentence of `text`; a row of a table is a sentence.

    >>> text = "See Fig. 2 of Wu et al. for 3.5 MWh. It is large."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['See Fig. 2 of Wu et al. for 3.5 MWh.', 'It is large.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if not _breaks(text, start, match):
            continue
        _append_span(spans, text, start, max(match.start(), match.end(1)))
        start = match.end()
    _append_span(spans, text, start, len(text))
    return spans


_WORD = re.compile(
    r"(?<!\w)(?:[kMG]?[gt])?CO\s?[2₂](?:\s?-?\s?(?:eq(?:uivalents?)?|e))?(?!\w)|\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+(?=[xX][\dA-Z])|\d+[A-Za-z]*|"
    r"[A-Z]{3,}(?=[a-z]{3,})|FY(?=(?:19|20)\d\d)|(?!(?<=\d)[xX][\dA-Z])[^\W\d_]+(?:['’][^\W\d_]+)?(?:\d+(?=[xX]\d)|\d*)"
)
_GAS = re.compile(r"(?:[kmg]?[gt])?co\s?[2₂]")
_BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)[ \t]+(?=[\"'“‘(\[]?[A-Z0-9•●])|[ \t]*\n\s*|[ \t]+(?=[•●])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:et al|fig|figs|eq|eqs|sec|tab|ref|refs|vs|e\.g|i\.e|cf|no|approx|dr|mr|mrs|prof|inc|corp|ca|resp|u\.s|"
    r"(?<!\d\s)[A-Z])\.)$",
    re.IGNORECASE,
)
_SUFFIXES = (  # a noun meets its verb or adjective: consumption and consume, efficiency and efficient
    ("umptions", "um", 2),
    ("umption", "um", 2),
    ("uctions", "uc", 2),
    ("uction", "uc", 2),
    ("issions", "it", 2),
    ("ission", "it", 2),
    ("izations", "iz", 3),
    ("ization", "iz", 3),
    ("ments", "", 4),
    ("ment", "", 4),
    ("ency", "ent", 3),
    ("encies", "ent", 3),
    ("sses", "ss", 2),
    ("ies", "i", 2),
    ("ss", "ss", 1),
    ("is", "is", 2),
    ("ations", "ate", 3),
    ("ation", "ate", 3),
    ("ings", "", 3),
    ("ing", "", 3),
    ("edly", "", 3),
    ("ed", "", 3),
    ("ly", "", 4),
    ("es", "e", 3),
    ("s", "", 2),
)


def _token(match: re.Match[str]) -> Token:
    return Token(stem_of(match.group()), match.group(), match.start(), match.end())


def _trimmed(stem: str, suffix: str) -> str:
    if suffix in {"ing", "ings", "ed", "edly"} and len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        stem = stem[:-1]
    if stem.endswith("y") and len(stem) > 3:
        return stem[:-1] + "i"
    return stem[:-1] if stem.endswith("e") and len(stem) > 3 else stem


def _breaks(text: str, start: int, match: re.Match[str]) -> bool:
    if "\n" not in match.group():
        return not _ABBREVIATION.search(text[start : match.start()])
    line = text[start : match.start()].rsplit("\n", 1)[-1]
    return not (_is_wrapped(line) and text[match.end() : match.end() + 1] not in "|•●")


def _is_wrapped(line: str) -> bool:
    """Say whether a line ends because the page did: long, wordy, and in the middle of a sentence."""
    words = line.split()
    numeric = sum(any(sign.isdigit() for sign in word) for word in words)
    return len(line) >= 45 and numeric * 4 < len(words) and line[-1] not in ".!?:;|"


def _append_span(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if right > left:
        spans.append((left, right))
