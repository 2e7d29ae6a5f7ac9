"""Rows of a CSV file as people's programs write it: byte-order marks, Windows-1252, CRLF, quoted line breaks."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from kohaku_lib.errors import InputFileError


def read_csv_rows(path: Path, required: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the rows of the CSV file at `path` with the header's columns in order; missing cells are "".

    UTF-8 and UTF-16 with or without a mark are read, else Windows-1252; cells beyond the header are left out. Raises
    InputFileError where the file cannot be read as CSV or lacks a `required` column.
    """
    try:
        text = _decode(path.read_bytes())
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a CSV file with the columns {', '.join(required)}"
        raise InputFileError(msg) from error
    except csv.Error as error:
        msg = f"{path} is no CSV file ({error}); save it as CSV with quoted cells"
        raise InputFileError(msg) from error
    header = [name.strip() for name in lines[0]] if lines else []
    _check_header(path, header, required)
    return [_row(header, cells) for cells in lines[1:] if any(cell.strip() for cell in cells)]


def _decode(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _check_header(path: Path, header: list[str], required: tuple[str, ...]) -> None:
    missing = [name for name in required if name not in header]
    if missing:
        found = ", ".join(repr(name) for name in header) or "none"
        msg = f"{path} lacks the column {missing[0]!r} (columns found: {found}); add it to the header"
        raise InputFileError(msg)


def _row(header: list[str], cells: list[str]) -> dict[str, str]:
    return {name: cells[place] if place < len(cells) else "" for place, name in enumerate(header)}
