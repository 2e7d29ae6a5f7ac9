"""Read what a PDF says outside the text of its pages: the notes on them, and the layers that are switched off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.text.page_text import Box
from kohaku_lib.documents.lost_parts import MOST_HIDDEN

if TYPE_CHECKING:
    import pymupdf

_MOST_CHARS = 200  # of the words that a note is on
_MARKS = frozenset((8, 9, 10, 11))  # highlighted, underlined or struck-out words among the kinds of notes
_NOTES = _MARKS | {
    0,
    4,
    5,
    6,
    7,
    12,
    13,
    14,
    15,
}  # those whose contents are not drawn on the page: notes, shapes, stamps


def surroundings(document: pymupdf.Document) -> dict[str, Any]:
    """Return the notes on the pages (`comments`) and the texts of layers that are off (`hidden_text`), if there are any.

    A note has its author and the words that it marks. What it shows on the page is text of the page. The layers of
    `document` are on afterwards.
    """
    noted = [note for number in range(document.page_count) for note in _notes(document, number)]
    hidden = list(_hidden_lines(document))
    return ({"comments": noted} if noted else {}) | ({"hidden_text": hidden[:MOST_HIDDEN]} if hidden else {})


def _notes(document: pymupdf.Document, number: int) -> Iterator[str]:
    if not any(kind in _NOTES for _, kind, _ in document.page_annot_xrefs(number)):
        return
    page: Any = document[number]
    for note in page.annots(types=sorted(_NOTES)):
        text, author = (" ".join((note.info.get(key) or "").split()) for key in ("content", "title"))
        subject = shorten(_marked(page, note), _MOST_CHARS, placeholder=" …") if note.type[0] in _MARKS else ""
        if text and text != subject:
            yield f'{author or "Unknown"} on "{subject}": {text}' if subject else f"{author or 'Unknown'}: {text}"


def _marked(page: Any, note: Any) -> str:
    corners = note.vertices or []
    boxes = [
        Box(min(x), min(y), max(x), max(y))
        for at in range(0, len(corners) - 3, 4)
        for x, y in (zip(*corners[at : at + 4], strict=True),)
    ]
    words = page.get_text("words")
    return " ".join(word[4] for word in words if any(box.contains_centre(Box(*word[:4])) for box in boxes))


def _hidden_lines(document: pymupdf.Document) -> Iterator[str]:
    """Yield the lines that are shown only with all layers on."""
    from pymupdf import mupdf

    pdf = mupdf.pdf_document_from_fz_document(document.this)
    off = [at for at in range(mupdf.pdf_count_layers(pdf)) if not mupdf.pdf_layer_is_enabled(pdf, at)]
    if not off:
        return
    shown = [_lines(page) for page in document.pages()]
    for at in off:
        mupdf.pdf_enable_layer(pdf, at, 1)
    for page, lines in zip(document.pages(), shown, strict=True):
        yield from (_lines(page) - lines).elements()


def _lines(page: Any) -> Counter[str]:
    return Counter(filter(None, (" ".join(line.split()) for line in page.get_text().splitlines())))
