"""Cells that run over several lines, made one row again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.documents.pdf.page_text import Box
from kohaku_lib.documents.pdf.tables import is_number

_GOES_ON = re.compile(r"[a-z(&,]")
_LINKING = re.compile(r"(?:\b(?:and|of|the|for|in|to|on|by|from|with|or|attributable|per|less)|[,&—–-])\Z", re.I)
_HEADS_OTHERS = re.compile(r"(?::|\bof which)\Z")
_WIDEST_STEP_LINES = 1.0


@dataclass(frozen=True, slots=True)
class BodyRow:
    """The cells of a row by column, and its place."""

    cells: list[str]
    box: Box


def unwrapped(rows: Sequence[BodyRow]) -> list[BodyRow]:
    """Return the rows with labels and words that go on in the next line made whole.

    A line without numbers goes on in the next where that begins with a small letter or it ends with a linking
    word; a line of words without a label goes on with the row above.
    """
    kept: list[BodyRow] = []
    for row in rows:
        if kept and _goes_on(kept[-1], row):
            cells = [" ".join(filter(None, pair)) for pair in zip(kept[-1].cells, row.cells, strict=True)]
            kept[-1] = BodyRow(cells, kept[-1].box | row.box)
        else:
            kept.append(row)
    return kept


def _goes_on(above: BodyRow, row: BodyRow) -> bool:
    if row.box.y0 - above.box.y1 > _WIDEST_STEP_LINES * row.box.height:
        return False
    if any(map(is_number, above.cells[1:])) and any(map(is_number, row.cells[1:])):
        return False
    label, next_label = above.cells[0], row.cells[0]
    if not next_label:
        return all(
            not cell or (cell_above and not is_number(cell_above))
            for cell, cell_above in zip(row.cells, above.cells, strict=True)
        )
    if any(row.cells[1:]) and any(above.cells[1:]):
        return False
    return (
        bool(label)
        and (_GOES_ON.match(next_label) is not None or _LINKING.search(label) is not None)
        and _HEADS_OTHERS.search(label) is None
    )
