"""The text of an item as the viewer shows it: Markdown tables as tables, all else as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from kohaku_lib.text.table_rows import is_rule, row_cells


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines of text, or of a table the cells of its header and of its rows."""

    text: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def text_blocks(text: str) -> Iterator[TextBlock]:
    r"""Yield the tables of `text` and what stands between them, in order; rows without a rule below the first are text.

    >>> [one.header or one.text for one in text_blocks("Prices\n| Item | € |\n| --- | --- |\n| Key | 5 |\n\nNet.")]
    ['Prices', ('Item', '€'), 'Net.']
    """
    for is_table, run in groupby(text.split("\n"), key=lambda line: line.strip().startswith("|")):
        lines = list(run)
        if is_table and len(lines) > 1 and is_rule(lines[1]):
            header, _, *rows = (tuple(row_cells(line)) for line in lines)
            yield TextBlock(header=header, rows=tuple(rows))
        elif any(line.strip() for line in lines):
            yield TextBlock("\n".join(lines).strip("\n"))
