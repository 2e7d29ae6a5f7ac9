"""E-books by EbookLib: a chapter per page, lists with other starts and signs, nested tables, notes, entities."""

from __future__ import annotations

from html import escape
from pathlib import Path

from content import Cell, Content
from ebooklib import epub


def write(path: Path, content: Content) -> None:
    """Write a book of three chapters."""
    book = epub.EpubBook()
    book.set_identifier(content.seed)
    book.set_title(f"Book {content.seed}")
    book.set_language("en")
    chapters = []
    for number in range(3):
        chapter = epub.EpubHtml(title=f"Part {number}", file_name=f"part{number}.xhtml", lang="en")
        chapter.content = "\n".join(_chapter(content, number))
        book.add_item(chapter)
        chapters.append(chapter)
    book.toc = tuple(chapters)
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = ["nav", *chapters]
    epub.write_epub(str(path), book)


def _chapter(content: Content, number: int) -> list[str]:
    pieces = [f"<h1>{escape(content.text('heading', 2, 4))}</h1>", f"<p>{_encoded(content.text('paragraph'))}</p>"]
    pieces.append(f"<h{2 + number % 2}>{escape(content.text('heading', 2, 4))}</h{2 + number % 2}>")
    pieces.append(f"<blockquote><p>{escape(content.text('paragraph'))}</p></blockquote>")
    pieces.append(_list(content))
    caption = content.record("paragraph", f"Table {number + 1}: {content.words(3, 5)}")
    pieces.append(table(content.table(5, 4), caption, content if number == 1 else None))
    text, words = escape(content.text("paragraph")), content.text("paragraph").split()
    mark = f'<a epub:type="noteref" href="#n{number}">{number + 1}</a>'
    pieces.append(
        f"<p>{text}{mark}</p><p>{escape(words[0])} <b>{escape(words[1])}</b> {escape(' '.join(words[2:]))}</p>"
    )
    pieces.append(
        f"<dl><dt>{escape(content.text('paragraph', 1, 2))}</dt><dd>{escape(content.text('paragraph'))}</dd></dl>"
    )
    pieces.append(f'<aside epub:type="footnote" id="n{number}"><p>{escape(content.text("note"))}</p></aside>')
    return pieces


def _list(content: Content) -> str:
    def item(label: str) -> str:
        return escape(content.text("item", label=label))

    return (
        f'<ol start="3"><li>{item("3")}<ol type="a"><li>{item("a")}</li><li>{item("b")}</li></ol></li>'
        f'<li><p>{item("4")}</p></li></ol><ol type="I"><li>{item("I")}</li><li>{item("II")}</li></ol>'
        f"<ul><li>{item('')}</li><li>{item('')}</li></ul>"
    )


def table(grid: list[list[Cell | None]], caption: str = "", inner: Content | None = None) -> str:
    """Return a table as HTML; with `inner`, its empty cell holds another."""
    rows = []
    for at, cells in enumerate(grid):
        tag = "td" if at else "th"
        row = ""
        for cell in cells:
            if cell is None:
                continue
            text = "<br/>".join(map(escape, cell.text.split("\n")))
            if not cell.text and inner is not None:
                text = table(inner.table(2, 2, merged=False))
            spans = f' colspan="{cell.across}"' * (cell.across > 1) + f' rowspan="{cell.down}"' * (cell.down > 1)
            row += f"<{tag}{spans}>{text}</{tag}>"
        rows.append(f"<tr>{row}</tr>")
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{named}{''.join(rows)}</table>"


def _encoded(text: str) -> str:
    """Return the text with every letter beyond ASCII as a numeric entity."""
    return escape(text).encode("ascii", "xmlcharrefreplace").decode()
