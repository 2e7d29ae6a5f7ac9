"""Find the rows at the edges of pages that repeat from page to page."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from kohaku_lib.documents.formats.pdf.tables.rows import bounding_box
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

PAGE_NUMBER = re.compile(
    r"[-–—|·\s]*(?:page\s*)?(?:\d{1,6}|[ivxlc]{1,6}|[A-Z]-?\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–—|·\s]*\Z", re.I
)
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_BEFORE_PAGE = re.compile(r"(?:\b(?:page|seite|pagina|página|p|s)\.?|[|·–—-])\s*\Z")
_AFTER_PAGE = re.compile(r"\s*(?:(?:of|von|/)\s*\d|[|·–—]|\s\s|\Z)")
_ONE_WORD = re.compile(r"\W*[^\W\d_]+\W*\Z")  # "Step 3" and "Question 3" count up, but are no page numbers
_SLOT_PT = 6.0  # places that differ by up to half of it are the same
_LEAST_PAGES, _MOST_LEAST_PAGES = 3, 10  # of a run, by the length of the document
_LEAST_SHARE_OF_SHORT, _SHORT = 0.6, 5
_LEAST_SHARE = 0.08  # heads of tables repeat on a few pages of a long document
_MOST_SHARE = 0.4  # left and right pages may differ, and first pages of chapters have none
_LEAST_GROWING = 0.8  # front matter and appendices begin anew
_WIDEST_STEP = 3  # pages from one to the next of a run
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True)
class EdgeRow:
    """A row of cells near the upper or lower edge of a page, `distance` points from it."""

    page: int
    edge: Literal["top", "bottom"]
    distance: float
    cells: tuple[Line, ...]

    @cached_property
    def text(self) -> str:
        """Return the texts of the cells, two blanks apart."""
        return "  ".join(cell.text for cell in self.cells)

    @cached_property
    def box(self) -> Box:
        """Return the bounding box."""
        return bounding_box(self.cells)


@dataclass(frozen=True, slots=True)
class Repetition:
    """How a row repeats: `firm` on most pages of a document of five or more, or as a number that counts the pages."""

    firm: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class _Key:
    """What rows that repeat each other have in common, besides numbers that count the pages.

    `kind` is "same" for equal texts, "counted" where one number grows by one with each page, "bare" for page numbers
    without a text, "cell" for rows with a page number in a cell of its own.
    """

    kind: Literal["same", "counted", "bare", "cell"]
    value: Hashable


def repeating_rows(rows: Sequence[EdgeRow], page_count: int) -> dict[EdgeRow, Repetition]:
    """Return the rows that repeat, with how they do.

    Rows repeat each other if they stand equally far from the same edge, in the same size, and their texts are equal
    but for a number, at the end or marked as that of a page, that grows by one with each page. They must do so on most
    pages of a document, or on a run of at least three pages of a longer one; a bare page number on a page near by.
    """
    numbers_by_key: dict[_Key, dict[int, int]] = {}
    for row in rows:
        for key, number in _keys_of(row):
            numbers_by_key.setdefault(key, {})[row.page] = number
    found: dict[EdgeRow, Repetition] = {}
    for row in rows:
        kinds = [
            Repetition(key.kind == "bare" or _is_on_most(numbers_by_key[key], page_count), key.kind != "same")
            for key, _ in _keys_of(row)
            if _repeats(row.page, numbers_by_key[key], key, page_count)
        ]
        if kinds:
            found[row] = max(kinds, key=lambda kind: (kind.firm, kind.counts))
    return found


def _repeats(page: int, numbers: Mapping[int, int], key: _Key, page_count: int) -> bool:
    run = _run_around(page, numbers)
    if key.kind == "bare":
        return len(run) > 1
    if key.kind == "cell" and not _grows(numbers):
        return False
    if page_count <= _SHORT:
        return len(numbers) >= max(2, round(_LEAST_SHARE_OF_SHORT * page_count))
    least = max(_LEAST_PAGES, min(_MOST_LEAST_PAGES, round(_LEAST_SHARE * page_count)))
    return len(run) >= least or _is_on_most(numbers, page_count)


def _grows(numbers: Mapping[int, int]) -> bool:
    """Return whether nearly every number is greater than the one before, by at least the pages between."""
    steps = [numbers[after] - numbers[before] >= after - before for before, after in pairwise(sorted(numbers))]
    return sum(steps) >= _LEAST_GROWING * len(steps)


def _is_on_most(pages: Collection[int], page_count: int) -> bool:
    return page_count >= _SHORT and len(pages) >= _MOST_SHARE * page_count


def _run_around(page: int, pages: Collection[int]) -> list[int]:
    """Return the pages around `page`, each at most three after the one before."""
    run: list[int] = []
    for other in sorted(pages):
        if run and other - run[-1] > _WIDEST_STEP:
            if run[-1] >= page:
                break
            run = []
        run.append(other)
    return run


def _keys_of(row: EdgeRow) -> Iterator[tuple[_Key, int]]:
    """Yield what identifies the rows that this one repeats, with the number of its page or 0."""
    text = row.text.lower()
    if PAGE_NUMBER.match(text) and (number := _NUMBER.search(text)):
        value = _value(number[0])
        rest = text[: number.start()], text[number.end() :]
        yield _Key("bare", (row.edge, rest, value - row.page)), value
        return
    size = round(max(cell.size for cell in row.cells))
    cells = [cell.text.lower() for cell in row.cells] if len(row.cells) > 1 else []
    values = [_value(found[0]) for cell in cells if PAGE_NUMBER.match(cell) and (found := _NUMBER.search(cell))]
    for slot in (row.distance // _SLOT_PT, (row.distance + _SLOT_PT / 2) // _SLOT_PT + 0.5):
        yield _Key("same", (row.edge, slot, size, text)), 0
        for rest in _counted_texts(text, row):
            yield _Key("counted", (row.edge, slot, size, rest)), 0
        if values:
            yield _Key("cell", (row.edge, slot)), values[0]


def _counted_texts(text: str, row: EdgeRow) -> Iterator[tuple[str, int, str]]:
    """Yield the text with each number that may be the page's replaced by its distance from the page's own."""
    for number in _NUMBER.finditer(text):
        before, after = text[: number.start()], text[number.end() :]
        is_named = _BEFORE_PAGE.search(before) is not None or (not after and not _ONE_WORD.match(before))
        if is_named or (not before and after.startswith(" ")) or (len(row.cells) > 1 and _AFTER_PAGE.match(after)):
            yield before, _value(number[0]) - row.page, after


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
