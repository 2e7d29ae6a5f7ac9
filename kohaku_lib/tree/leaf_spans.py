"""Splits a paragraph into the sentences or lines that become leaves of the tree."""

from __future__ import annotations

import re

from kohaku_lib.settings import TreeSettings
from kohaku_lib.text.sentences import Span, sentence_spans, spans_between

_LONGEST = 1000  # characters; models of 256 tokens see little more
_REGEX_BOUNDARY = re.compile(r"(?<=[.!?;])\s+")


def leaf_spans(text: str, settings: TreeSettings, language: str | None = None) -> list[Span]:
    """Return the offsets (start, end) of the sentences of `text` that become leaves, in order.

    The splitter "guarded" is `kohaku_lib.text.sentences`; pieces shorter than `min_sentence_chars` are joined to the
    previous one, and sentences of more than 1,000 characters are split between words. "regex" splits at whitespace
    after one of `. ! ? ;`.

    >>> text = "Wu et al. (2021) use 3.5 kWh, cf. Fig. 2. That is a great deal of energy."
    >>> [text[start:end] for start, end in leaf_spans(text, TreeSettings())]
    ['Wu et al. (2021) use 3.5 kWh, cf. Fig. 2.', 'That is a great deal of energy.']
    """
    if settings.sentence_splitter == "regex":
        return spans_between(text, (match.end() for match in _REGEX_BOUNDARY.finditer(text)))
    spans = merge_short(text, sentence_spans(text, language), settings.min_sentence_chars)
    return [piece for span in spans for piece in _pieces_of_span(text, span)]


def line_spans(text: str, min_chars: int, most_chars: int = 200) -> list[Span]:
    r"""Return the offsets of the lines of `text`; lines shorter than `min_chars` join the one before.

    A joined row grows to `most_chars` at most, so that the labels of a plot do not become one endless row.

    >>> line_spans("Model  Energy\nGPT-3  1,287 MWh\nx", 5)
    [(0, 13), (14, 32)]
    """
    lines = spans_between(text, (match.end() for match in re.finditer(r"\n+", text)))
    return merge_short(text, lines, min_chars, most_chars)


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


def _pieces_of_span(text: str, span: Span) -> list[Span]:
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


def _before_blanks(text: str, cut: int) -> int:
    """Return where the whitespace that ends at `cut` begins; slices of a long text would cost its length each."""
    while cut > 0 and text[cut - 1].isspace():
        cut -= 1
    return cut


def _behind_blanks(text: str, cut: int) -> int:
    while cut < len(text) and text[cut].isspace():
        cut += 1
    return cut
