"""Put the text boxes of Word files where each is read once."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import WORD

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_BOX = f"{WORD}txbxContent"


def place_text_boxes(part: Any) -> None:
    """Resolve alternative content, which holds each box twice, and move the boxes out of their drawings.

    A box is then read after the paragraph to which it is anchored.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    for alternatives in list(part.iter(f"{_COMPATIBILITY}AlternateContent")):
        parent = alternatives.getparent()
        at = parent.index(alternatives)
        parent[at : at + 1] = list(_chosen(alternatives))
    for drawing in list(part.iter(f"{WORD}drawing")):
        boxes = [box for box in drawing.iter(_BOX) if not _is_within_box(box, drawing)]
        if boxes:
            picture = etree.Element(f"{WORD}pict")
            picture.extend(boxes)
            drawing.addnext(picture)


def _chosen(alternatives: Any) -> Any:
    choice, fallback = (alternatives.find(_COMPATIBILITY + name) for name in ("Choice", "Fallback"))
    if choice is not None and (fallback is None or not len(fallback) or next(choice.iter(_BOX), None) is not None):
        return choice
    return fallback if fallback is not None else ()


def _is_within_box(box: Any, drawing: Any) -> bool:
    above = box.getparent()
    while above is not drawing and above.tag != _BOX:
        above = above.getparent()
    return above is not drawing
