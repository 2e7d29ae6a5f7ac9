"""Documents of what readers often lose: diagrams, charts, struck-out text, boxes, ruby, calendars, files within PDFs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import pymupdf
import xlsxwriter
from content import Content, Piece
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_DIAGRAM_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
_DIAGRAM = f"""<a:graphic xmlns:a="{_DRAWING}/main" xmlns:r="{_RELATION}"><a:graphicData uri="{_DRAWING}/diagram">
<d:relIds xmlns:d="{_DRAWING}/diagram" r:dm="%s"/></a:graphicData></a:graphic>"""
_INLINE = f'<w:r {nsdecls("w", "wp")}><w:drawing><wp:inline><wp:docPr id="1" name="D"/>%s</wp:inline></w:drawing></w:r>'
_BOX = f"""<w:sdt {nsdecls("w")} xmlns:x="http://schemas.microsoft.com/office/word/2010/wordml"><w:sdtPr><x:checkbox>
<x:checked x:val="%d"/></x:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>%s</w:t></w:r></w:sdtContent></w:sdt>"""
_RUBY = f"""<w:r {nsdecls("w")}><w:ruby><w:rt><w:r><w:t>%s</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>%s</w:t></w:r>
</w:rubyBase></w:ruby></w:r>"""


def write(path: Path, content: Content) -> None:
    """Write a document of the format of `path`."""
    make = {"docx": _word, "xlsx": _workbook, "eml": _message, "ics": _calendar, "pdf": _pdf}
    path.write_bytes(make[path.suffix[1:]](content))


def _word(content: Content) -> bytes:
    document, saved = docx.Document(), io.BytesIO()
    part = Part(PackURI("/word/d.xml"), _DIAGRAM_TYPE, _diagram(content), document.part.package)
    drawn = _DIAGRAM % document.part.relate_to(part, f"{_RELATION}/diagramData")
    document.add_paragraph()._p.append(parse_xml(_INLINE % drawn))
    for before, old, new in _struck(content):
        paragraph = document.add_paragraph(f"{before} ")
        paragraph.add_run(old).font.strike = True
        paragraph.add_run(f" {new}")
    for name, is_ticked in _boxes(content):
        paragraph = document.add_paragraph()
        paragraph._p.append(parse_xml(_BOX % (is_ticked, "☐☒"[is_ticked])))
        paragraph.add_run(f" {name}")
    for before, word, spoken, after in _ruby(content):
        paragraph = document.add_paragraph(before)
        paragraph._p.append(parse_xml(_RUBY % (spoken, word)))
        paragraph.add_run(after)
    document.save(saved)
    return saved.getvalue()


def _workbook(content: Content) -> bytes:
    saved = io.BytesIO()
    with xlsxwriter.Workbook(saved) as book:
        sheet, struck = book.add_worksheet("Data"), book.add_format({"font_strikeout": True})
        for row, (before, old, new) in enumerate(_struck(content)):
            sheet.write_rich_string(row, 0, f"{before} ", struck, old, f" {new}")
        title, axis = (content.record("chart", f"{name} {content.number()}") for name in ("Yield", "in kg"))
        names = [f"area {content.number()}" for _ in range(3)]
        series = {f"year {content.number()}": [content.number() for _ in names] for _ in range(2)}
        rows = [list(series), *([name, *map(str, row)] for name, *row in zip(names, *series.values(), strict=True))]
        content.pieces += [Piece("chart", "\t".join(row)) for row in rows]
        hidden = book.add_worksheet("Hidden")
        chart: Any = book.add_chart({"type": "column"})
        hidden.hide()  # or its cells are found in place of the chart
        hidden.write_column(0, 0, names)
        for at, (name, values) in enumerate(series.items(), start=1):
            hidden.write_column(0, at, values)
            chart.add_series({"name": name, "categories": ["Hidden", 0, 0, 2, 0], "values": ["Hidden", 0, at, 2, at]})
        chart.set_title({"name": title})
        chart.set_y_axis({"name": axis})
        sheet.insert_chart(5, 5, chart)
    return saved.getvalue()


def _message(content: Content) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@example.org", "Invitation"
    lines = [f"<p>{before} <s>{old}</s> {new}</p>" for before, old, new in _struck(content)]
    lines += [f'<p><input type="checkbox"{" checked" * ticked}> {name}</p>' for name, ticked in _boxes(content)]
    lines += [
        f"<p>{before}<ruby>{word}<rt>{spoken}</rt></ruby>{after}</p>" for before, word, spoken, after in _ruby(content)
    ]
    message.set_content("".join(lines), subtype="html")
    message.add_alternative(_calendar(content).decode(), subtype="calendar", params={"method": "REQUEST"})
    return message.as_bytes()


def _calendar(content: Content) -> bytes:
    start = datetime(2026, 1, 5, 9, 30) + timedelta(days=content.random.randrange(300))
    title, place, host, guest = (f"{name} {content.number()}" for name in ("Audit", "Room", "Ada", "Grace"))
    days = (f"{start.day} {start:%B %Y}, {start:%H:%M}", f"{start:%Y-%m-%d %H:%M}", f"{start:%Y%m%dT%H%M}00")
    content.pieces += [Piece("calendar", text) for text in (title, "\n".join(days), place, host, guest)]
    lines = ["BEGIN:VCALENDAR", "METHOD:REQUEST", "BEGIN:VEVENT", f"SUMMARY:{title}", f"DTSTART:{days[2]}"]
    lines += [f"LOCATION:{place}", f'ORGANIZER;CN="{host}":mailto:a@example.org', "DURATION:PT1H", "UID:1"]
    lines += [f'ATTENDEE;CN="{guest}":mailto:g@example.org', "END:VEVENT", "END:VCALENDAR", ""]
    return "\r\n".join(lines).encode()


def _pdf(content: Content) -> bytes:
    document = pymupdf.open()
    listed, pinned = (content.record("attached", f"delivery note {content.number()}") for _ in range(2))
    page = document.new_page()
    page.insert_text((72, 72), f"Order {content.number()}")
    page.add_file_annot((72, 100), pinned.encode(), "pinned.txt")
    document.embfile_add("listed.txt", listed.encode(), "listed.txt")
    return document.tobytes()


def _diagram(content: Content) -> bytes:
    names = enumerate([content.record("diagram", f"team {content.number()}") for _ in range(4)], start=1)
    point = '<d:pt modelId="%d"><d:t><a:p><a:r><a:t>%s</a:t></a:r></a:p></d:t></d:pt>'
    lines = "".join(f'<d:cxn modelId="{at + 9}" srcId="{max(at - 2, 0)}" destId="{at}"/>' for at in range(1, 5))
    root = (
        f'<d:dataModel xmlns:d="{_DRAWING}/diagram" xmlns:a="{_DRAWING}/main"><d:ptLst><d:pt modelId="0" type="doc"/>'
    )
    points = "".join(point % one for one in names)
    return f"{root}{points}</d:ptLst><d:cxnLst>{lines}</d:cxnLst></d:dataModel>".encode()


def _struck(content: Content) -> Iterator[tuple[str, str, str]]:
    """Yield texts, the number after them that is struck out, and that which holds."""
    for before in ("Fee:", "Due:", "Room:"):
        old, new = str(content.number()), str(content.number())
        content.pieces.append(Piece("struck", old, f"{before} {new}"))
        yield before, old, new


def _boxes(content: Content) -> Iterator[tuple[str, bool]]:
    for is_ticked in (True, False, False, True):
        yield content.record("box", f"option {content.number()}", "ticked" if is_ticked else ""), is_ticked


def _ruby(content: Content) -> Iterator[tuple[str, str, str, str]]:
    """Yield texts: before a word, the word, how it is spoken, after it; the word stays whole within them."""
    for word, spoken in {"東京": "とうきょう", "蜂蜜": "はちみつ", "夕方": "ゆうがた"}.items():
        before, after = f"{content.number()}の", f"に{content.number()}"
        content.record("ruby", f"{before}{word}{after}")
        yield before, word, spoken, after
