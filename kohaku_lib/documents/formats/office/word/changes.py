"""Accept the tracked changes of Word files."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import WORD, child_of

_REMOVED = (f"{WORD}del", f"{WORD}moveFrom")
_PROPERTIES = (f"{WORD}rPr", f"{WORD}trPr", f"{WORD}numPr")  # in which a removal marks the paragraph or row around it
_CONTENT = tuple(WORD + name for name in ("r", "hyperlink", "sdt", "ins", "moveTo", "smartTag", "fldSimple"))


def accept_changes(part: Any) -> None:
    """Remove deleted and moved text, rows and cells from a part of a Word file; what was inserted stays.

    A paragraph whose end was deleted is joined to the one that follows it.
    """
    for removed in list(part.iter(*_REMOVED)):
        if removed.getparent() is not None and removed.getparent().tag not in _PROPERTIES:
            removed.getparent().remove(removed)
    for row in list(part.iter(f"{WORD}tr")):
        if child_of(row, "trPr/del") is not None:
            row.getparent().remove(row)
    for cell in list(part.iter(f"{WORD}tc")):
        if child_of(cell, "tcPr/cellDel") is not None:
            for paragraph in list(cell.iterchildren(f"{WORD}p", f"{WORD}tbl")):
                cell.remove(paragraph)
    for paragraph in list(part.iter(f"{WORD}p")):
        if any(child_of(paragraph, f"pPr/rPr/{name}") is not None for name in ("del", "moveFrom")):
            _join_to_next(paragraph)


def _join_to_next(paragraph: Any) -> None:
    content = [child for child in paragraph if child.tag != f"{WORD}pPr"]
    following = paragraph.getnext()
    if any(child.tag in _CONTENT for child in content):
        if following is None or following.tag != f"{WORD}p":
            return
        start = 0 if child_of(following, "pPr") is None else 1
        following[start:start] = content
    paragraph.getparent().remove(paragraph)
