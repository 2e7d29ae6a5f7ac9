"""OpenDocument texts by odfpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from content import Cell, Content
from odf import dc, draw, office, style, table, text
from odf.opendocument import OpenDocumentText


def write(path: Path, content: Content) -> None:
    """Write a text with header and footer."""
    document = OpenDocumentText()
    _add_running_texts(document, content)
    document.styles.addElement(style.Style(name="Caption", family="paragraph"))
    numbers = text.ListStyle(name="Numbers")
    for level, (form, suffix) in enumerate((("1", "."), ("a", ")"), ("1", ".")), start=1):
        above = {"displaylevels": 3} if level == 3 else {}
        numbers.addElement(text.ListLevelStyleNumber(level=level, numformat=form, numsuffix=suffix, **above))
    bullets = text.ListStyle(name="Bullets")
    bullets.addElement(text.ListLevelStyleBullet(level=1, bulletchar="•"))
    document.automaticstyles.addElement(numbers)
    document.automaticstyles.addElement(bullets)
    body = document.text
    for chapter in range(3):
        body.addElement(text.H(outlinelevel=1, text=content.text("heading", 2, 4)))
        body.addElement(text.P(text=content.text("paragraph")))
        body.addElement(text.H(outlinelevel=2 + chapter % 2, text=content.text("heading", 2, 4)))
        for kind in ("footnote", "endnote"):
            body.addElement(_with_note(content, kind, f"{chapter + 1}"))
        _add_list(body, content)
        caption = content.record("paragraph", f"Table {chapter + 1}: {content.words(3, 5)}")
        body.addElement(text.P(stylename="Caption", text=caption))
        body.addElement(_table(f"t{chapter}", content.table(5, 4), content if chapter == 1 else None))
        commented = text.P(text=content.text("paragraph"))
        commented.addElement(note := office.Annotation())
        note.addElement(dc.Creator(text="Ada"))
        note.addElement(text.P(text=content.text("around")))
        body.addElement(commented)
        boxed = text.P(text=content.text("paragraph"))
        frame = draw.Frame(anchortype="paragraph", width="5cm", height="1cm")
        frame.addElement(box := draw.TextBox())
        box.addElement(text.P(text=content.text("around")))
        boxed.addElement(frame)
        body.addElement(boxed)
        spaced = text.P()
        words = content.text("paragraph").split()
        for word in words[:-1]:
            spaced.addText(word)
            spaced.addElement(text.S(c=1))
        spaced.addElement(text.Span(text=words[-1]))
        body.addElement(spaced)
    document.save(str(path))


def _add_running_texts(document: Any, content: Content) -> None:
    layout = style.PageLayout(name="Page")
    document.automaticstyles.addElement(layout)
    page = style.MasterPage(name="Standard", pagelayoutname=layout)
    for part in (style.Header(), style.Footer()):
        part.addElement(text.P(text=content.text("around")))
        page.addElement(part)
    document.masterstyles.addElement(page)


def _with_note(content: Content, kind: str, citation: str) -> Any:
    paragraph = text.P(text=content.text("paragraph"))
    note = text.Note(noteclass=kind, id=f"{kind}{citation}")
    note.addElement(text.NoteCitation(text=citation))
    note.addElement(body := text.NoteBody())
    body.addElement(text.P(text=content.text("note")))
    paragraph.addElement(note)
    return paragraph


def _add_list(body: Any, content: Content) -> None:
    def item(label: str) -> Any:
        made = text.ListItem()
        made.addElement(text.P(text=content.text("item", label=label)))
        return made

    def inner(above: Any) -> Any:
        made = text.List()
        above.addElement(made)
        return made

    top = text.List(stylename="Numbers")
    first = item("1")
    second = inner(first)
    second.addElement(item("a"))
    last = item("b")
    inner(last).addElement(item("1.b.1"))
    second.addElement(last)
    top.addElement(first)
    top.addElement(item("2"))
    body.addElement(top)
    bullets = text.List(stylename="Bullets")
    for _ in range(2):
        bullets.addElement(item(""))
    body.addElement(bullets)


def _table(name: str, grid: list[list[Cell | None]], inner: Content | None = None) -> Any:
    """Return a table; with `inner`, its empty cell holds another."""
    made = table.Table(name=name)
    made.addElement(table.TableColumn(numbercolumnsrepeated=len(grid[0])))
    for cells in grid:
        made.addElement(row := table.TableRow())
        for cell in cells:
            if cell is None:
                row.addElement(table.CoveredTableCell())
                continue
            spans = {"numbercolumnsspanned": cell.across, "numberrowsspanned": cell.down}
            row.addElement(place := table.TableCell(**(spans if cell.across + cell.down > 2 else {})))
            for line in cell.text.split("\n"):
                place.addElement(text.P(text=line))
            if inner is not None and not cell.text:
                place.addElement(_table(f"{name}inner", inner.table(2, 2, merged=False)))
    return made
