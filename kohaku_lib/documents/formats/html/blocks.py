"""Convert HTML elements to headings and paragraphs in reading order."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from kohaku_lib.documents.formats.html.form_fields import FIELDS
from kohaku_lib.documents.formats.html.list_pieces import list_pieces
from kohaku_lib.documents.formats.html.struck_text import is_emptied
from kohaku_lib.documents.formats.html.tables import is_layout, table_of
from kohaku_lib.documents.formats.html.text import BLOCKS, SOFT_HYPHEN, inline_text, is_element, is_hidden, tag_of
from kohaku_lib.documents.formats.shared.list_numbers import formatted_number
from kohaku_lib.documents.outline import Outline
from kohaku_lib.tables import ParagraphPayload

_BOILERPLATE = frozenset(("nav", "footer", "menu"))
_ROLES = frozenset(("navigation", "contentinfo", "search", "menu", "menubar"))
_OWN_FOOTER = frozenset(
    ("article", "blockquote", "figure", "section", "td")
)  # a footer inside them is not the page's footer
_HEADING = re.compile(r"h([1-6])$")
KIND = "data-kohaku-block"  # of a block: what it is, such as a footnote
LABEL = "data-kohaku-label"  # of an item: the number or bullet that its document shows
_NUMBERS = {  # by the type of a list, or its style
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*(?:[\w-]+\s+)*?((?:lower|upper)-(?:alpha|latin|roman))")


def read_blocks(root: Any, outline: Outline, *, keep_boilerplate: bool = False) -> None:
    """Add the headings, paragraphs, lists, tables, figures and code below the element `root` to `outline`.

    Scripts, buttons and hidden elements are skipped, as are navigation and the page footer unless `keep_boilerplate`.
    Lists and code are one paragraph each; a layout table is read as text.
    """
    _BlockReader(outline, keep_boilerplate).read(root)


class _BlockReader:
    def __init__(self, outline: Outline, keep_boilerplate: bool) -> None:
        self._outline = outline
        self._keep_boilerplate = keep_boilerplate
        self._inline: list[str] = []
        self._kind = ""
        self._handlers: dict[str, Callable[[Any], None]] = {
            "ul": self._add_list,
            "ol": self._add_list,
            "dl": self._add_definitions,
            "pre": self._add_code,
            "table": self._add_table,
            "figure": self._add_figure,
            "br": lambda _: self._inline.append("\n"),
            "img": self._append_text,
            "math": self._append_text,
            **dict.fromkeys(FIELDS, self._append_text),
        }

    def read(self, element: Any) -> None:
        self._read_children(element)
        self._flush_inline()

    def _read_children(self, element: Any) -> None:
        self._inline.append(_collapse_white_space(element.text))
        for child in element:
            if is_element(child) and not is_hidden(child) and not self._is_boilerplate(child):
                self._read_element(child)
            self._inline.append(_collapse_white_space(child.tail))

    def _read_element(self, element: Any) -> None:
        tag = tag_of(element)
        heading = _HEADING.match(tag)
        if heading:
            self._add_heading(int(heading[1]), element)
        elif tag in self._handlers:
            self._handlers[tag](element)
        elif tag in BLOCKS:
            self._read_block(element, tag)
        else:
            self._read_children(element)

    def _read_block(self, element: Any, tag: str) -> None:
        self._flush_inline()
        outer = self._kind
        self._kind = element.get(KIND) or ("blockquote" if tag == "blockquote" else outer)
        self._read_children(element)
        self._flush_inline()
        self._kind = outer

    def _add_heading(self, level: int, element: Any) -> None:
        self._flush_inline()
        text = " ".join(inline_text(element).split())
        if text:
            self._outline.heading(level, text)

    def _is_boilerplate(self, element: Any) -> bool:
        tag = tag_of(element)
        named = tag in _BOILERPLATE or element.get("role") in _ROLES
        if self._keep_boilerplate or not named:
            return False
        return tag != "footer" or not any(tag_of(above) in _OWN_FOOTER for above in element.iterancestors())

    def _flush_inline(self) -> None:
        text = tidy("".join(self._inline))
        self._inline = []
        self._add_paragraph(text, {"block": self._kind} if self._kind else {})

    def _add_paragraph(self, text: str, metadata: dict[str, Any]) -> None:
        if text:
            self._outline.add(ParagraphPayload(text, None, metadata))

    def _add_list(self, element: Any) -> None:
        self._flush_inline()
        kind = "ordered_list" if tag_of(element) == "ol" else "bullet_list"
        lines = textwrap.dedent("\n".join(list_lines(element))).splitlines()
        if lines:
            self._outline.add(ParagraphPayload("\n".join(lines), list_pieces(lines), {"block": kind}))
        for table in element.iter("table"):
            if not any(tag_of(above) == "table" for above in table.iterancestors()):
                self._add_table(table)

    def _add_definitions(self, element: Any) -> None:
        self._flush_inline()
        terms: list[str] = []
        for child in element.iter("dt", "dd"):
            text = " ".join(inline_text(child, without=("dt", "dd")).split())
            if tag_of(child) == "dt":
                terms = [*terms, text] if terms and _is_term_before(child) else [text]
            elif text:
                self._add_paragraph(f"{', '.join(terms)}: {text}" if terms else text, {"block": "definition"})

    def _add_code(self, element: Any) -> None:
        self._flush_inline()
        text = inline_text(element, keep_blanks=True).strip("\n").rstrip()
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        self._add_paragraph(
            f"{fence}{_language_of(element)}\n{text}\n{fence}" if text.strip() else "", {"block": "fence"}
        )

    def _add_table(self, element: Any) -> None:
        self._flush_inline()
        if is_layout(element):
            self._read_block(element, "table")
            return
        paragraph = table_of(element)
        if paragraph is not None:
            self._outline.add(paragraph)

    def _add_figure(self, element: Any) -> None:
        self._flush_inline()
        caption = " ".join(" ".join(inline_text(child) for child in element.iter("figcaption")).split())
        tables = [table for table in element.iter("table") if not is_layout(table)]
        if tables:
            for paragraph in (table_of(tables[0], caption), *map(table_of, tables[1:])):
                if paragraph is not None:
                    self._outline.add(paragraph)
            return
        images = list(element.iter("img"))
        if caption and images and not next(element.iter("pre", "blockquote", "p"), None):
            self._add_paragraph(caption, {"block": "figure", "image_source": (images[0].get("src") or "")[:300]})
        else:
            self._read_block(element, "figure")

    def _append_text(self, element: Any) -> None:
        self._inline.append(inline_text(element))


def list_lines(element: Any, depth: int = 0) -> Iterator[str]:
    """Yield a line per list item; items of nested lists are indented below their parent item."""
    number = _whole_number(element.get("start"), 1)
    ordered = tag_of(element) == "ol"
    style = _LIST_STYLE.search(element.get("style") or "")
    form = _NUMBERS.get(style[1] if style else element.get("type") or "", "decimal")
    for child in element:
        if not is_element(child) or is_hidden(child):
            continue
        if tag_of(child) in {"ul", "ol"}:
            yield from list_lines(child, depth + 1)
            continue
        text = tidy(inline_text(child, without=("ul", "ol", "table"))).replace("\n", " ")
        if text:
            number = _whole_number(child.get("value"), number)
            label = child.get(LABEL) or (f"{formatted_number(number, form)}." if ordered else "-")
            yield f"{'  ' * depth}{label} {text}"
        number += bool(text) or is_emptied(child)
        for nested in _nested_lists(child):
            yield from list_lines(nested, depth + 1)


def tidy(text: str) -> str:
    r"""Return `text` with single spaces, trimmed lines and no empty lines.

    >>> tidy("  one  two \n three ")
    'one two\nthree'
    """
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def _nested_lists(element: Any) -> Iterator[Any]:
    for child in element:
        if is_element(child) and tag_of(child) in {"ul", "ol"}:
            yield child
        elif is_element(child) and tag_of(child) != "table":
            yield from _nested_lists(child)


def _whole_number(stated: str | None, otherwise: int) -> int:
    return int(stated) if stated and re.fullmatch(r"\d{1,9}", stated) else otherwise


def _is_term_before(element: Any) -> bool:
    before = element.getprevious()
    return before is not None and tag_of(before) == "dt"


def _language_of(element: Any) -> str:
    names = [element.get("class") or "", *(child.get("class") or "" for child in element.iter("code"))]
    match = re.search(r"\blang(?:uage)?-([\w+#.-]+)", " ".join(names))
    return match[1] if match else ""


def _collapse_white_space(text: str | None) -> str:
    return re.sub(r"\s+", " ", text.replace(SOFT_HYPHEN, "")) if text else ""
