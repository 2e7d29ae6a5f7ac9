"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from kohaku_lib.text.abbreviations import ends_in_abbreviation

Span = tuple[int, int]


def sentence_spans(text: str, language: str | None = None) -> list[Span]:
    """Return the offsets (start, end) of the sentences of `text`, in order, without surrounding whitespace.

    The boundaries are those of sentencex for the `language` (an ISO 639-1 code; English where it is unknown), without
    those after abbreviations and initials, inside numbers and before a lower-case continuation; a sentence also ends
    behind the mark of a note and between the items of a list. Thai and Lao, which mark no end but leave a blank there,
    are cut at double blanks and at the first blank after 100 characters. A blank text has no sentence; without a
    boundary the text is one.

    >>> text = "Wu et al. (2021) use 3.5 kWh, cf. Fig. 2. See No. 5 of the list. No. It is less."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Wu et al. (2021) use 3.5 kWh, cf. Fig. 2.', 'See No. 5 of the list.', 'No.', 'It is less.']
    """
    language = language or "en"
    found = {*_sentencex_cuts(text, language), *(more.end() for more in _MORE_CUTS.finditer(text))}
    has_case = _has_case(text)
    cuts = (cut for cut in found if _is_boundary(text, cut, language, has_case))
    return spans_between(text, [*cuts, *_item_cuts(text), *_blank_cuts(text)])


def spans_between(text: str, cuts: Iterable[int]) -> list[Span]:
    """Return the offsets of what lies between `cuts`, without surrounding whitespace; what is blank is left out.

    >>> spans_between("one two", [4])
    [(0, 3), (4, 7)]
    """
    edges = sorted({0, *cuts, len(text)})
    pieces = [(start + len(piece) - len(piece.lstrip()), piece.strip()) for start, piece in _slices(text, edges)]
    return [(start, start + len(piece)) for start, piece in pieces if piece]


_WINDOW = 10_000  # characters that are split at once

_END_MARKS = ".!?…。！？｡।॥؟۔։።"
_CLOSING = "\"'”“’»›)\\]}*†‡」』）】"
_ENDS_SENTENCE = re.compile(rf"[{_END_MARKS}](?:[{_CLOSING}\d]|\s?»|\[\d+(?:[,–-] ?\d+)*\])*$")
_CONTINUES = frozenset(",;:)]}%")
# What sentencex takes for one sentence: the mark of a note, a closing bracket or a unit around the full stop.
_NOTE = r"\[\d+(?:[,–-] ?\d+)*\]|\d{1,2}(?:[,–]\d{1,2})*"
_MORE_CUTS = re.compile(
    rf"(?:[^\W\d_]{{4}}[.!?](?:{_NOTE}|[)”“]|\s»)|\d ?(?:[kmc]?[gml]|[kMGT]?(?:Wh?|Hz|B))\.)\s+(?=[^\W\d_a-z])|……(?=\w)"
)
_ITEM = re.compile(r"\n[^\S\n]*(?=(?:[-*•▪◦–]|\d{1,3}[.)]|\(\w\))[^\S\n]+\S)")
_THAI_OR_LAO = r"[\u0e00-\u0eff]"
_THAI_BLANK = re.compile(rf"(?<={_THAI_OR_LAO})[^\S\n]+(?={_THAI_OR_LAO})")
_LONG_SENTENCE, _SHORT_SENTENCE = 100, 20  # characters before a single and before a double blank that ends a sentence
_CAPITALS_BEFORE, _CAPITALS = re.compile(r"(?<!\w)[A-Z]+\.$"), re.compile(r"[A-Z]+(?![a-z])")  # "ML.ENERGY"
_ANSWER_NO = re.compile(r"(?:^|\s)No\.$")  # no abbreviation of "number" where no number follows


def _sentencex_cuts(text: str, language: str) -> list[int]:
    """Return the boundaries of sentencex, whose time grows with the square of a text without blanks: so in windows."""
    from sentencex.sentencex import get_sentence_boundaries

    cuts: list[int] = []
    start = 0
    while start < len(text):
        end = _window_end(text, start)
        cuts.extend(start + boundary["end_index"] for boundary in get_sentence_boundaries(language, text[start:end]))
        start = end
    return cuts


def _window_end(text: str, start: int) -> int:
    """Return where to part a long text: behind a line, a full stop of Chinese or Japanese, or a word."""
    reach = start + _WINDOW
    if reach >= len(text):
        return len(text)
    found = (text.rfind(mark, start + _WINDOW // 2, reach) + len(mark) for mark in ("\n", "。", " "))
    return next((end for end in found if end > start + 1), reach)


def _item_cuts(text: str) -> list[int]:
    """Return where the items of a list begin, where there are at least two."""
    cuts = [item.end() for item in _ITEM.finditer(text)]
    return cuts if len(cuts) > 1 or _ITEM.match("\n" + text[:40].lstrip()) else []


def _blank_cuts(text: str) -> list[int]:
    """Return the blanks of Thai and Lao text that are taken for ends of sentences; shorter ones part clauses and names."""
    cuts = [0]
    for blank in _THAI_BLANK.finditer(text):
        least = _SHORT_SENTENCE if len(blank[0]) > 1 else _LONG_SENTENCE
        if blank.start() - cuts[-1] >= least:
            cuts.append(blank.end())
    return cuts


def _has_case(text: str) -> bool:
    """Return whether capitals begin sentences here; some texts come in lower case throughout."""
    sample = text[:20_000]
    lower = sum(map(str.islower, sample))
    return lower < 200 or sum(map(str.isupper, sample)) * 200 >= lower


def _is_boundary(text: str, cut: int, language: str, has_case: bool) -> bool:
    before, right = text[max(0, cut - 40) : cut], text[cut : cut + 40].lstrip()
    left = before.rstrip()
    if "\n\n" in before[len(left) :] + text[cut : cut + 2]:
        return True
    if (has_case and right[:1].islower()) or right[:1] in _CONTINUES or not _ends_sentence(left, language):
        return False
    if not text[cut - 1].isspace() and _is_inside(left, right, is_glued=not text[cut : cut + 1].isspace()):
        return False
    if language == "en" and _ANSWER_NO.search(left):
        return not right[:1].isdigit()
    return not ends_in_abbreviation(left, language)


def _is_inside(left: str, right: str, *, is_glued: bool) -> bool:
    """Return whether the mark between `left` and `right` is part of a quotation, a number or a name with a dot."""
    if left[-1] in "」』" and right[:1] in ("と", "っ"):  # "...," she said
        return True
    if left[-2:-1].isdigit() and right[:1].isdigit():
        return True
    return is_glued and bool(_CAPITALS.match(right) and _CAPITALS_BEFORE.search(left))


def _ends_sentence(left: str, language: str) -> bool:
    return bool(_ENDS_SENTENCE.search(left)) or (language == "el" and left.endswith(";"))


def _slices(text: str, edges: list[int]) -> list[tuple[int, str]]:
    return [(start, text[start:end]) for start, end in pairwise(edges)]
