"""Parse PDFs into payloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.figures.page_figures import (
    PageFigure,
    page_figures,
    with_placeholders,
    without_figure_text,
    without_repeats,
)
from kohaku_lib.documents.formats.pdf.headings import Outline, body_size, mark_headings, outline_key
from kohaku_lib.documents.formats.pdf.open_pdf import open_pdf, stated_title, was_repaired
from kohaku_lib.documents.formats.pdf.page_reader import PageReader
from kohaku_lib.documents.formats.pdf.sections import build_sections
from kohaku_lib.documents.formats.pdf.struck_words import without_struck_text
from kohaku_lib.documents.formats.pdf.surroundings import surroundings
from kohaku_lib.documents.formats.pdf.tables.captions import with_table_captions
from kohaku_lib.documents.formats.pdf.tables.ruled import find_ruled_tables
from kohaku_lib.documents.formats.pdf.tables.rules import page_rules
from kohaku_lib.documents.formats.pdf.tables.table_joining import join_tables
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.continuation import join_continued
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import PageText
from kohaku_lib.documents.formats.pdf.text.right_to_left import join_runs
from kohaku_lib.documents.formats.pdf.text.running_headers import furniture_facts, without_furniture
from kohaku_lib.documents.formats.pdf.text.split_words import with_whole_words
from kohaku_lib.documents.formats.pdf.text.tick_boxes import with_tick_boxes
from kohaku_lib.documents.lost_parts import struck_facts
from kohaku_lib.documents.ocr import engine_identity, open_engine, pdf_pages
from kohaku_lib.documents.ocr.engine_selection import ocr_remedy
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

if TYPE_CHECKING:
    import pymupdf


def parse_pdf(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a PDF into sections with paragraphs in reading order, tables and images.

    Notes on the pages and the texts of layers that are off are in the metadata (`comments`, `hidden_text`), as those of
    Word files are; that of a damaged file has `repaired`: its pages may lack text. Every paragraph's metadata has `page`
    (1-based) and `bbox` (in points, in PyMuPDF's coordinates).

    Raises:
        DocumentError: The file cannot be opened, its pages are blank or show no recognisable text.
        NeedsOcrError: The pages have no usable text layer, and no OCR engine is available.

    """
    with open_pdf(path) as document:
        readings = [pdf_pages.read_page(page, number, settings) for number, page in enumerate(document.pages(), 1)]
        _check_text(readings, path, settings)
        texts, tables, figures = _tables_and_figures(document, readings, settings)
        reader = PageReader(document, settings.parser, settings.headers_footers == "remove")
        blocks, shown = _document_blocks(texts, figures, tables, reader, _outline_levels(document))
        title = _document_title(document, blocks) or path.stem
        repaired = {"repaired": True} if was_repaired(document) else {}
        around = surroundings(document)
    pages = {text.number: text for text in texts}
    sections = build_sections(blocks, pages, title, settings.sections)
    body = "\n\n".join(text for block in blocks if (text := _running_text(block)))
    metadata = {
        "pages": len(readings),
        **repaired,
        **around,
        **pdf_pages.reading_facts(readings, settings),
        **furniture_facts(shown),
        **struck_facts([strike.text for text in texts for strike in text.strikes]),
    }
    return DocumentPayload(document_id, title, body, metadata, sections)


def _tables_and_figures(
    document: pymupdf.Document, readings: Sequence[pdf_pages.PageReading], settings: DocumentsSettings
) -> tuple[list[PageText], dict[int, list[PageTable]], dict[int, list[PageFigure]]]:
    """Return the pages with rules and without struck-out words, the ruled tables and the figures; drawings are read once."""
    ruled: list[PageText] = []
    tables: dict[int, list[PageTable]] = {}
    figures: list[PageFigure] = []
    for reading in readings:
        page = document[reading.text.number - 1]
        drawings: Any = page.get_cdrawings()
        text = without_struck_text(page, reading.text, drawings) if reading.state == "layer" else reading.text
        text = with_tick_boxes(page, replace(text, lines=tuple(join_runs(text.lines))), drawings)
        ruled.append(replace(text, rules=page_rules(drawings, text)))
        tables[text.number] = find_ruled_tables(page, ruled[-1])
        boxes = [table.box for table in tables[text.number]]
        figures += page_figures(page, text, drawings, boxes, settings.min_image_size)
    by_page: dict[int, list[PageFigure]] = {text.number: [] for text in ruled}
    for figure in without_repeats(figures):
        by_page[figure.page].append(figure)
    return ruled, tables, by_page


def _document_blocks(
    texts: Sequence[PageText],
    figures: dict[int, list[PageFigure]],
    tables: dict[int, list[PageTable]],
    reader: PageReader,
    outline: Outline,
) -> tuple[list[Block], list[PageText]]:
    """Return the blocks in reading order, and the pages that they were made of."""
    shown = [without_figure_text(text, figures[text.number]) for text in texts]
    pages = with_whole_words(without_furniture(shown) if reader.removes_furniture else shown)
    vocabulary = vocabulary_of(line.text for page in pages for line in page.lines)
    blocks: list[Block] = []
    for index, page in enumerate(pages):
        blocks_of_page, pages[index] = reader.blocks(page, tables[page.number], vocabulary)
        blocks.extend(with_placeholders(with_table_captions(blocks_of_page), figures[page.number], page))
    blocks = join_tables(blocks)
    mark_headings(blocks, body_size(pages), outline)
    return join_continued(blocks, vocabulary), pages


def _running_text(block: Block) -> str:
    return block.text if block.kind != "image" else block.metadata["page_caption"] or ""


def _check_text(readings: Sequence[pdf_pages.PageReading], path: Path, settings: DocumentsSettings) -> None:
    if any(pdf_pages.count_letters(reading.text) for reading in readings):
        return
    states = {reading.state for reading in readings}
    if not states & {"broken", "silent"}:
        msg = f"{path.name!r} contains only blank pages"
        raise DocumentError(msg)
    if open_engine(settings) is not None:
        msg = f"{path.name!r} shows no text that {engine_identity(settings.ocr)} can read"
        raise DocumentError(msg)
    lack = "a broken text layer" if "broken" in states else "no text layer"
    msg = f"{path.name!r} has {lack} and needs OCR; {ocr_remedy(settings)}"
    raise NeedsOcrError(msg)


def _outline_levels(document: pymupdf.Document) -> Outline:
    outline: Outline = {}
    for level, title, page, *_ in document.get_toc():
        key = outline_key(title)
        if key:
            outline.setdefault(page, {}).setdefault(key, level)
    return outline


def _document_title(document: pymupdf.Document, blocks: Sequence[Block]) -> str | None:
    """Return the stated title, else the largest heading of page 1."""
    if stated := stated_title(document):
        return stated
    headings = [block for block in blocks if block.kind == "heading" and block.page == 1]
    best = max(headings, key=lambda block: (block.size, len(block.text)), default=None)
    return best.text if best is not None and best.level == 1 else None
