"""CSV files as people's programs write them: any encoding, byte-order marks, CRLF, quoted line breaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from kohaku_lib.documents.corpus.broken_rows import whole_rows
from kohaku_lib.documents.corpus.long_cells import LONGEST_CELL
from kohaku_lib.documents.formats.text.decoding import decode_bytes
from kohaku_lib.errors import InputFileError

_DELIMITERS = (",", ";", "\t")


def read_rows(
    path: Path, required: Sequence[str] = (), told: Callable[[str], object] | None = None
) -> list[dict[str, str]]:
    r"""Return the rows of the CSV file at `path`, the header's columns in order; missing cells are "".

    The encoding is detected and the delimiter that of the header (comma, semicolon or tab); cells beyond the
    header and rows without any text are left out. So is a row with a cell beyond all bounds, or whose quote is left
    open, which would swallow the others; `told` hears a sentence about each, and about rows with more or fewer cells
    than the header. Raises InputFileError where the file cannot be read as CSV or lacks a `required` column.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.csv").write_bytes(b"\xef\xbb\xbfid,answer\r\nq1,\"two\nlines\"\r\n")
    ...     read_rows(Path(folder, "rows.csv"))
    [{'id': 'q1', 'answer': 'two\nlines'}]
    """
    lines = _lines(path, told)
    header = [name.strip() for name in lines[0]] if lines else []
    missing = [name for name in required if name not in header]
    if missing:
        found = ", ".join(repr(name) for name in header) or "none"
        msg = f"{path} lacks the column {missing[0]!r} (columns found: {found}); add it to the header"
        raise InputFileError(msg)
    found = [cells for cells in lines[1:] if any(cell.strip() for cell in cells)]
    if told is not None:
        for sentence in _uneven(found, len(header), path.name):
            told(sentence)
    return [_row(header, cells) for cells in found]


def capped(sentences: Sequence[str], rest: str, most: int = 10) -> list[str]:
    """Return the first `most` of `sentences`, and how many more there are, in one.

    >>> capped(["a", "b", "c"], "rows are short", most=1)
    ['a', '2 more rows are short']
    """
    more = len(sentences) - most
    return [*sentences[:most], *([f"{more} more {rest}"] if more > 0 else [])]


def delimiter_of(text: str) -> str:
    r"""Return the delimiter that the first line of a CSV uses most.

    >>> delimiter_of("id;question\nq1;Why, then?")
    ';'
    """
    header = text.split("\n", 1)[0]
    return max(_DELIMITERS, key=header.count)


def ends_within_quotes(text: str) -> bool:
    r"""Return whether the last quoted cell of a CSV is never closed, so that it holds all rows behind it.

    >>> ends_within_quotes('a,b\n1,"two\n3,4\n'), ends_within_quotes('a,b\n1,"two"\n')
    (True, False)
    """
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True):
            pass
    except csv.Error as fault:
        return "unexpected end" in str(fault)
    return False


def _lines(path: Path, told: Callable[[str], object] | None) -> list[list[str]]:
    try:
        text = decode_bytes(path.read_bytes()).text
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a CSV file"
        raise InputFileError(msg) from error
    try:
        rows, broken = whole_rows(text, delimiter_of(text))
    except csv.Error as error:
        msg = f"{path} is no CSV file: {error}; save it with quoted cells"
        raise InputFileError(msg) from error
    if told is not None:
        for line in broken:
            told(
                f"the row in line {line} of {path} opens a quote and never closes it, or has a cell of more than "
                f"{LONGEST_CELL} characters, and is left out; close the quote"
            )
    return rows


def _uneven(rows: Sequence[Sequence[str]], columns: int, name: str) -> list[str]:
    """Say which rows (counted from 1, the header and empty ones not) have more text than columns, or fewer cells."""
    surplus = [
        f"row {number} of {name} has {len(cells)} cells for {columns} columns, and the last are left out; put quotes "
        "around a cell that holds a delimiter"
        for number, cells in enumerate(rows, start=1)
        if any(cell.strip() for cell in cells[columns:])
    ]
    short = [
        f"row {number} of {name} has {len(cells)} cells for {columns} columns, and the others are taken as empty"
        for number, cells in enumerate(rows, start=1)
        if len(cells) < columns
    ]
    more = "rows of {} have {} cells than columns"
    return [*capped(surplus, more.format(name, "more")), *capped(short, more.format(name, "fewer"))]


def _row(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return {name: cells[place] if place < len(cells) else "" for place, name in enumerate(header)}
