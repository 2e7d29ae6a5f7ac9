"""CSV files of questions and answers, in whatever encoding people save them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from kohaku_lib.errors import InputFileError


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of the CSV at `path` as text by column, in order; a short row is filled with "".

    UTF-8 with or without a byte-order mark, UTF-16 with one, else Windows-1252; quoted cells may hold line
    breaks; rows without any text are skipped. Raises InputFileError where the file cannot be read or is no CSV.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        msg = f"A CSV file of answers must be readable, but {str(path)!r} is not ({error.strerror}); check its path."
        raise InputFileError(msg) from error
    reader = csv.DictReader(io.StringIO(decode_csv(content), newline=""), restval="")
    try:
        return [plain for row in reader if any((plain := _plain_row(row)).values())]
    except csv.Error as error:
        msg = f"{str(path)!r} must be a CSV file, but line {reader.line_num} is not ({error}); save it as CSV again."
        raise InputFileError(msg) from error


def decode_csv(content: bytes) -> str:
    r"""Return the text of a CSV's bytes: UTF-8 or UTF-16 by their marks, else UTF-8, else Windows-1252.

    >>> decode_csv(b"\xef\xbb\xbfid"), decode_csv(b"caf\xe9")
    ('id', 'café')
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _plain_row(row: dict[str, str]) -> dict[str, str]:
    return {name.strip(): cell for name, cell in row.items() if isinstance(name, str) and isinstance(cell, str)}
