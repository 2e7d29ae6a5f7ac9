"""Parse CSV text and drop rows whose unclosed quote would swallow the following rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.documents.corpus.long_cells import cells_of_any_length


def parse_rows(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    r"""Return the rows of a CSV text, header first, and the 1-based line numbers at which dropped rows begin.

    A row is dropped if its quote is never closed, or is closed only by a quote of a later row: a line inside the row
    then parses by itself as a row with as many cells as the header. Other quoting errors are read leniently. A row
    with a cell longer than `LONGEST_CELL` is dropped as well.

    >>> parse_rows('id,a\n1,"x\n2,y\n3,"z"\n', ",")
    ([['id', 'a'], ['2', 'y'], ['3', 'z']], [2])

    Raises:
        csv.Error: The header cannot be read.

    """
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)), []
    except csv.Error:
        return _parse_leniently(list(io.StringIO(text, newline="")), delimiter)


@dataclass(frozen=True, slots=True)
class _Record:
    """The result of reading one row: its cells, its number of lines, and the error of strict parsing if any."""

    row: list[str] | None  # None if a cell is longer than `LONGEST_CELL`
    lines: int
    fault: str | None

    @property
    def is_open(self) -> bool:
        """Return whether a quote is still open at the end of the text."""
        return "unexpected end" in (self.fault or "")


def _parse_leniently(lines: Sequence[str], delimiter: str) -> tuple[list[list[str]], list[int]]:
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
            at += record.lines if record.row is not None else _row_line_count(lines, at, delimiter)
    return rows, broken


def _record(lines: Sequence[str], at: int, delimiter: str) -> _Record:
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter)
    try:
        row = next(reader)
    except csv.Error as error:
        return _Record(None, len(lines) - at, str(error))
    taken = reader.line_num
    return _Record(row, taken, _strict_error(lines[at : at + taken], delimiter))


def _row_line_count(lines: Sequence[str], at: int, delimiter: str) -> int:
    """Return the number of lines of a row regardless of the length of its cells."""
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter)
    with cells_of_any_length():
        next(reader)
    return reader.line_num


def _strict_error(lines: Sequence[str], delimiter: str) -> str | None:
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
