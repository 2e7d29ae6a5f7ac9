"""Write the content of OpenDocument files as HTML, which the reader of HTML turns into sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kohaku_lib.documents.formats.html.blocks import KIND, LABEL
from kohaku_lib.documents.formats.html.struck_text import take_struck_text
from kohaku_lib.documents.formats.office.odf.chart import chart_of
from kohaku_lib.documents.formats.office.odf.numbering import Counters, Numbering
from kohaku_lib.documents.formats.office.odf.odf_file import (
    DRAW,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    OdfFile,
    cells_of,
    rows_of,
    whole_number,
)

_CAPTIONS = frozenset(("Caption", "Table", "Tabelle", "Illustration"))
_LEFT_OUT = frozenset(
    (
        f"{TEXT}tracked-changes",  # holds what was deleted
        f"{TEXT}table-of-content",
        f"{TEXT}sequence-decls",
        f"{TEXT}ruby-text",
        f"{OFFICE}annotation",
        f"{OFFICE}annotation-end",
        f"{OFFICE}forms",
    )
)
_HIDDEN = frozenset((f"{TEXT}hidden-text", f"{TEXT}hidden-paragraph"))
_MOST_BLANKS = 100  # in a row
_MOST_REPEATED = 1000  # times that a cell or row is; more is a mistake or an attack on memory


class OdfPage:
    """Writer of HTML elements with the text styles and numbers of a file."""

    def __init__(self, file: OdfFile) -> None:
        self._file = file
        self._numbering = Numbering(file)
        self._styles = {style.get(f"{STYLE}name"): style for style in file.all_styles() if style.tag == f"{STYLE}style"}
        self._line_through = file.line_through()
        self.struck: list[str] = []  # what `without_struck` took out
        self._after: list[Any] = []  # the notes and frames of a paragraph, which follow it

    def body(self, blocks: Iterable[Any]) -> Any:
        """Return a page with `blocks` in its body: foot- and endnotes follow the block that refers to them."""
        root = _made("html")
        self._write_blocks(blocks, _made("body", root))
        return root

    def without_struck(self, element: Any) -> Any:
        """Return an element that was written, without its struck-out text."""
        self.struck += take_struck_text(element)
        return element

    def chart(self, frame: Any) -> Any:
        """Return the table behind the chart, or of the sheet, that a frame shows, None where it shows none."""
        chart = chart_of(frame, self._file)
        if chart is None:
            return None
        table = self.table(chart.table)
        table.insert(0, _made("caption"))
        table[0].text = chart.title
        return table

    def table(self, element: Any) -> Any:
        """Return a table, with repeated rows and columns written out."""
        table = _made("table")
        for row in rows_of(element):
            is_head = row.getparent().tag == f"{TABLE}table-header-rows"
            times = whole_number(row.get(f"{TABLE}number-rows-repeated"), 1, _MOST_REPEATED)
            for _ in range(times if _has_text(row) else 1):
                self._write_row(row, _made("tr", table), "th" if is_head else "td")
        return table

    def _write_row(self, row: Any, target: Any, tag: str) -> None:
        cells = list(cells_of(row))
        while cells and not _has_text(cells[-1][0]) and cells[-1][1] > 1:
            cells.pop()  # up to the right edge of the sheet
        for cell, times in cells:
            if cell.tag == f"{TABLE}covered-table-cell":
                continue
            spans = {
                name: str(whole_number(cell.get(f"{TABLE}number-{of}-spanned")))
                for name, of in (("colspan", "columns"), ("rowspan", "rows"))
            }
            for _ in range(min(times, _MOST_REPEATED)):
                written = _made(tag, target, **{name: span for name, span in spans.items() if span != "1"})
                self._write_blocks(cell, written)

    def _write_blocks(self, blocks: Iterable[Any], target: Any) -> None:
        for block in blocks:
            self._write_block(block, target)

    def _write_block(self, block: Any, target: Any) -> None:
        if block.tag == f"{TEXT}h":
            level = whole_number(block.get(f"{TEXT}outline-level"))
            self._write_heading(block, level, self._numbering.heading(block, level), target)
        elif block.tag == f"{TEXT}p":
            self._write_paragraph(block, target)
        elif block.tag == f"{TEXT}list":
            self._write_list(block, target, 1, None)
        elif block.tag == f"{TABLE}table":
            target.append(self.table(block))
        elif block.tag.startswith(DRAW):
            self._write_frame(block, target)
        elif block.tag not in _LEFT_OUT and not _is_hidden(block):
            self._write_blocks(block, target)  # a section, an index

    def _write_heading(self, block: Any, level: int, label: str, target: Any) -> None:
        written = _made(f"h{min(level, 6)}", target)
        written.text = f"{label} " if label else None
        self._finish(block, written, target)

    def _write_paragraph(self, block: Any, target: Any) -> None:
        is_caption = not self._names(block).isdisjoint(_CAPTIONS)
        kind = {"class": "caption"} if is_caption else {"class": "title"} if "Title" in self._names(block) else {}
        self._finish(block, _made("p", target, **kind), target)

    def _finish(self, block: Any, written: Any, target: Any) -> None:
        outer, self._after = self._after, []
        self._write_inline(block, written)
        for one in self._after:
            target.append(one)
        self._after = outer

    def _write_list(self, element: Any, target: Any, level: int, above: Counters | None) -> None:
        counters = self._numbering.begin(element, above)
        written = target if _has_headings(element) else _made("ul", target)
        for item in element.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header"):
            label = ""
            is_counted = item.tag == f"{TEXT}list-item" and item[:1] and item[0].tag != f"{TEXT}list"
            if is_counted:
                label = self._numbering.item(counters, level, item.get(f"{TEXT}start-value"))
            place = written if written is target else _made("li", written, **({LABEL: label} if label else {}))
            for block in item:
                if block.tag == f"{TEXT}list":
                    self._write_list(block, place, level + 1, counters)
                elif block.tag == f"{TEXT}h":
                    self._write_heading(block, whole_number(block.get(f"{TEXT}outline-level")), label, target)
                else:
                    self._write_block(block, place)

    def _write_frame(self, frame: Any, target: Any) -> None:
        """Write the blocks of a text box or shape, or the table of a chart, else the alternative text of a picture."""
        if (chart := self.chart(frame)) is not None:
            target.append(chart)
            return
        boxes = [one for one in frame.iterdescendants(f"{DRAW}text-box") if _nearest_frame(one) is frame]
        blocks = [block for box in boxes or [frame] for block in box if not block.tag.startswith(SVG)]
        if any(map(_has_text, blocks)):
            self._write_blocks(blocks, _made("div", target))
            return
        texts = [frame.findtext(f"{SVG}{name}") for name in ("title", "desc")]
        alternative = " ".join(dict.fromkeys(" ".join(text.split()) for text in texts if text and text.strip()))
        if alternative:
            _made("p", target).text = alternative

    def _write_inline(self, element: Any, target: Any, is_struck: bool = False) -> None:
        is_struck = self._line_through.get(element.get(f"{TEXT}style-name"), is_struck)
        _append(_place(target, is_struck), element.text)
        for child in element:
            if (
                child.tag not in _LEFT_OUT
                and not _is_hidden(child)
                and not self._is_style(child, f"{TEXT}display", "none")
            ):
                self._write_piece(child, target, is_struck)
            _append(_place(target, is_struck), child.tail)

    def _write_piece(self, piece: Any, target: Any, is_struck: bool) -> None:
        if piece.tag == f"{TEXT}s":
            _append(_place(target, is_struck), " " * whole_number(piece.get(f"{TEXT}c"), 1, _MOST_BLANKS))
        elif piece.tag == f"{TEXT}tab":
            _append(_place(target, is_struck), " ")
        elif piece.tag == f"{TEXT}line-break":
            _made("br", target)
        elif piece.tag == f"{TEXT}note":
            self._write_note(piece, target)
        elif piece.tag.startswith(DRAW) and piece.tag != f"{DRAW}a":
            holder = _made("div")
            self._write_frame(piece, holder)
            self._after += list(holder)
        else:
            is_raised = self._is_style(piece, f"{STYLE}text-position", "super")
            self._write_inline(piece, _made("sup" if is_raised else "span", target), is_struck)

    def _write_note(self, note: Any, target: Any) -> None:
        stated = note.find(f"{TEXT}note-citation")
        citation = "" if stated is None else " ".join("".join(stated.itertext()).split())
        _append(target, f"[{citation}]")
        holder = _made("div")
        for body in note.iterchildren(f"{TEXT}note-body"):
            for block in body:
                self._write_block(block, holder)
        text = " ".join(" ".join(self.without_struck(holder).itertext()).split())
        written = _made("p", **{KIND: note.get(f"{TEXT}note-class") or "footnote"})
        written.text = f"[{citation}] {text}"
        self._after.append(written)

    def _is_style(self, element: Any, attribute: str, value: str) -> bool:
        style = self._styles.get(element.get(f"{TEXT}style-name"))
        properties = style.find(f"{STYLE}text-properties") if style is not None else None
        return properties is not None and (properties.get(attribute) or "").startswith(value)

    def _names(self, element: Any) -> set[str]:
        """Return the name of an element's style and of the one that it derives from."""
        name = element.get(f"{TEXT}style-name") or ""
        style = self._styles.get(name)
        parent = style.get(f"{STYLE}parent-style-name") if style is not None else ""
        return {name, parent or ""}


