"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re
from itertools import pairwise

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tree.abbreviations import ends_in_abbreviation

Span = tuple[int, int]

_WINDOW = 10_000  # characters that are split at once
_LONGEST = 1000  # characters; models of 256 tokens see little more

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
_REGEX_BOUNDARY = re.compile(r"(?<=[.!?;])\s+")


def sentence_spans(text: str, settings: TreeSettings, language: str | None = None) -> list[Span]:
    """Return the offsets (start, end) of the sentences of `text`, in order, without surrounding whitespace.

    "guarded" takes the boundaries of sentencex for the `language` (an ISO 639-1 code; English where it is unknown)
    and drops those after abbreviations and initials, inside numbers and before a lower-case continuation; it cuts
    behind the mark of a note and between the items of a list too. Pieces shorter than `min_sentence_chars` join the
    one before, and what is longer than 1,000 characters is cut between words. "regex" cuts at whitespace after one
    of `. ! ? ;`. A blank text has no sentence; without a boundary the text is one.

    >>> text = "Wu et al. (2021) use 3.5 kWh, cf. Fig. 2. That is a great deal of energy."
    >>> [text[start:end] for start, end in sentence_spans(text, TreeSettings())]
    ['Wu et al. (2021) use 3.5 kWh, cf. Fig. 2.', 'That is a great deal of energy.']
    """
    if settings.sentence_splitter == "regex":
        cuts = [found.end() for found in _REGEX_BOUNDARY.finditer(text)]
        return _trimmed(text, cuts)
    language = language or "en"
    found = {*_sentencex_cuts(text, language), *(more.end() for more in _MORE_CUTS.finditer(text))}
    has_case = _has_case(text)
    cuts = [*(cut for cut in found if _is_boundary(text, cut, language, has_case)), *_item_cuts(text)]
    spans = merge_short(text, _trimmed(text, cuts), settings.min_sentence_chars)
    return [piece for span in spans for piece in _shortened(text, span)]


def line_spans(text: str, min_chars: int, most_chars: int = 200) -> list[Span]:
    r"""Return the offsets of the lines of `text`; lines shorter than `min_chars` join the one before.

    A joined row grows to `most_chars` at most, so that the labels of a plot do not become one endless row.

    >>> line_spans("Model  Energy\nGPT-3  1,287 MWh\nx", 5)
    [(0, 13), (14, 32)]
    """
    cuts = [found.end() for found in re.finditer(r"\n+", text)]
    return merge_short(text, _trimmed(text, cuts), min_chars, most_chars)


def merge_short(text: str, spans: list[Span], min_chars: int, most_chars: int | None = None) -> list[Span]:
    """Return `spans` with each piece shorter than `min_chars` joined to the one before, the first to the next.

    >>> merge_short("Yes. It is. A longer one.", [(0, 4), (5, 11), (12, 25)], 8)
    [(0, 11), (12, 25)]
    """
    merged: list[Span] = []
    for start, end in spans:
        joins = bool(merged) and min(end - start, merged[-1][1] - merged[-1][0]) < min_chars
        if joins and (most_chars is None or end - merged[-1][0] <= most_chars):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _shortened(text: str, span: Span) -> list[Span]:
    """Return `span`, in pieces where it is longer than any sentence: cut after a semicolon or comma, else a word."""
    start, end = span
    pieces: list[Span] = []
    while end - start > _LONGEST:
        reach = start + _LONGEST
        cut = max((text.rfind(mark, start + _LONGEST // 2, reach) for mark in ("; ", ", ")), default=-1)
        cut = cut + 1 if cut >= 0 else text.rfind(" ", start + 1, reach)
        cut = cut if cut > 0 else reach
        pieces.append((start, _before_blanks(text, cut)))
        start = _behind_blanks(text, cut)
    return [*pieces, (start, end)]


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
    if left[-1] in "」』" and right[:1] in ("と", "っ"):  # "...," she said
        return False
    if left[-2:-1].isdigit() and right[:1].isdigit() and not text[cut - 1].isspace():
        return False
    return not ends_in_abbreviation(left, language)


def _ends_sentence(left: str, language: str) -> bool:
    return bool(_ENDS_SENTENCE.search(left)) or (language == "el" and left.endswith(";"))


def _before_blanks(text: str, cut: int) -> int:
    """Return where the whitespace that ends at `cut` begins; slices of a long text would cost its length each."""
    while cut > 0 and text[cut - 1].isspace():
        cut -= 1
    return cut


def _behind_blanks(text: str, cut: int) -> int:
    while cut < len(text) and text[cut].isspace():
        cut += 1
    return cut


def _trimmed(text: str, cuts: list[int]) -> list[Span]:
    edges = sorted({0, *cuts, len(text)})
    pieces = [(start + len(piece) - len(piece.lstrip()), piece.strip()) for start, piece in _slices(text, edges)]
    return [(start, start + len(piece)) for start, piece in pieces if piece]


def _slices(text: str, edges: list[int]) -> list[tuple[int, str]]:
    return [(start, text[start:end]) for start, end in pairwise(edges)]
