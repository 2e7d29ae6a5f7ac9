"""Classification of printed lines: running text, heading, caption, table row, list item or footnote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from kohaku_lib.tree.resegmenting.headings import heading_rows
from kohaku_lib.tree.resegmenting.line_forms import BULLET, CAPTION, full_widths, is_numeric, numeric_share
from kohaku_lib.tree.resegmenting.page_lines import Line

_FOOTNOTE = re.compile(r"^(?:\d{1,2}(?=[A-Z][a-z]|https?:|www\.)|\d{1,2} https?:|[∗†‡§¶] ?[A-Z])")


class Kind(Enum):
    """The kind of a printed line."""

    BODY = "body"
    HEADING = "heading"
    CAPTION = "caption"
    ROW = "row"
    ITEM = "item"
    FOOTNOTE = "footnote"


def line_kinds(lines: Sequence[Line]) -> list[Kind]:
    """Return the kind of every line of a document, judged by its form and its neighbours.

    >>> lines = [Line(text, 2) for text in ("1 Results", "The model was trained for 24 days on the whole of the data",
    ...     "and used 1,287 MWh.", "Table 3: Energy by model.", "GPT-3 1,287 552", "Gopher 1,066 380", "OPT 324 75")]
    >>> [kind.value for kind in line_kinds(lines)]
    ['heading', 'body', 'body', 'caption', 'row', 'row', 'row']
    """
    widths = full_widths(lines)
    kinds = [_own_kind(line) for line in lines]
    for at in heading_rows(lines, widths):
        if kinds[at] in (Kind.BODY, Kind.ITEM):
            kinds[at] = Kind.HEADING
    _mark_rows(lines, widths, kinds)
    return kinds


def _own_kind(line: Line) -> Kind:
    if CAPTION.match(line.text):
        return Kind.CAPTION
    if _FOOTNOTE.match(line.text):
        return Kind.FOOTNOTE
    return Kind.ITEM if BULLET.match(line.text) else Kind.BODY


def _mark_rows(lines: Sequence[Line], widths: Sequence[float], kinds: list[Kind]) -> None:
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and kinds[end] in (Kind.BODY, Kind.FOOTNOTE) and _is_rowlike(lines, widths, end):
            end += 1
        if end - at >= 3 and _is_table(lines[at:end]):
            kinds[at:end] = [Kind.ROW] * (end - at)
        at = max(end, at + 1)


def _is_rowlike(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if is_strong_row(text, widths[at]) or (_ends_in_figure(lines, at) and _beside_figures(lines, at)):
        return True
    words = text.split()
    if len(text) > 0.5 * widths[at] or text[-1] in ".,;-" or len(words) > 6:
        return False
    flows = text[0].islower() and at > 0 and len(lines[at - 1].text) >= 0.6 * widths[at]
    return not flows


def _ends_in_figure(lines: Sequence[Line], at: int) -> bool:
    text = lines[at].text
    return is_numeric(text.split()[-1]) and text[-1] not in ".,;)" and len(text.split()) <= 8


def _beside_figures(lines: Sequence[Line], at: int) -> bool:
    return any(0 <= near < len(lines) and _ends_in_figure(lines, near) for near in (at - 1, at + 1))


def is_strong_row(text: str, width: float) -> bool:
    """Return whether `text` looks like a row of figures on a page whose full lines have `width` characters.

    >>> is_strong_row("Gopher 1,066 380", 60.0), is_strong_row("and used 1,287 MWh.", 60.0)
    (True, False)
    """
    words = text.split()
    if numeric_share(text) >= 0.34 and (len(words) > 1 or len(text) < 8) and text[-1] not in ".,;":
        return True
    return is_numeric(words[-1]) and text[-1] not in ".,;)" and len(text) < 0.75 * width and len(words) <= 8


def _is_table(run: Sequence[Line]) -> bool:
    strong = sum(is_strong_row(line.text, 60.0) for line in run)
    words = sum(len(line.text.split()) for line in run)
    return strong >= max(1, len(run) // 6) or words <= 3 * len(run)
