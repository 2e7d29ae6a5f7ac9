"""Escaping of CSV cells that a spreadsheet would evaluate as a formula."""

from __future__ import annotations

from kohaku_lib.values import parse_value

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide ones count in East Asian editions
_ACTS = frozenset("(|!")  # needed to call a function, start a program or read another sheet
_EXACT = frozenset({"id", "ref_id", "answer_value"})  # what a competition compares


def escaped(column: str, cell: str) -> str:
    """Return `cell`, prefixed with an apostrophe if a spreadsheet would evaluate it as a formula.

    Numbers and ranges are unchanged, including negative ones. In id, ref_id and answer_value, which are compared
    exactly, harmless cells that only begin like a formula are unchanged too.

    >>> escaped("explanation", "=HYPERLINK(A1)"), escaped("explanation", "- first point")
    ("'=HYPERLINK(A1)", "'- first point")
    >>> escaped("answer_value", "-5.2"), escaped("answer_value", "@kohaku"), escaped("answer_value", "=1+cmd|'x'!A0")
    ('-5.2', '@kohaku', "'=1+cmd|'x'!A0")
    """
    if not cell.startswith(_STARTS) or (column in _EXACT and _ACTS.isdisjoint(cell)):
        return cell
    is_figure = parse_value(cell).kind in ("number", "range") and _ACTS.isdisjoint(cell)
    return cell if is_figure and cell[0] in "+-" else f"'{cell}"
