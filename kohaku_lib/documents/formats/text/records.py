"""Write nested values, as JSON has them, to an outline: records as tables, other objects as lines under headings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from textwrap import shorten
from typing import Any

from kohaku_lib.documents.formats.office.spreadsheet_tables import MOST_ROWS, headed_tables, sheet_paragraphs
from kohaku_lib.documents.outline import Outline
from kohaku_lib.tables import ParagraphPayload, SentencePayload

_DEEPEST_HEADING = 6
_LONGEST_NAME = 200  # characters of a dotted name; below it a value stands in one text
_LONGEST_ROW = 1000  # characters of an average record that is read better by lines than in a table
_FREE_CELLS, _CELLS_PER_CELL = 20_000, 20  # limit of a table: a base plus a multiple of the cells that have a value
_FREE_CHARS, _CHARS_PER_CHAR = 200_000, 20  # the same for the text of its repeated header


def add_value(outline: Outline, value: Any, level: int = 1) -> None:
    """Add an object or list to `outline`, whose parts get headings of `level` and below.

    Texts of an object are lines "key: value", and its objects and lists of objects follow under their keys. Records
    become tables (see `add_records`), lists of lists the rows of a sheet, other lists a list of their items.

    >>> outline = Outline()
    >>> add_value(outline, {"hive": "north", "size": {"frames": 10}})
    >>> [(section.title, section.paragraphs[0].text) for section in outline.sections("Hives")]
    [('Hives', 'hive: north'), ('size', 'frames: 10')]
    """
    if isinstance(value, Mapping):
        _add_object(outline, value, level)
    elif isinstance(value, list):
        _add_list(outline, value)
    elif value is not None:
        add_lines(outline, [_text_of(value)])


def add_records(outline: Outline, records: Sequence[Mapping[str, Any]], caption: str = "") -> None:
    """Add records as tables of up to 50 rows, with a column for each key in the order in which keys come first.

    The keys of nested objects are joined by dots and lists by "; ". Records of long texts, or with hardly a key in
    common, are a paragraph of lines "key: value" each.

    >>> outline = Outline()
    >>> add_records(outline, [{"bee": "Ann", "at": {"hive": 1}}, {"bee": "Bo", "jobs": ["guard", "nurse"]}])
    >>> print(outline.sections("Bees")[0].paragraphs[0].text)
    | bee | at.hive | jobs |
    | --- | --- | --- |
    | Ann | 1 |  |
    | Bo |  | guard; nurse |
    """
    rows = [dict(_flat(record)) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    chars = sum(len(text) for row in rows for text in row.values())
    if chars > _LONGEST_ROW * len(rows) or _is_sparse(rows, names, chars):
        for row in rows:
            add_lines(outline, [f"{name}: {text}" for name, text in row.items() if text])
        return
    numbered = enumerate(([row.get(name, "") for name in names] for row in rows), start=1)
    chunks = iter(lambda: list(islice(numbered, MOST_ROWS)), [])
    for paragraph in headed_tables(names, chunks, caption, {}):
        outline.add(paragraph)


def add_lines(outline: Outline, lines: Sequence[str]) -> None:
    r"""Add lines as paragraphs of up to 50, each line a sentence.

    >>> outline = Outline()
    >>> add_lines(outline, ["hive: north", "frames: 10"])
    >>> outline.sections("Hives")[0].paragraphs[0].text
    'hive: north\nframes: 10'
    """
    for start in range(0, len(lines), MOST_ROWS):
        chunk = [" ".join(line.split()) for line in lines[start : start + MOST_ROWS]]
        outline.add(ParagraphPayload("\n".join(chunk), tuple(map(SentencePayload, chunk)) if len(chunk) > 1 else None))


def _is_sparse(rows: Sequence[Mapping[str, str]], names: Sequence[str], chars: int) -> bool:
    """Return whether a table of `rows` would be mostly empty cells, or mostly headers."""
    most_cells = _FREE_CELLS + _CELLS_PER_CELL * sum(map(len, rows))
    most_chars = _FREE_CHARS + _CHARS_PER_CHAR * (chars + sum(len(name) for row in rows for name in row))
    header_chars = sum(map(len, names)) * (len(rows) // MOST_ROWS + 1)
    return len(names) * len(rows) > most_cells or header_chars > most_chars


def _add_object(outline: Outline, value: Mapping[str, Any], level: int) -> None:
    if level > _DEEPEST_HEADING:
        add_lines(outline, [f"{name}: {text}" for name, text in _flat(value) if text])
        return
    parts = {key: inner for key, inner in value.items() if _is_part(inner)}
    texts = ((key, _text_of(inner)) for key, inner in value.items() if key not in parts)
    add_lines(outline, [f"{key}: {text}" for key, text in texts if text])
    for key, inner in parts.items():
        outline.heading(level, shorten(key, _LONGEST_NAME, placeholder=" …") or "–")
        add_value(outline, inner, level + 1)


def _is_part(value: Any) -> bool:
    """Return whether a value stands under a heading of its own: an object, or a list with one."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value)
    )


def _add_list(outline: Outline, value: list[Any]) -> None:
    if value and all(isinstance(one, Mapping) for one in value):
        add_records(outline, value)
    elif value and all(isinstance(one, list) for one in value):
        for paragraph in sheet_paragraphs(enumerate(([_text_of(cell) for cell in row] for row in value), start=1), {}):
            outline.add(paragraph)
    else:
        add_lines(outline, [f"- {text}" for text in map(_text_of, value) if text])


def _flat(value: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted names and the texts of an object's values."""
    for key, inner in value.items():
        name = f"{above}.{key}" if above else key
        if isinstance(inner, Mapping) and inner and len(name) <= _LONGEST_NAME:
            yield from _flat(inner, name)
        else:
            yield name, _text_of(inner)


def _text_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text_of(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(text for text in map(_text_of, value) if text)
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return str(value).strip()
