"""A PDF to a document payload."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.pdf.blocks import Block
from kohaku_lib.documents.pdf.captions import table_block, with_table_captions
from kohaku_lib.documents.pdf.columns import reading_regions
from kohaku_lib.documents.pdf.continuation import join_continued
from kohaku_lib.documents.pdf.furniture import without_furniture
from kohaku_lib.documents.pdf.headings import Outline, body_size, mark_headings, outline_key
from kohaku_lib.documents.pdf.hyphens import Vocabulary, vocabulary_of
from kohaku_lib.documents.pdf.images import PageImage, page_images, with_images
from kohaku_lib.documents.pdf.open_pdf import open_pdf
from kohaku_lib.documents.pdf.page_text import PageText, clean_text, read_page_text
from kohaku_lib.documents.pdf.paragraphs import paragraph_blocks
from kohaku_lib.documents.pdf.rows import joined_line, visual_rows
from kohaku_lib.documents.pdf.sections import build_sections
from kohaku_lib.documents.pdf.tables import find_aligned_tables
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

if TYPE_CHECKING:
    import pymupdf


def parse_pdf(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Return the payload of the PDF at `path`: sections, paragraphs in reading order, tables and images.

    Every paragraph's metadata holds `page` (from 1) and `bbox` (in points, as PyMuPDF counts them). Raises
    DocumentError as `open_pdf` does and where the pages are blank, NeedsOcrError where they show something but
    hold no text.
    """
    with open_pdf(path) as document:
        texts = [read_page_text(page, number) for number, page in enumerate(document, 1)]
        _check_text(document, texts, path)
        seen: set[int] = set()
        images = {
            text.number: page_images(document[text.number - 1], text, settings.min_image_size, seen) for text in texts
        }
        blocks = _blocks(texts, images, _outline(document))
        title = _title(document, blocks) or path.stem
    pages = {text.number: text for text in texts}
    sections = build_sections(blocks, pages, title, settings.sections)
    body = "\n\n".join(block.text for block in blocks if block.kind != "image")
    return DocumentPayload(document_id, title, body, _metadata(texts), sections)


def _blocks(texts: Sequence[PageText], images: dict[int, list[PageImage]], outline: Outline) -> list[Block]:
    pages = without_furniture(texts)
    vocabulary = vocabulary_of(line.text for page in pages for line in page.lines)
    blocks: list[Block] = []
    for page in pages:
        found = _page_blocks(page, vocabulary)
        blocks.extend(with_images(with_table_captions(found), images[page.number], page))
    mark_headings(blocks, body_size(pages), outline)
    return join_continued(blocks, vocabulary)


def _page_blocks(page: PageText, vocabulary: Vocabulary) -> list[Block]:
    blocks: list[Block] = []
    for index, region in enumerate([*reading_regions(page.lines), list(page.asides)]):
        blocks.extend(_region_blocks(region, page.number, page.number * 1000 + index, vocabulary))
    return blocks


def _region_blocks(region: Sequence[Any], page: int, number: int, vocabulary: Vocabulary) -> list[Block]:
    rows = visual_rows(region)
    blocks: list[Block] = []
    start = 0
    for first, end, table in find_aligned_tables(rows):
        blocks.extend(paragraph_blocks([joined_line(row) for row in rows[start:first]], page, number, vocabulary))
        blocks.append(table_block(table, page, number))
        start = end
    blocks.extend(paragraph_blocks([joined_line(row) for row in rows[start:]], page, number, vocabulary))
    return blocks


def _check_text(document: pymupdf.Document, texts: Sequence[PageText], path: Path) -> None:
    if any(character.isalnum() for text in texts for line in (*text.lines, *text.asides) for character in line.text):
        return
    if any(page.get_images() or page.get_cdrawings() for page in document):
        msg = f"{path.name!r} has no text layer and needs OCR; set documents.ocr to 'rapidocr'"
        raise NeedsOcrError(msg)
    msg = f"{path.name!r} holds nothing but blank pages"
    raise DocumentError(msg)


def _metadata(texts: Sequence[PageText]) -> dict[str, Any]:
    silent = [text.number for text in texts if not text.lines and not text.asides]
    return {"pages": len(texts), **({"pages_without_text": silent} if silent else {})}


def _outline(document: pymupdf.Document) -> Outline:
    outline: Outline = {}
    for level, title, page, *_ in document.get_toc():
        key = outline_key(title)
        if key:
            outline.setdefault(page, {}).setdefault(key, level)
    return outline


_FILE_NAME = re.compile(r"(?:untitled|microsoft \w+ - |\S+\.\w{2,4}$|[\d_.-]+$|\w*\d{5,}\w*$)", re.I)


def _title(document: pymupdf.Document, blocks: Sequence[Block]) -> str | None:
    """Return the title in the file's properties where it looks like one, else the largest heading of page 1."""
    stated = clean_text((document.metadata or {}).get("title") or "")
    if len(stated) > 5 and not _FILE_NAME.match(stated):
        return stated
    headings = [block for block in blocks if block.kind == "heading" and block.page == 1]
    best = max(headings, key=lambda block: (block.size, len(block.text)), default=None)
    return best.text if best is not None and best.level == 1 else None
