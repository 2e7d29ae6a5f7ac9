"""Tell forms, whose rows are a label and its value, from tables with a header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Line
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left

_COLONS = (":", "：")


def without_head_of_form(table: PageTable, lines: Sequence[Line]) -> PageTable:
    """Return a table of two columns without a header if its first row is a label and its value, else as it is.

    There the label alone is bold or ends with a colon. `lines` are those of the page.
    """
    label, *values = table.rows[0]
    if len(values) != 1 or not label or not values[0] or not table.row_boxes:
        return table
    has_colon = label.endswith(_COLONS) and not values[0].endswith(_COLONS)
    own = [line for line in lines if table.row_boxes[0].contains_centre(line.box)]
    crossing = any(line.mixed and line.box.x0 < edge < line.box.x1 for edge in table.edges[1:-1] for line in own)
    if not (has_colon or crossing or _has_bold_label(own)):
        return table
    return replace(table, rows=(("", ""), *table.rows), row_boxes=(table.row_boxes[0], *table.row_boxes))


def _has_bold_label(lines: Sequence[Line]) -> bool:
    bold, plain = ([line for line in lines if line.bold is is_bold and not line.mixed] for is_bold in (True, False))
    if is_right_to_left(" ".join(line.text for line in lines)):
        bold, plain = plain, bold  # the label stands on the right
    return bool(bold and plain) and max(line.box.x1 for line in bold) <= min(line.box.x0 for line in plain)
