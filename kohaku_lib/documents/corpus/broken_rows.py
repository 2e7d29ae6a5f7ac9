"""The rows of a CSV text, and those that a quote left open would have swallowed others with."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.documents.corpus.long_cells import cells_of_any_length


def whole_rows(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    r"""Return the rows of a CSV text, the header first, and the lines (from 1) where rows begin that are left out.

    A row is left out where its quote is closed nowhere, or only by a quote of a row further down: that is told by a
    line within it that is a row of as many cells as the header by itself. Other slips of quoting are read as they
    stand. A row with a cell that is longer than any that is meant is left out; raises csv.Error where it is the header.

    >>> whole_rows('id,a\n1,"x\n2,y\n3,"z"\n', ",")
    ([['id', 'a'], ['2', 'y'], ['3', 'z']], [2])
    """
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)), []
    except csv.Error:
        return _sorted_out(list(io.StringIO(text, newline="")), delimiter)


@dataclass(frozen=True, slots=True)
class _Record:
    """What the reader makes of the text from one line on: the row, how many lines it takes, and what is wrong."""

    row: list[str] | None  # None where a cell is longer than any that is meant
    lines: int
    fault: str | None

    @property
    def is_open(self) -> bool:
        """Return whether a quote stays open to the end of the text."""
        return "unexpected end" in (self.fault or "")


def _sorted_out(lines: Sequence[str], delimiter: str) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    broken: list[int] = []
    at = 0
    while at < len(lines):
        record = _record(lines, at, delimiter)
        width = len(rows[0]) if rows else 0
        within = range(at + 1, at + record.lines)
        swallowed = (
            None if record.fault is None else next((n for n in within if _is_row(lines[n], width, delimiter)), None)
        )
        if record.row is None and swallowed is None and not rows:
            msg = f"line {at + 1} cannot be read ({record.fault})"
            raise csv.Error(msg)
        if record.row is not None and swallowed is None and not record.is_open:
            rows.append(record.row)
        else:
            broken.append(at + 1)
        if swallowed is not None:
            at = swallowed
        else:
            at += record.lines if record.row is not None else _extent(lines, at, delimiter)
    return rows, broken


def _record(lines: Sequence[str], at: int, delimiter: str) -> _Record:
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter)
    try:
        row = next(reader)
    except csv.Error as error:
        return _Record(None, len(lines) - at, str(error))
    taken = reader.line_num
    return _Record(row, taken, _fault(lines[at : at + taken], delimiter))


def _extent(lines: Sequence[str], at: int, delimiter: str) -> int:
    """Return how many lines a row takes, however long its cells are."""
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter)
    with cells_of_any_length():
        next(reader)
    return reader.line_num


def _fault(lines: Sequence[str], delimiter: str) -> str | None:
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as fault:
        return str(fault)
    return None


def _is_row(line: str, width: int, delimiter: str) -> bool:
    try:
        rows = list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return len(rows) == 1 and len(rows[0]) == width and bool(rows[0][0].strip())
