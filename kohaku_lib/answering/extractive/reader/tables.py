"""Tables of a text in Markdown, with the column of every cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.extractive.table_lines import has_bars
from kohaku_lib.text.table_rows import is_rule, row_cells


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells and its line in the text."""

    cells: tuple[str, ...]
    line: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the line above it, the names of its columns ("" where a column has none), and its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def blocks_of(text: str) -> list[str | Table]:
    r"""Return the tables of `text` and the texts between them, in order.

    A second header row, whose first cell is empty and which has no numbers, is joined to the first: the column below
    "2025" and "Orders" is "2025 Orders". The last line above a table is its caption and part of the text before it.
    Two lines or more of two columns that blanks keep apart are a table without names of columns.

    >>> [table] = blocks_of("| City | Trams |\n| --- | --- |\n| Graz | 6 |")
    >>> table.columns, table.rows[0].cells
    (('City', 'Trams'), ('Graz', '6'))
    """
    blocks: list[str | Table] = []
    prose: list[str] = []
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        end = _end_of_run(lines, start, has_bars)
        aligned_end = _end_of_run(lines, start, _IS_ALIGNED.fullmatch)
        if end == start and aligned_end < start + _LEAST_ALIGNED:
            prose.append(lines[start])
            start += 1
            continue
        if any(map(str.strip, prose)):
            blocks.append("\n".join(prose))
        if end > start:
            blocks.append(_table(_caption(prose), lines[start:end]))
        else:
            end = aligned_end
            blocks.append(_aligned_table(_caption(prose), lines[start:end]))
        prose, start = [], end
    if any(map(str.strip, prose)):
        blocks.append("\n".join(prose))
    return blocks


def is_remark(row: Row) -> bool:
    """Return whether a row is a sentence in a sheet: one cell of several words alone.

    >>> [is_remark(Row(cells, "")) for cells in (("Closed in May since it floods", ""), ("Graz", ""), ("Graz", "6"))]
    [True, False, False]
    """
    filled = [cell for cell in row.cells if cell]
    return len(row.cells) > 1 and len(filled) == 1 and len(filled[0].split()) >= _LEAST_REMARK


def linearised(columns: Sequence[str], cells: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a row as a sentence that names the column of each cell, and the offsets of its cells.

    >>> linearised(["City", "Trams"], ["Graz", "6"])
    ('City: Graz; Trams: 6.', [(6, 10), (19, 20)])
    """
    text, spans = "", []
    for column, cell in zip(columns, cells, strict=True):
        text += f"{'; ' if text else ''}{f'{column}: ' if column else ''}"
        spans.append((len(text), len(text) + len(cell)))
        text += cell
    return f"{text}.", spans


_IS_ALIGNED = re.compile(r"\s*\S+(?: \S+)*(?: {3,}|\t+)\S+(?: \S+)*\s*")  # two columns
_LEAST_ALIGNED = 2  # lines
_AMOUNT = re.compile(r"[-+($€£<~±]*\d")
_LEAST_REMARK = 5  # words
_MOST_CAPTION = 200  # characters


def _end_of_run(lines: Sequence[str], start: int, is_row: Callable[[str], object]) -> int:
    """Return the end of the lines from `start` on that are rows."""
    return next((place for place in range(start, len(lines)) if not is_row(lines[place])), len(lines))


def _aligned_table(caption: str, lines: Sequence[str]) -> Table:
    rows = tuple(Row(tuple(re.split(r"\s{3,}|\t+", line.strip(), maxsplit=1)), line.strip()) for line in lines)
    return Table(caption, ("", ""), rows)


def _table(caption: str, lines: Sequence[str]) -> Table:
    rows = [Row(tuple(row_cells(line)), line.strip()) for line in lines]
    rules = [place for place, row in enumerate(rows) if is_rule(row.line)]
    heads, body = (rows[: rules[0]], rows[rules[0] + 1 :]) if rules else ([], rows)
    width = max(len(row.cells) for row in rows)
    columns = _padded(heads[-1].cells, width) if heads else ("",) * width
    if heads and body and _is_second_head(body[0]):
        columns, body = _joined_heads(columns, _padded(body[0].cells, width)), body[1:]
    return Table(caption, columns, tuple(Row(_padded(row.cells, width), row.line) for row in body))


def _padded(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * (width - len(cells)))


def _is_second_head(row: Row) -> bool:
    return not row.cells[0] and any(row.cells) and not any(map(_AMOUNT.match, row.cells))


def _joined_heads(above: Sequence[str], below: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        f"{group} {name}".strip() if name else group for group, name in zip(_carried(above), below, strict=True)
    )


def _carried(names: Sequence[str]) -> Iterator[str]:
    """Yield each name, an empty one as the last before it: that of a cell that spans columns."""
    last = ""
    for name in names:
        last = name or last
        yield last


def _caption(prose: Sequence[str]) -> str:
    last = next((line.strip() for line in reversed(prose) if line.strip()), "")
    return last if len(last) <= _MOST_CAPTION else ""
