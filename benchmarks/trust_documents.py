"""The documents of the trust benchmark: what is text lies in its folder as it is, the rest is made of text.

`NAME.docx.md` becomes a Word file, `NAME.pptx.md` slides, `NAME.pdf.md` a PDF and `NAME.xlsx.csv` a workbook.

    python benchmarks/trust_documents.py FOLDER    writes all parts there, to look at
"""

from __future__ import annotations

import argparse
import csv
import io
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

SOURCES = Path(__file__).parent / "trust"
PARTS = ("seen", "unseen", "second_seen", "second_unseen", "third_seen", "third_unseen")
MERGED = "<"  # a cell of a workbook that belongs to the one on its left
PAGE = (595, 842)
MARGIN = 64
CSS = (
    "body{font-family:sans-serif;font-size:10.5pt} h1{font-size:17pt} h2{font-size:13pt}"
    " table{border-collapse:collapse} td,th{border:0.7pt solid black;padding:3pt;text-align:left}"
)


def make_documents(part: str, target: Path, sources: Path = SOURCES) -> None:
    """Write all documents of a part of `sources` into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted((sources / part).iterdir()):
        write = _WRITERS.get("".join(source.suffixes[-2:]))
        if write is None:
            shutil.copy(source, target)
        else:
            write(source.read_text("utf-8"), target / source.stem)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a Markdown source: one text of a heading, a paragraph or a list item, or the cells of a table by row."""

    kind: Literal["title", "heading", "subheading", "paragraph", "item", "table"]
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def blocks_of(source: str) -> list[Block]:
    """Return the blocks of a source: lines with #, ##, ###, - or |; any other line is a paragraph.

    >>> [block.kind for block in blocks_of("# A\\n\\n- b\\n\\n| c | d |\\n| --- | --- |\\n| 1 | 2 |")]
    ['title', 'item', 'table']
    """
    lines = [line for line in source.splitlines() if line.strip()]
    return [block for is_table, run in groupby(lines, _is_row) for block in _blocks(list(run), is_table=is_table)]


def _is_row(line: str) -> bool:
    return line.startswith("|")


def _blocks(lines: Sequence[str], *, is_table: bool) -> Iterator[Block]:
    if is_table:
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        yield Block("table", rows=(rows[0], *rows[2:]))
        return
    kinds: dict[str, Any] = {"#": "title", "##": "heading", "###": "subheading", "-": "item"}
    for line in lines:
        mark, _, text = line.partition(" ")
        yield Block(kinds[mark], text) if mark in kinds else Block("paragraph", line)


def _write_docx(source: str, path: Path) -> None:
    from docx import Document

    document: Any = Document()
    styles = {"title": "Heading 1", "heading": "Heading 2", "subheading": "Heading 3", "item": "List Bullet"}
    for block in blocks_of(source):
        if block.kind != "table":
            document.add_paragraph(block.text, style=styles.get(block.kind, "Normal"))
            continue
        table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
        _fill(table, block)
    document.save(str(path))


def _fill(table: Any, block: Block) -> None:
    for number, row in enumerate(block.rows):
        for column, cell in enumerate(row):
            table.cell(number, column).text = cell


def _write_pptx(source: str, path: Path) -> None:
    """Write a slide per heading; the texts between title and first heading are the subtitle."""
    from pptx import Presentation
    from pptx.util import Inches

    presentation: Any = Presentation()
    slide: Any = None
    for block in blocks_of(source):
        if block.kind in {"title", "heading"}:
            slide = presentation.slides.add_slide(presentation.slide_layouts[0 if block.kind == "title" else 1])
            slide.shapes.title.text = block.text
        elif block.kind == "table":
            shape = slide.placeholders[1]
            shape.element.getparent().remove(shape.element)
            frame = slide.shapes.add_table(
                len(block.rows), len(block.rows[0]), Inches(1), Inches(2), Inches(8), Inches(3)
            )
            _fill(frame.table, block)
        else:
            texts = slide.placeholders[1].text_frame
            texts.text = f"{texts.text}\n{block.text}".strip()
    presentation.save(str(path))


def _write_pdf(source: str, path: Path) -> None:
    """Write the source as HTML that MuPDF lays out over as many pages as it takes."""
    import pymupdf
    from markdown_it import MarkdownIt

    story = pymupdf.Story(MarkdownIt().enable("table").render(source), user_css=CSS)
    sink = io.BytesIO()
    writer: Any = pymupdf.DocumentWriter(sink)
    inside = pymupdf.Rect(MARGIN, MARGIN, PAGE[0] - MARGIN, PAGE[1] - MARGIN)
    story.write(writer, lambda *_: (pymupdf.Rect(0, 0, *PAGE), inside, None))
    writer.close()
    path.write_bytes(sink.getvalue())


def _write_xlsx(source: str, path: Path) -> None:
    """Write a sheet per line that begins with #; cells that are numbers become such."""
    from openpyxl import Workbook

    workbook = Workbook()
    for piece in source.split("# ")[1:]:
        name, _, cells = piece.partition("\n")
        sheet: Any = workbook.create_sheet(name)
        for row in csv.reader(cells.splitlines()):
            sheet.append([_typed(cell) for cell in row])
            for column, cell in enumerate(row, 1):
                if cell == MERGED:
                    sheet.merge_cells(
                        start_row=sheet.max_row, end_row=sheet.max_row, start_column=column - 1, end_column=column
                    )
    del workbook["Sheet"]
    workbook.save(path)


def _typed(cell: str) -> str | int | None:
    return int(cell) if cell.isdigit() else cell or None


_WRITERS: dict[str, Callable[[str, Path], None]] = {
    ".docx.md": _write_docx,
    ".pptx.md": _write_pptx,
    ".pdf.md": _write_pdf,
    ".xlsx.csv": _write_xlsx,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    for part in PARTS:
        make_documents(part, options.folder / part)
