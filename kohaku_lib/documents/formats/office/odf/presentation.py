"""Parse OpenDocument presentations into payloads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.struck_text import take_struck_text
from kohaku_lib.documents.formats.html.tables import table_of
from kohaku_lib.documents.formats.html.text import inline_text
from kohaku_lib.documents.formats.office.odf.odf_file import DRAW, PRESENTATION, SVG, TABLE, TEXT, OdfFile
from kohaku_lib.documents.formats.office.odf.page import OdfPage
from kohaku_lib.documents.formats.office.odf.text_document import comments_of
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.lost_parts import struck_facts
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

_UNITS = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6}  # in cm
_CLASS = f"{PRESENTATION}class"


def parse_odp(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a presentation into a section per slide with its title, texts, tables, charts and notes.

    Shapes are ordered from top to bottom; the `page` of a paragraph is its slide number. Comments and struck-out text are in the
    metadata.

    Raises:
        DocumentError: The file is damaged, encrypted or without text.

    """
    file = OdfFile(path, "presentation")
    page = OdfPage(file)
    slides = list(file.body.iterchildren(f"{DRAW}page"))
    found = (_slide_section(slide, number, page) for number, slide in enumerate(slides, start=1))
    sections = tuple(filter(None, found))
    if not sections:
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    properties = file.properties()
    title = properties.pop("title", "")
    title = title or (sections[0].title if sections[0].metadata["slide"] == 1 else path.stem)
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    comments = list(comments_of(file.body))
    noted = {**({"comments": comments} if comments else {}), **struck_facts(page.struck)}
    known = {**properties, "pages": len(slides), **noted}
    return with_unread_parts(DocumentPayload(document_id, title, text, known, sections), path)


def _slide_section(slide: Any, number: int, page: OdfPage) -> SectionPayload | None:
    shapes = [
        shape for shape in slide if shape.tag.startswith(DRAW) and shape.get(f"{PRESENTATION}placeholder") != "true"
    ]
    heading = next((shape for shape in shapes if shape.get(_CLASS) == "title"), None)
    title = " ".join(_frame_text(heading, page).split()) if heading is not None else ""
    others = [shape for shape in shapes if shape is not heading]
    paragraphs = [one for shape in _in_order(others) for one in _shape_paragraphs(shape, number, page)]
    for notes in slide.iterchildren(f"{PRESENTATION}notes"):
        texts = [_frame_text(one, page) for one in notes if one.get(_CLASS) == "notes"]
        paragraphs += [ParagraphPayload(text, None, {"page": number, "block": "notes"}) for text in texts if text]
    if title and not paragraphs:
        paragraphs = [ParagraphPayload(title, None, {"page": number})]
    title = title or f"Slide {number}"
    metadata = {"level": 1, "heading_path": [title], "slide": number}
    return SectionPayload(title, tuple(paragraphs), metadata) if paragraphs else None


def _in_order(shapes: list[Any]) -> list[Any]:
    return sorted(shapes, key=lambda shape: (_length(shape.get(f"{SVG}y")), _length(shape.get(f"{SVG}x"))))


def _length(text: str | None) -> float:
    stated = re.fullmatch(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc)", text or "")
    return float(stated[1]) * _UNITS[stated[2]] if stated else 0.0


def _shape_paragraphs(shape: Any, number: int, page: OdfPage) -> Iterator[ParagraphPayload]:
    if shape.tag == f"{DRAW}g":
        for inner in _in_order([one for one in shape if one.tag.startswith(DRAW)]):
            yield from _shape_paragraphs(inner, number, page)
        return
    table = shape.find(f"{TABLE}table")
    written = page.table(table) if table is not None else page.chart(shape)
    if written is not None:
        paragraph = table_of(page.without_struck(written))
        if paragraph is not None:
            yield ParagraphPayload(paragraph.text, None, {"page": number, **paragraph.metadata})
        return
    text = _frame_text(shape, page)
    if text:
        yield ParagraphPayload(text, None, {"page": number})


def _frame_text(frame: Any, page: OdfPage) -> str:
    """Return the paragraphs of a frame, one per line; several are a list, indented by level."""
    lines = []
    for paragraph in frame.iter(f"{TEXT}p", f"{TEXT}h"):
        level = sum(1 for above in paragraph.iterancestors(f"{TEXT}list")) - 1
        lines.append((max(level, 0), " ".join(inline_text(page.without_struck(page.body([paragraph]))).split())))
    lines = [(level, text) for level, text in lines if text]
    if not lines:
        written = page.body([frame])
        take_struck_text(written)  # whose texts are known
        return " ".join(inline_text(written).split())  # the alternative text of a picture
    if len(lines) == 1:
        return lines[0][1]
    return "\n".join(f"{'  ' * level}- {text}" for level, text in lines)
