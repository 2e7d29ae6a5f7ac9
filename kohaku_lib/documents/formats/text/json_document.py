"""Parse JSON, one value or one per line, into payloads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import nonblank_text_of
from kohaku_lib.documents.formats.text.records import add_value
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_AS_WRITTEN = {"parse_int": str, "parse_float": str, "parse_constant": str}
_MOST_DIGITS = 640  # of an integer; Python may be told to convert no more
_MOST_NAMED = 20  # lines that are told by their number


def parse_json(text: str, document_id: str, title: str) -> DocumentPayload:
    r"""Parse one JSON value: records become tables, other objects lines "key: value" under headings by their keys.

    Numbers stand as they are written.

    >>> payload = parse_json('{"unit": "EUR", "prices": [{"item": "tea", "price": 2.50}]}', "a", "menu")
    >>> [(section.title, section.paragraphs[0].text) for section in payload.sections]
    [('menu', 'unit: EUR'), ('prices', '| item | price |\n| --- | --- |\n| tea | 2.50 |')]

    Raises:
        DocumentError: The text is not valid JSON or has no value with text.

    """
    return _payload(json_value(text, title, **_AS_WRITTEN), document_id, title, {})


def parse_json_lines_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a file with a JSON value on each line as one list of them.

    Lines that are not valid JSON are counted as `unread_lines` in the metadata, and the first 20 of their numbers are told.

    Raises:
        DocumentError: The file cannot be read, or no line has a value with text.

    """
    values, unread = [], []
    for number, line in enumerate(nonblank_text_of(path).split("\n"), start=1):
        try:
            values += [json_value(line, path.name, **_AS_WRITTEN)] if line.strip() else []
        except DocumentError:
            unread.append(number)
    if not values:
        msg = f"no line of {path.name!r} is JSON; the first that is not is line {unread[0]}"
        raise DocumentError(msg)
    lost = {"unread_lines": {"count": len(unread), "first": unread[:_MOST_NAMED]}} if unread else {}
    return _payload(values, document_id, path.stem, lost)


def json_value(text: str, name: str, **options: Any) -> Any:
    """Return the value of the JSON `text`, which messages call `name`, as `json.loads` does with `options`.

    An integer of more than 640 digits is a text of its digits.

    >>> json_value("[1, 2.50]", "prices", parse_float=str)
    [1, '2.50']

    Raises:
        DocumentError: The text is not valid JSON, or nests too many values within each other.

    """
    options.setdefault("parse_int", _integer)
    try:
        return json.loads(text, **options)
    except RecursionError as fault:
        msg = f"{name!r} nests too many values within each other"
        raise DocumentError(msg) from fault
    except ValueError as fault:
        msg = f"{name!r} is not valid JSON ({fault})"
        raise DocumentError(msg) from fault


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _payload(value: Any, document_id: str, title: str, metadata: dict[str, Any]) -> DocumentPayload:
    outline = Outline()
    try:
        add_value(outline, value)
    except RecursionError as fault:
        msg = f"{title!r} nests too many values within each other"
        raise DocumentError(msg) from fault
    if outline.is_empty:
        msg = f"{title!r} contains no text"
        raise DocumentError(msg)
    return outline.payload(document_id, title, metadata)
