"""Number the paragraphs of slides as PowerPoint shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kohaku_lib.documents.formats.shared.list_numbers import formatted_number

_DRAW = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_FORMATS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_SIGNS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}", "Minus": "{}-"}


def list_labels(paragraphs: Iterable[Any]) -> list[str]:
    """Return the number that each paragraph of a text frame is shown with, "" where it has none.

    Numbers go on over deeper paragraphs; another kind of number or a paragraph without one begins anew. Numbers that only
    the layout of the slide states are not known.
    """
    labels: list[str] = []
    reached: dict[int, tuple[str, int]] = {}  # by level: the kind of number, and the last one
    for paragraph in paragraphs:
        level = paragraph.level
        reached = {above: state for above, state in reached.items() if above <= level}
        stated = _numbering_of(paragraph._p, level)
        if stated is None:
            if paragraph.text.strip():
                reached.pop(level, None)
            labels.append("")
            continue
        kind, start = stated.get("type") or "arabicPeriod", int(stated.get("startAt") or 1)
        last = reached.get(level)
        number = last[1] + 1 if last is not None and last[0] == kind else start
        if paragraph.text.strip():
            reached[level] = kind, number
        labels.append(_label(kind, number))
    return labels


def _numbering_of(paragraph: Any, level: int) -> Any:
    """Return what a paragraph, else the list style of its shape, states of numbers, None if it has none."""
    styles = paragraph.getparent().find(f"{_DRAW}lstStyle")
    for properties in (
        paragraph.find(f"{_DRAW}pPr"),
        None if styles is None else styles.find(f"{_DRAW}lvl{level + 1}pPr"),
    ):
        for name in ("buAutoNum", "buNone", "buChar", "buBlip"):
            found = None if properties is None else properties.find(f"{_DRAW}{name}")
            if found is not None:
                return found if name == "buAutoNum" else None
    return None


def _label(kind: str, number: int) -> str:
    sign = next((sign for sign in _SIGNS if kind.endswith(sign)), "")
    form = _FORMATS.get(kind.removesuffix(sign), "decimal")
    return _SIGNS.get(sign, "{}.").format(formatted_number(number, form))
