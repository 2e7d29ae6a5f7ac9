"""Find the lines that strike out words of a PDF page among its drawings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.tables.rules import across_spans
from kohaku_lib.documents.formats.pdf.text.page_text import PageText, read_page_text, text_source
from kohaku_lib.documents.formats.pdf.text.strikes import Strike

if TYPE_CHECKING:
    import pymupdf

_MOST_BEYOND = 0.4  # of the height of letters, by which a line may begin before the first or end after the last
_WIDEST_GAP = 1.0  # between two letters, in their height
_MOST_WITHIN = 0.1  # between two letters of a word


def without_struck_text(page: pymupdf.Page, text: PageText, drawings: Sequence[dict[str, Any]]) -> PageText:
    """Return the text of a page, read without what is struck out; `drawings` are those of `page.get_cdrawings`.

    A line that strikes out begins and ends with the words that it goes through: rules of tables and of charts, which
    cross a text, begin and end elsewhere, and underlines lie below. Rotated pages keep all.
    """
    crossing = [] if text.turn else [line for line in across_spans(drawings) if _may_strike(line, text)]
    letters = list(_letters(page)) if crossing else []
    strikes = tuple(strike for line in crossing if (strike := _strike_of(line, letters)) is not None)
    return read_page_text(page, text.number, strikes) if strikes else text


def _may_strike(line: Strike, text: PageText) -> bool:
    return any(line.x0 < one.box.x1 and one.box.x0 < line.x1 and one.box.y0 < line.y < one.box.y1 for one in text.lines)


def _letters(page: pymupdf.Page) -> Iterator[dict[str, Any]]:
    for block in text_source(page).extractRAWDICT()["blocks"]:
        for line in block["lines"]:
            for span in line["spans"]:
                yield from span["chars"]


def _strike_of(line: Strike, letters: Sequence[dict[str, Any]]) -> Strike | None:
    through = [at for at, letter in enumerate(letters) if line.goes_through(letter["bbox"])]
    text = " ".join("".join(letters[at]["c"] for at in through).split())
    boxes = sorted(letters[at]["bbox"] for at in through if not letters[at]["c"].isspace())
    if not any(map(str.isalnum, text)) or any(_is_inner(letters, at) for at in (through[0], through[-1] + 1)):
        return None
    height = max(y1 - y0 for _, y0, _, y1 in boxes)
    beyond = max(boxes[0][0] - line.x0, line.x1 - max(box[2] for box in boxes))
    widest = max((after[0] - before[2] for before, after in pairwise(boxes)), default=0.0)
    return line._replace(text=text) if beyond <= _MOST_BEYOND * height and widest <= _WIDEST_GAP * height else None


def _is_inner(letters: Sequence[dict[str, Any]], at: int) -> bool:
    """Return whether a word goes on from the letter before a place to the one at it."""
    if not 0 < at < len(letters):
        return False
    before, after = letters[at - 1], letters[at]
    (_, y0, x1, y1), (x0, top, _, _) = before["bbox"], after["bbox"]
    is_beside = abs(x0 - x1) <= _MOST_WITHIN * (y1 - y0) and y0 <= top <= y1
    return is_beside and before["c"].isalnum() and after["c"].isalnum()
