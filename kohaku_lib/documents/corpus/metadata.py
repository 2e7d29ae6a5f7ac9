"""Read the document metadata in metadata.csv."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.documents.corpus.csv_rows import LONGEST_CELL, delimiter_of, ends_within_quotes
from kohaku_lib.documents.formats.shared.decoding import decode_text, repair_double_encoding
from kohaku_lib.errors import InputFileError
from kohaku_lib.storage.csv_cells import cells_of_any_length


@dataclass(frozen=True, slots=True)
class MetadataTable:
    """The valid rows by id, in file order and without the id column, and the problems of the others."""

    rows: dict[str, dict[str, str]]
    problems: tuple[str, ...] = ()


def read_metadata(path: Path) -> MetadataTable:
    """Read a CSV with a column `id` (and usually type, title, year, citation, url) in any encoding.

    Values are trimmed and empty ones dropped; double-encoded text is repaired. Rows without an id, with a duplicate id
    or with a cell of more than 131,072 characters are rejected and reported.

    Raises:
        InputFileError: The file cannot be read or has no column `id`.

    """
    decoded = decode_text(_read_bytes(path))
    problems = _encoding_problems(path, decoded.replaced_bytes)
    if ends_within_quotes(decoded.text):
        problems.append(f"{path.name}: a quoted cell is never closed and contains all following rows; close its quotes")
    rows: dict[str, dict[str, str]] = {}
    with cells_of_any_length():
        _add_rows(decoded.text, path, rows, problems)
    return MetadataTable(rows, tuple(problems))


def _add_rows(text: str, path: Path, rows: dict[str, dict[str, str]], problems: list[str]) -> None:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=False)
    try:
        names = [name.strip() for name in next(reader, [])]
        if "id" not in names:
            columns = repr(names)[:300]
            msg = f"the metadata file {str(path)!r} needs a column named 'id' in its first line, found {columns}"
            raise InputFileError(msg)
        for values in reader:
            _add_row(dict(zip(names, values, strict=False)), rows, problems, f"{path.name} line {reader.line_num}")
    except csv.Error as fault:
        problems.append(f"{path.name} line {reader.line_num}: the rest of the file cannot be read ({fault})")


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        reason = fault.strerror or type(fault).__name__
        msg = (
            f"the metadata file {str(path)!r} cannot be read ({reason}); correct corpus.metadata or remove the setting"
        )
        raise InputFileError(msg) from fault


def _encoding_problems(path: Path, replaced: int) -> list[str]:
    return [f"{path.name}: {replaced} unreadable bytes were replaced by U+FFFD"] if replaced else []


def _add_row(values: dict[str, str], rows: dict[str, dict[str, str]], problems: list[str], place: str) -> None:
    longest = max(map(len, values.values()), default=0)
    if longest > LONGEST_CELL:
        problems.append(f"{place}: a cell has {longest} characters, more than {LONGEST_CELL}; the row is left out")
        return
    clean = {name: repair_double_encoding(value).strip() for name, value in values.items() if name}
    if not any(clean.values()):
        return
    identifier = clean.pop("id", "")
    if not identifier:
        problems.append(f"{place}: the row has no id and is left out")
    elif identifier in rows:
        problems.append(f"{place}: the id {identifier!r} is repeated, and the row is left out")
    else:
        rows[identifier] = {name: value for name, value in clean.items() if value}
