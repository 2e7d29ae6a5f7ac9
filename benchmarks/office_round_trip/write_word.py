"""Word documents by python-docx, with the notes, numbers and text boxes that it has no function for."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import docx
from content import Cell, Content
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_BOX = f"""<w:r {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><mc:AlternateContent><mc:Choice Requires="wps">
<w:drawing><wp:anchor><wp:extent cx="2000000" cy="500000"/><wp:docPr id="9" name="Box"/><a:graphic><a:graphicData
 uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:txbx><w:txbxContent>{{0}}
</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback>
<w:pict><v:shape><v:textbox><w:txbxContent>{{0}}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>
</mc:AlternateContent></w:r>"""
_LEVELS = (("decimal", "%1."), ("lowerLetter", "%2)"), ("decimal", "%1.%2.%3"))


def write(target: Path | IO[bytes], content: Content) -> None:
    """Write a document."""
    document = docx.Document()
    for part in (document.sections[0].header, document.sections[0].footer):
        part.paragraphs[0].text = content.text("around")
    _add_numbering(document, 7)
    notes: dict[str, list[str]] = {"footnote": [], "endnote": []}
    for chapter in range(3):
        document.add_heading(content.text("heading", 2, 4), 1)
        document.add_paragraph(content.text("paragraph"))
        document.add_heading(content.text("heading", 2, 4), 2 + chapter % 2)
        for kind, texts in notes.items():
            paragraph = document.add_paragraph(content.text("paragraph"))
            texts.append(content.text("note"))
            paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:{kind}Reference w:id="{len(texts) + 1}"/></w:r>'))
        _add_list(document, content, 100 + chapter)
        _add_table(document, content, chapter)
        commented = document.add_paragraph(content.text("paragraph"))
        document.add_comment(commented.runs[0], content.text("around"), author="Ada", initials="A")
        boxed = document.add_paragraph(content.text("paragraph"))
        text = content.text("around", 5, 8)
        boxed._p.append(parse_xml(_BOX.format(f"<w:p><w:r><w:t>{_escaped(text)}</w:t></w:r></w:p>")))
        tabbed = document.add_paragraph()
        run = tabbed.add_run(content.text("paragraph"))
        run.add_tab()
        tabbed.add_run(content.text("paragraph")).bold = True
    for kind, texts in notes.items():
        _add_notes(document, kind, texts)
    document.save(str(target) if isinstance(target, Path) else target)


def _add_numbering(document: Any, abstract: int) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, (form, text) in enumerate(_LEVELS)
    )
    root = document.part.numbering_part.element
    element = parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{abstract}0">{levels}</w:abstractNum>')
    root.insert(0, element)
    for chapter in range(3):
        start = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
        root.append(
            parse_xml(
                f'<w:num {nsdecls("w")} w:numId="{100 + chapter}"><w:abstractNumId w:val="{abstract}0"/>{start}</w:num>'
            )
        )


def _add_list(document: Any, content: Content, number: int) -> None:
    for level, label in ((0, "1"), (1, "a"), (1, "b"), (2, "1.b.1"), (0, "2"), (1, "a"), (0, "3")):
        paragraph = document.add_paragraph(content.text("item", label=label))
        properties = paragraph._p.get_or_add_pPr()
        properties.append(
            parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
        )
    for _ in range(2):
        document.add_paragraph(content.text("item"), style="List Bullet")


def _add_table(document: Any, content: Content, chapter: int) -> None:
    caption = content.record("paragraph", f"Table {chapter + 1}: {content.words(3, 5)}")
    document.add_paragraph(caption, style="Caption")
    grid = content.table(5, 4)
    table = document.add_table(len(grid), len(grid[0]))
    fill(table, grid)
    if chapter == 1:
        inner = content.table(2, 2, merged=False)
        fill(table.cell(4, 3).add_table(2, 2), inner)


def fill(table: Any, grid: list[list[Cell | None]]) -> None:
    """Write a grid into a table of the same size, merging cells (of PowerPoint as well)."""
    for row, cells in enumerate(grid):
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            place = table.cell(row, column)
            if cell.across > 1 or cell.down > 1:
                end = table.cell(row + cell.down - 1, column + cell.across - 1)
                place = place.merge(end) or place
            place.text = cell.text


def _add_notes(document: Any, kind: str, texts: list[str]) -> None:
    notes = "".join(
        f'<w:{kind} w:id="{at + 2}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t xml:space="preserve"> {_escaped(text)}</w:t></w:r>'
        f"</w:p></w:{kind}>"
        for at, text in enumerate(texts)
    )
    data = f'<?xml version="1.0" encoding="UTF-8"?><w:{kind}s xmlns:w="{_MAIN}">{notes}</w:{kind}s>'.encode()
    content_type = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    part = Part(PackURI(f"/word/{kind}s.xml"), content_type, data, document.part.package)
    document.part.relate_to(part, getattr(RELATIONSHIP_TYPE, f"{kind.upper()}S"))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