def _made(tag: str, parent: Any = None, **attributes: str) -> Any:
    from lxml import html  # pyright: ignore[reportAttributeAccessIssue]

    element = html.Element(tag, attributes)
    if parent is not None:
        parent.append(element)
    return element


def _place(target: Any, is_struck: bool) -> Any:
    """Return where text goes on: in `target`, or in an element of its struck-out text."""
    if not is_struck:
        return target
    goes_on = len(target) and target[-1].tag == "s" and not target[-1].tail
    return target[-1] if goes_on else _made("s", target)


def _append(target: Any, text: str | None) -> None:
    if not text:
        return
    if len(target):
        target[-1].tail = (target[-1].tail or "") + text
    else:
        target.text = (target.text or "") + text


def _has_text(element: Any) -> bool:
    return any(text.strip() for text in element.itertext()) or next(_described(element), None) is not None


def _described(element: Any) -> Iterator[Any]:
    return element.iter(f"{SVG}title", f"{SVG}desc")


def _has_headings(element: Any) -> bool:
    return next(element.iter(f"{TEXT}h"), None) is not None


def _is_hidden(element: Any) -> bool:
    return element.tag in _HIDDEN or (element.tag == f"{TEXT}section" and element.get(f"{TEXT}display") == "none")


def _nearest_frame(element: Any) -> Any:
    return next((above for above in element.iterancestors(f"{DRAW}frame")), None)
