"""Read CSV files in any encoding, with byte-order marks, CRLF, quoted line breaks and unclosed quotes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.documents.formats.shared.decoding import decode_bytes
from kohaku_lib.errors import InputFileError
from kohaku_lib.storage.csv_cells import cells_of_any_length

LONGEST_CELL = 131_072  # characters; Python's own limit too
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 30
_LONGEST_SAMPLE = 65_536  # characters
_QUOTED = re.compile(r'(?:^|(?<=[,;\t|\n]))"(?:[^"]|"")*"')


def read_rows(
    path: Path, required: Sequence[str] = (), on_problem: Callable[[str], object] | None = None
) -> list[dict[str, str]]:
    r"""Return the rows of a CSV file, keyed by the header's columns in order; missing cells are "".

    The encoding and the delimiter (comma, semicolon, tab or bar) are detected. Surplus cells, empty
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
        columns = ", ".join(repr(name) for name in header) or "none"
        msg = f"{path} lacks the column {missing[0]!r} (columns found: {columns}); add it to the header"
        raise InputFileError(msg)
    rows = [cells for cells in lines[1:] if any(cell.strip() for cell in cells)]
    if on_problem is not None:
        for message in _uneven_row_messages(rows, len(header), path.name):
            on_problem(message)
    return [_row_by_column(header, cells) for cells in rows]


def limit_messages(messages: Sequence[str], rest: str, most: int = 10) -> list[str]:
    """Return the first `most` messages, and a message with the number of the others if there are any.

    >>> limit_messages(["a", "b", "c"], "rows are short", most=1)
    ['a', '2 more rows are short']
    """
    more = len(messages) - most
    return [*messages[:most], *([f"{more} more {rest}"] if more > 0 else [])]


def delimiter_of(text: str) -> str:
    r"""Return the delimiter that cuts most of the first 30 lines of a CSV into as many cells; quoted cells do not count.

    >>> delimiter_of("id;question\nq1;Why, then?"), delimiter_of('Report, 2024\n\n"last, first"|age\nMoreau|34')
    (';', '|')
    """
    lines = [line for line in _QUOTED.sub("", text[:_LONGEST_SAMPLE]).split("\n")[:_SAMPLE_LINES] if line.strip()]
    return max(_DELIMITERS, key=lambda delimiter: _evenness([line.count(delimiter) for line in lines]))


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


def _evenness(counts: Sequence[int]) -> tuple[int, int]:
    """Return how often the most frequent count above 0 occurs, and the count of the first line."""
    return max(((counts.count(count), counts[0]) for count in counts if count), default=(0, 0))


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


def _row_by_column(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return {name: cells[place] if place < len(cells) else "" for place, name in enumerate(header)}


@dataclass(frozen=True, slots=True)
class _CsvRecord:
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
        record = _read_record(lines, at, delimiter)
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


def _read_record(lines: Sequence[str], at: int, delimiter: str) -> _CsvRecord:
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter)
    try:
        row = next(reader)
    except csv.Error as error:
        return _CsvRecord(None, len(lines) - at, str(error))
    taken = reader.line_num
    return _CsvRecord(row, taken, _strict_error(lines[at : at + taken], delimiter))


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
