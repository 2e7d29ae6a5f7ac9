"""Escaping of CSV cells that a spreadsheet would evaluate as a formula."""

from __future__ import annotations

from kohaku_lib.values import parse_value

_FORMULA_STARTS = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "＝",
    "＋",
    "－",
    "＠",
)  # the wide ones count in East Asian editions
_FORMULA_SIGNS = frozenset("(|!")  # needed to call a function, start a program or read another sheet
_EXACT_COLUMNS = frozenset({"id", "ref_id", "answer_value"})  # what a competition compares


def escape_formula(column: str, cell: str) -> str:
    """Return `cell`, prefixed with an apostrophe if a spreadsheet would evaluate it as a formula.

    Numbers and ranges are unchanged, including negative ones. In id, ref_id and answer_value, which are compared
    exactly, harmless cells that only begin like a formula are unchanged too.

    >>> escape_formula("explanation", "=HYPERLINK(A1)"), escape_formula("explanation", "- first point")
    ("'=HYPERLINK(A1)", "'- first point")
    >>> [escape_formula("answer_value", cell) for cell in ("-5.2", "@kohaku", "=1+cmd|'x'!A0")]
    ['-5.2', '@kohaku', "'=1+cmd|'x'!A0"]
    """
    if not cell.startswith(_FORMULA_STARTS) or (column in _EXACT_COLUMNS and _FORMULA_SIGNS.isdisjoint(cell)):
        return cell
    is_figure = parse_value(cell).kind in ("number", "range") and _FORMULA_SIGNS.isdisjoint(cell)
    return cell if is_figure and cell[0] in "+-" else f"'{cell}"
