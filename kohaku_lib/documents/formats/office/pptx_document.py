"""Parse PowerPoint presentations into payloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.text import SOFT_HYPHEN
from kohaku_lib.documents.formats.office.drawn_content import drawn_content
from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.documents.formats.office.slide_comments import slide_comments
from kohaku_lib.documents.formats.office.slide_lists import list_labels
from kohaku_lib.documents.formats.office.struck_runs import take_struck_runs
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.formats.shared.table_text import GridCell, expand_spans, table_paragraph
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.documents.lost_parts import struck_facts
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload


def parse_pptx(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a presentation into a section per slide with its title, texts, tables, charts, diagrams and notes.

    Shapes are ordered from top to bottom; the `page` of a paragraph is its slide number. Comments and struck-out text are
    in the metadata alone.

    Raises:
        DocumentError: The file is damaged, encrypted or without text.

    """
    from pptx import Presentation

    check_office_file(path)
    slides = Presentation(str(path)).slides
    struck = [text for slide in slides for part in _parts_of(slide) for text in take_struck_runs(part)]
    sections = tuple(filter(None, (_slide_section(slide, number) for number, slide in enumerate(slides, start=1))))
    if not sections:
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    properties = office_properties(path)
    title = properties.pop("title", "")
    if title in {"", "PowerPoint Presentation"}:
        title = sections[0].title if sections[0].metadata["slide"] == 1 else path.stem
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    comments = [comment for number, slide in enumerate(slides, start=1) for comment in slide_comments(slide, number)]
    noted = {**({"comments": comments} if comments else {}), **struck_facts(struck)}
    known = {**properties, "pages": len(slides), **noted}
    return with_unread_parts(DocumentPayload(document_id, title, text, known, sections), path)


def _parts_of(slide: Any) -> list[Any]:
    return [slide.element, *([slide.notes_slide.element] if slide.has_notes_slide else [])]


def _slide_section(slide: Any, number: int) -> SectionPayload | None:
    heading = slide.shapes.title
    title = " ".join(heading.text_frame.text.replace(SOFT_HYPHEN, "").split()) if heading is not None else ""
    shapes = [shape for shape in slide.shapes if heading is None or shape.shape_id != heading.shape_id]
    paragraphs = [paragraph for shape in _in_order(shapes) for paragraph in _shape_paragraphs(shape, number)]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        paragraphs.append(ParagraphPayload(_frame_text(notes), None, {"page": number, "block": "notes"}))
    if title and not paragraphs:
        paragraphs = [ParagraphPayload(title, None, {"page": number})]
    title = title or f"Slide {number}"
    metadata = {"level": 1, "heading_path": [title], "slide": number}
    return SectionPayload(title, tuple(paragraphs), metadata) if paragraphs else None


def _in_order(shapes: Iterable[Any]) -> list[Any]:
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _shape_paragraphs(shape: Any, number: int) -> Iterator[ParagraphPayload]:
    if hasattr(shape, "shapes"):
        for inner in _in_order(shape.shapes):
            yield from _shape_paragraphs(inner, number)
        return
    paragraph = None
    if getattr(shape, "has_table", False):
        rows = [[_spanned_cell(cell) for cell in row.cells if not cell.is_spanned] for row in shape.table.rows]
        paragraph = table_paragraph(expand_spans(rows), metadata={"page": number})
    elif shape.has_text_frame and shape.text_frame.text.strip():
        paragraph = ParagraphPayload(_frame_text(shape.text_frame), None, {"page": number})
    if paragraph is not None:
        yield paragraph
    for drawn in drawn_content(shape.element, partial(_part_of, shape)):
        paragraph = drawn.paragraph({"page": number})
        if paragraph is not None:
            yield paragraph


def _part_of(shape: Any, id_: str) -> Any:
    try:
        return xml_root(shape.part.related_part(id_).blob, id_)
    except KeyError:
        return None


def _frame_text(frame: Any) -> str:
    """Return the paragraphs of a text frame, one per line; several are a list, indented by level, with its numbers."""
    labels = list_labels(frame.paragraphs)
    lines = [
        (paragraph.level, label, text)
        for paragraph, label in zip(frame.paragraphs, labels, strict=True)
        if (text := " ".join(paragraph.text.replace(SOFT_HYPHEN, "").split()))
    ]
    if len(lines) == 1:
        return " ".join(filter(None, lines[0][1:]))
    return "\n".join(f"{'  ' * level}{label or '-'} {text}" for level, label, text in lines)


def _spanned_cell(cell: Any) -> GridCell:
    return GridCell(cell.text.replace(SOFT_HYPHEN, ""), cell.span_height, cell.span_width)
