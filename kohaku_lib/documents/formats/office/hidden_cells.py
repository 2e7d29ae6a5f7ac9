"""Leave the hidden rows and columns of a sheet out, and name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field


@dataclass(slots=True)
class HiddenCells:
    """The hidden rows and columns of a sheet that have values; numbers are 1-based.

    >>> hidden = HiddenCells()
    >>> list(hidden.visible([(1, ["a", "b", "c"]), (2, ["x"]), (3, ["y"])], {2, 3}, {2}))
    [(1, ['a', 'c'])]
    >>> list(hidden.places())
    ['rows 2-3', 'column B']
    """

    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)

    def visible(
        self, rows: Iterable[tuple[int, list[str]]], hidden_rows: Set[int], hidden_columns: Set[int]
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield the visible rows and cells of numbered rows, and add those that are left out and have values."""
        for number, row in rows:
            if number not in hidden_rows:
                self.columns.update(column for column in hidden_columns if column <= len(row) and row[column - 1])
                yield number, trimmed([cell for column, cell in enumerate(row, 1) if column not in hidden_columns])
            elif any(row):
                self.rows.add(number)

    def places(self) -> Iterator[str]:
        """Yield the name of each stretch of rows and columns that is left out."""
        from openpyxl.utils.cell import get_column_letter

        for noun, numbers, name in (("row", self.rows, str), ("column", self.columns, get_column_letter)):
            starts = sorted(number for number in numbers if number - 1 not in numbers)
            ends = sorted(number for number in numbers if number + 1 not in numbers)
            for start, end in zip(starts, ends, strict=True):
                yield f"{noun} {name(start)}" if start == end else f"{noun}s {name(start)}-{name(end)}"


def trimmed(cells: list[str]) -> list[str]:
    """Remove the blank cells at the end of a row."""
    while cells and not cells[-1]:
        cells.pop()
    return cells
