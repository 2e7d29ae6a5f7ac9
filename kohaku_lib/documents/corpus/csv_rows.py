"""Read CSV files in any encoding, with byte-order marks, CRLF and quoted line breaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from kohaku_lib.documents.corpus.broken_rows import parse_rows
from kohaku_lib.documents.corpus.long_cells import LONGEST_CELL
from kohaku_lib.documents.formats.text.decoding import decode_bytes
from kohaku_lib.errors import InputFileError

_DELIMITERS = (",", ";", "\t")


def read_rows(
    path: Path, required: Sequence[str] = (), on_problem: Callable[[str], object] | None = None
) -> list[dict[str, str]]:
    r"""Return the rows of a CSV file, keyed by the header's columns in order; missing cells are "".

    The encoding is detected, and the delimiter (comma, semicolon or tab) taken from the header. Surplus cells, empty
    rows, rows with an oversized cell and rows with an unclosed quote are dropped. `on_problem` is called with a
    message about each dropped row and each row with more or fewer cells than the header.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.csv").write_bytes(b"\xef\xbb\xbfid,answer\r\nq1,\"two\nlines\"\r\n")
    ...     read_rows(Path(folder, "rows.csv"))
    [{'id': 'q1', 'answer': 'two\nlines'}]

    Raises:
        InputFileError: The file cannot be read as CSV or lacks a `required` column.

    """
    lines = _read_lines(path, on_problem)
    header = [name.strip() for name in lines[0]] if lines else []
    missing = [name for name in required if name not in header]
    if missing:
        found = ", ".join(repr(name) for name in header) or "none"
        msg = f"{path} lacks the column {missing[0]!r} (columns found: {found}); add it to the header"
        raise InputFileError(msg)
    found = [cells for cells in lines[1:] if any(cell.strip() for cell in cells)]
    if on_problem is not None:
        for message in _uneven_row_messages(found, len(header), path.name):
            on_problem(message)
    return [_row(header, cells) for cells in found]


def limit_messages(messages: Sequence[str], rest: str, most: int = 10) -> list[str]:
    """Return the first `most` messages, and a message with the number of the others if there are any.

    >>> limit_messages(["a", "b", "c"], "rows are short", most=1)
    ['a', '2 more rows are short']
    """
    more = len(messages) - most
    return [*messages[:most], *([f"{more} more {rest}"] if more > 0 else [])]


def delimiter_of(text: str) -> str:
    r"""Return the delimiter that the first line of a CSV uses most.

    >>> delimiter_of("id;question\nq1;Why, then?")
    ';'
    """
    header = text.split("\n", 1)[0]
    return max(_DELIMITERS, key=header.count)


def ends_within_quotes(text: str) -> bool:
    r"""Return whether the last quoted cell of a CSV is never closed and thus contains all following rows.

    >>> ends_within_quotes('a,b\n1,"two\n3,4\n'), ends_within_quotes('a,b\n1,"two"\n')
    (True, False)
    """
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True):
            pass
    except csv.Error as fault:
        return "unexpected end" in str(fault)
    return False


def _read_lines(path: Path, on_problem: Callable[[str], object] | None) -> list[list[str]]:
    try:
        text = decode_bytes(path.read_bytes()).text
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a CSV file"
        raise InputFileError(msg) from error
    try:
        rows, broken = parse_rows(text, delimiter_of(text))
    except csv.Error as error:
        msg = f"{path} is not a CSV file: {error}; save it with quoted cells"
        raise InputFileError(msg) from error
    if on_problem is not None:
        for line in broken:
            on_problem(
                f"the row in line {line} of {path} has an unclosed quote or a cell of more than "
                f"{LONGEST_CELL} characters and is left out; close the quote"
            )
    return rows


def _uneven_row_messages(rows: Sequence[Sequence[str]], columns: int, name: str) -> list[str]:
    """Return messages about rows (1-based, without header and empty rows) with surplus text or missing cells."""
    surplus = [
        f"row {number} of {name} has {len(cells)} cells for {columns} columns, and the surplus is left out; put quotes "
        "around a cell that contains a delimiter"
        for number, cells in enumerate(rows, start=1)
        if any(cell.strip() for cell in cells[columns:])
    ]
    short = [
        f"row {number} of {name} has {len(cells)} cells for {columns} columns, and the missing ones are read as empty"
        for number, cells in enumerate(rows, start=1)
        if len(cells) < columns
    ]
    more = "rows of {} have {} cells than columns"
    return [*limit_messages(surplus, more.format(name, "more")), *limit_messages(short, more.format(name, "fewer"))]


def _row(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return {name: cells[place] if place < len(cells) else "" for place, name in enumerate(header)}
