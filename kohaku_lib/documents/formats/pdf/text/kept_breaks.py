"""Find the line breaks of a paragraph that belong to its text, as in receipts, addresses, forms, poems and code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kohaku_lib.documents.formats.pdf.blocks import CAPTION
from kohaku_lib.documents.formats.pdf.text.page_text import Line

_OPEN_END = re.compile(
    r"[-‐\u00ad/&]\Z|\b(?:the|an?|of|and|or|in|on|to|by|with|for|from|as|at|der|die|das|und|von|zu|mit|für|de|la|et)\Z"
)
_AMOUNT = re.compile(r"\d\)?\s?[%€$£]?\Z")
_LABEL = re.compile(r"[^\W\d_][^:.,;]{1,40}:\s+\S")
_CODE = re.compile(r"[;{}]\Z|\)\s?:\Z|\A(?://|#include|@\w|return\b|import\b)|\w\(.*\)\Z|\w\s?(?:[-+*/|]?=|:=|==)\s?\S")
_LEAST_SHARE = 0.75  # of the breaks before no lower-case letter; in prose few lines begin with a capital
_LEAST_FITTING = 0.3  # of the breaks after which the next word had fitted into the line
_LEAST_OF_KIND = 0.5  # of lines with an amount or a label
_LEAST_CODE = 0.6
_NARROW, _NARROW_EM = 0.6, 14  # of the width of the column, or anywhere
_LEAST_LINES = 3
_LEAST_VERSES, _LONGEST_VERSE = 4, 70


def kept_breaks(lines: Sequence[Line], left: float, right: float) -> list[int]:
    """Return the indexes of the lines of a paragraph that begin a new line of its text, in a column from `left` to `right`.

    Wrapped text breaks a line where the next word does not fit. Breaks are kept in code, between bold and plain type,
    and if most are before a capital or a digit and either words had fitted, all lines are narrow, half of them end in
    an amount or begin with a label, or there are three such breaks and no others, as in verses.

    >>> from kohaku_lib.documents.formats.pdf.text.page_text import Box
    >>> texts = ["Amber Works Ltd", "5 Shore Road", "Palanga"]
    >>> lines = [Line(text, Box(0, 12 * n, 5 * len(text), 12 * n + 10), 10, False, 0) for n, text in enumerate(texts)]
    >>> kept_breaks(lines, 0, 400)
    [1, 2]
    """
    breaks = list(pairwise(lines))
    if not breaks or CAPTION.match(lines[0].text):
        return []
    if sum(_CODE.search(line.text) is not None for line in lines) >= max(2, _LEAST_CODE * len(lines)):
        return list(range(1, len(lines)))
    widest = max(line.box.x1 for line in lines)
    closed = [index for index, (before, after) in enumerate(breaks, 1) if _is_closed(before, after, widest)]
    if len(closed) >= _LEAST_SHARE * len(breaks) and _are_single_lines(lines, closed, _NARROW * (right - left)):
        return closed
    return [index for index in closed if _changes_type(lines[index - 1], lines[index])]


def _is_closed(before: Line, after: Line, widest: float) -> bool:
    """Return whether no phrase goes on after the line; in scripts without capitals only the room at its end tells."""
    first = after.text[:1]
    may_begin = not first.isalpha() or first.isupper() or (not first.islower() and _fits(before, after, widest))
    return may_begin and _OPEN_END.search(before.text) is None


def _changes_type(before: Line, after: Line) -> bool:
    return before.bold != after.bold and not before.mixed and not after.mixed


def _are_single_lines(lines: Sequence[Line], closed: Sequence[int], narrow: float) -> bool:
    widest = max(line.box.x1 for line in lines)
    fitting = sum(_fits(lines[index - 1], lines[index], widest) for index in closed)
    if fitting >= max(1, _LEAST_FITTING * (len(lines) - 1)):
        return True
    amounts = sum(_AMOUNT.search(line.text) is not None for line in lines)
    labels = sum(_LABEL.match(line.text) is not None for line in lines)
    if max(amounts, labels) >= max(2, _LEAST_OF_KIND * len(lines)):
        return True
    longest = max(len(line.text) for line in lines)
    if len(lines) >= _LEAST_VERSES and len(closed) == len(lines) - 1 and longest <= _LONGEST_VERSE:
        return True
    return len(lines) >= _LEAST_LINES and all(line.box.width < max(narrow, _NARROW_EM * line.size) for line in lines)


def _fits(before: Line, after: Line, right: float) -> bool:
    """Return whether the first word of `after` had fitted at the end of `before`."""
    word = len(after.text.split(" ", 1)[0]) + 1
    return before.box.x1 + word * after.box.width / max(len(after.text), 1) < right - 0.2 * after.size
