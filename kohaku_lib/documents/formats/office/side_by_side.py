"""Tell tables that stand side by side from a table with an empty column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.documents.formats.office.sheet_heads import kind_of_cell, kind_of_column


def table_columns(rows: Sequence[Sequence[str]]) -> list[slice]:
    """Return the columns of each table in a block of rows: all columns unless empty ones separate several tables.

    A table has names over all of its columns and, but for the first one, a first column that tells its rows apart. Since
    a table may have empty columns too, tables must have other rows, the same names, the same kinds of columns or a title
    each, or be more than one column apart.

    >>> rows = [["City", "Trams", "", "Shop", "Sales"], ["Graz", "6", "", "York", "31"], ["Linz", "4", "", "Hull", "28"]]
    >>> table_columns(rows), table_columns([["Item", "", "Cost"], ["Rent", "", "90"]])
    ([slice(0, 3, None), slice(3, None, None)], [slice(None, None, None)])
    """
    runs = _filled_runs(rows)
    parts = [_part(rows, run) for run in runs]
    tables = [part for part in parts if part is not None]
    if len(parts) < 2 or len(tables) < len(parts):
        return [slice(None)]
    is_repeated = len({part.head for part in tables}) == 1
    is_titled = all(part.has_title for part in tables)
    is_uneven = len({(part.top, part.bottom) for part in tables}) > 1
    is_sure = is_repeated or is_titled
    kinds = ("text", "code") if not (is_sure or is_uneven) else ("text", "code", "year", "date", "time", "address")
    is_apart = any(after.start - before.stop > 1 for before, after in pairwise(runs))
    is_alike = len({part.kinds for part in tables}) == 1
    if not (is_sure or is_uneven or is_apart or is_alike):
        return [slice(None)]
    if not is_sure and not all(part.kinds[0] in kinds and part.is_keyed for part in tables[1:]):
        return [slice(None)]
    starts = [0, *(run.start for run in runs[1:])]
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], None], strict=True)]


@dataclass(frozen=True, slots=True)
class _Part:
    """What the columns between two empty ones say of their table; `top` and `bottom` are the rows of its body."""

    head: tuple[str, ...]
    kinds: tuple[str, ...]
    top: int
    bottom: int
    has_title: bool
    is_keyed: bool


_TOTAL = re.compile(r"(?:sub|grand )?(?:total|sum|summe|gesamt|average|mean)\b.*", re.IGNORECASE)


def _filled_runs(rows: Sequence[Sequence[str]]) -> list[range]:
    filled = {at for row in rows for at, cell in enumerate(row) if cell.strip()}
    starts = sorted(at for at in filled if at - 1 not in filled)
    ends = sorted(at for at in filled if at + 1 not in filled)
    return [range(start, end + 1) for start, end in zip(starts, ends, strict=True)]


def _part(rows: Sequence[Sequence[str]], run: range) -> _Part | None:
    """Return the part of `rows` in the columns of `run`, None if it is no table by itself."""
    cells = [[row[at].strip() if at < len(row) else "" for at in run] for row in rows]
    numbers = [number for number, row in enumerate(cells) if any(row)]
    has_title = len(numbers) > 1 and sum(map(bool, cells[numbers[0]])) == 1
    head, *body = [number for number in numbers if number > numbers[0] or not has_title]
    while body and _TOTAL.fullmatch(next(filter(None, cells[body[-1]]))):
        body.pop()
    names = [kind_of_cell(cell) for cell in cells[head]]
    keys = [cells[number][0] for number in body]
    is_named = all(cells[head]) and names[0] == "text" and set(names) <= {"text", "year", "code"}
    if len(run) < 2 or not body or not is_named or not all(keys):
        return None
    kinds = tuple(kind_of_column(column) for column in zip(*(cells[number] for number in body), strict=True))
    return _Part(tuple(cells[head]), kinds, body[0], body[-1], has_title, len(set(keys)) == len(keys))
