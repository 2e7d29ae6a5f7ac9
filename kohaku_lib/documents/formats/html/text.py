"""Extract the visible text of HTML elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kohaku_lib.documents.formats.html.form_fields import FIELDS, field_text

_INVISIBLE = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "iframe",
        "object",
        "embed",
        "audio",
        "video",
        "canvas",
        "button",
        "option",
        "datalist",
        "map",
        "meta",
        "link",
        "title",
        "rt",  # the reading of a word that stands below it
        "rp",
    )
)
BLOCKS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
)
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BACK_LINKS = frozenset(("↑", "↩", "↩︎", "^", "¶", "#"))  # to a note reference or the heading itself
SOFT_HYPHEN = "\xad"  # where a word may be divided; it is not seen
_BLANKS = re.compile(r"\s+")


def is_element(node: Any) -> bool:
    """Return whether `node` is an element, not a comment or a processing instruction."""
    return isinstance(node.tag, str)


def tag_of(element: Any) -> str:
    """Return the element's lower-case name, "" for comments."""
    return element.tag.rsplit("}", 1)[-1].lower() if isinstance(element.tag, str) else ""


def is_hidden(element: Any) -> bool:
    """Return whether the element is invisible: a script, button, hidden element or back-link."""
    if tag_of(element) in _INVISIBLE or element.get("hidden") is not None:
        return True
    if element.get("aria-hidden") == "true" and tag_of(element) not in {"math", "svg"}:
        return True
    if tag_of(element) == "a" and (element.text or "").strip() in _BACK_LINKS:
        return True
    return bool(_HIDING_STYLE.search(element.get("style") or ""))


def inline_text(element: Any, *, without: tuple[str, ...] = (), keep_blanks: bool = False) -> str:
    """Return the text below `element`, with the alternative text of images, the LaTeX of formulas and the states of form fields.

    White space is collapsed unless `keep_blanks`; `br` is a line break, and other blocks are surrounded by spaces.
    Elements named in `without` are omitted.

    >>> from lxml import html
    >>> inline_text(html.fromstring("<li>Bees<div>hum</div></li>"))
    'Bees hum '
    """
    return "".join(_text_pieces(element, without, keep_blanks))


def _text_pieces(element: Any, without: tuple[str, ...], keep_blanks: bool) -> Iterator[str]:
    tag = tag_of(element)
    if tag == "img":
        yield " ".join((element.get("alt") or "").split())
        return
    if tag in FIELDS:
        yield "" if keep_blanks else f" {field_text(element)} "  # in code it is a switch of the page
        return
    if tag == "math" and _latex_of(element):
        yield _latex_of(element)
        return
    yield _collapsed_text(element.text, keep_blanks)
    for child in element:
        if is_element(child) and tag_of(child) not in without and not is_hidden(child):
            is_block = tag_of(child) in BLOCKS
            if is_block and not keep_blanks and tag_of(child) != "br":
                yield " "
            yield from _text_pieces(child, without, keep_blanks)
            if is_block:
                yield "\n" if tag_of(child) == "br" or keep_blanks else " "
        yield _collapsed_text(child.tail, keep_blanks)


def _latex_of(element: Any) -> str:
    if element.get("alttext"):
        return f"${element.get('alttext')}$"
    for note in element.iter("annotation", "{http://www.w3.org/1998/Math/MathML}annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            return f"${note.text.strip()}$"
    return ""


def _collapsed_text(text: str | None, keep_blanks: bool) -> str:
    if not text:
        return ""
    text = text.replace(SOFT_HYPHEN, "")
    return text if keep_blanks else _BLANKS.sub(" ", text)
