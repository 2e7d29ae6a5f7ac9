"""The text of an e-mail message, apart from what it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from kohaku_lib.documents.formats.html.document import html_root, outline_of
from kohaku_lib.documents.formats.mail.quotes import Unit, quoted_units, without_headers
from kohaku_lib.documents.formats.text.plain_text import split_paragraphs
from kohaku_lib.errors import DocumentError
from kohaku_lib.tables import ParagraphPayload, SectionPayload

_MOST_LACKING = 0.1  # of the words of the HTML: above it the plain text is a stub or cut off
_LEAST_TABLE = 4  # lines in Markdown: a header, its rule, two rows; fewer are often a signature
_WORD = re.compile(r"\w+")
_QUOTE_MARKS = re.compile(r"^(?:>[ ]?)+")
_QUOTE_CLASSES = frozenset(("gmail_quote", "yahoo_quoted", "protonmail_quote", "moz-forward-container"))
_BEGINS, _ENDS = "\ue0f0", "\ue0f1"  # paragraphs around quoted elements, of private use: no text has them
_RULE = re.compile(r"[_-]{5,}")


def text_of_body(body: Body, subject: str = "") -> TextOfBody:
    r"""Return the text of a body: its plain text, or its HTML where that says more; quoted messages stand apart.

    The HTML says more if the plain text lacks more than a tenth of its words, cuts up its tables or cannot show what is
    struck out. The subject of a
    quoted message is left out if it is `subject`.

    >>> text = text_of_body(Body("In May.\n\n> When?\n"))
    >>> [one.text for section in text.own for one in section.paragraphs], [one.text for one in text.quoted]
    (['In May.'], ['When?'])

    Raises:
        DocumentError: There is only HTML, nested too deeply to be read.

    """
    try:
        sections, struck = _marked_sections(body.html) if body.html.strip() else ((), ())
    except DocumentError:
        if not body.plain.strip():
            raise
        sections, struck = (), ()
    if struck or _says_more(sections, body.plain):
        return replace(_text_of_html(sections, subject), struck=struck)
    return _text_of_plain(body.plain, subject)


@dataclass(frozen=True, slots=True)
class Body:
    """The same text, plain and in HTML; either may be empty."""

    plain: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True)
class TextOfBody:
    """Sections of what a body says itself, the paragraphs that it quotes, and texts that it strikes out."""

    own: tuple[SectionPayload, ...]
    quoted: tuple[ParagraphPayload, ...] = ()
    struck: tuple[str, ...] = ()


def _text_of_plain(text: str, subject: str) -> TextOfBody:
    lines = text.splitlines()
    units = [Unit(_QUOTE_MARKS.sub("", line) if line.startswith(">") else line, line.startswith(">")) for line in lines]
    flags = quoted_units(units)
    own = "\n".join("" if is_quoted else line for line, is_quoted in zip(lines, flags, strict=True)).rstrip()
    quoted = [unit.text if is_quoted else "" for unit, is_quoted in zip(units, flags, strict=True)]
    pieces = split_paragraphs(_without_closing_rules(own) if any(flags) else own)
    paragraphs = split_paragraphs("\n".join(without_headers(quoted, subject)))
    return TextOfBody((_untitled(map(ParagraphPayload, pieces)),), tuple(map(ParagraphPayload, paragraphs)))


def _marked_sections(html: str) -> tuple[tuple[SectionPayload, ...], tuple[str, ...]]:
    """Return the sections of a page, with paragraphs that mark where quoted elements begin and end, and what it strikes out."""
    root = html_root(html)
    quotations = [element for element in root.iter("blockquote", "div") if _is_quotation(element)]
    for element in quotations:
        if next(element.iterancestors("td", "th"), None) is not None:
            continue  # a table is not cut up
        begin, end = element.makeelement("p"), element.makeelement("p")
        begin.text, end.text = _BEGINS, _ENDS
        element.addprevious(begin)
        end.tail, element.tail = element.tail, None
        element.addnext(end)
    outline = outline_of(root)
    return outline.sections(""), tuple(outline.struck)


def _is_quotation(element: Any) -> bool:
    return element.get("type") == "cite" or bool(_QUOTE_CLASSES & set((element.get("class") or "").split()))


def _text_of_html(sections: tuple[SectionPayload, ...], subject: str) -> TextOfBody:
    """Return what the sections say themselves and what they quote, headings included."""
    places: list[tuple[int, ParagraphPayload | None]] = []  # each paragraph by its section; None: the heading
    units: list[Unit] = []
    depth = 0
    for number, section in enumerate(sections):
        for paragraph in (None, *section.paragraphs):
            text = section.title if paragraph is None else paragraph.text
            if text in {_BEGINS, _ENDS}:
                depth = max(depth + (1 if text == _BEGINS else -1), 0)
            else:
                places.append((number, paragraph))
                units.append(Unit(text, depth > 0))
    own: list[list[ParagraphPayload]] = [[] for _ in sections]
    own_titles, quoted = set[int](), list[ParagraphPayload]()
    for (number, paragraph), unit, is_quoted in zip(places, units, quoted_units(units), strict=True):
        if is_quoted:
            quoted += _without_headers(paragraph or ParagraphPayload(unit.text), subject)
        elif paragraph is None:
            own_titles.add(number)
        elif _without_closing_rules(unit.text):
            own[number].append(paragraph)
    kept = (
        replace(section, paragraphs=tuple(texts)) if number in own_titles else _untitled(texts)
        for number, (section, texts) in enumerate(zip(sections, own, strict=True))
    )
    return TextOfBody(tuple(kept), tuple(quoted))


def _without_closing_rules(text: str) -> str:
    """Return a text without the lines of dashes at its end, which would divide it from what it quotes."""
    lines = text.split("\n")
    while lines and (not lines[-1].strip() or _RULE.fullmatch(lines[-1].rstrip())):
        lines.pop()
    return "\n".join(lines)


def _untitled(paragraphs: Iterable[ParagraphPayload]) -> SectionPayload:
    return SectionPayload("", tuple(paragraphs), {"autogenerated": True})


def _without_headers(paragraph: ParagraphPayload, subject: str) -> list[ParagraphPayload]:
    lines = paragraph.text.split("\n")
    shorter = without_headers(lines, subject)
    return [paragraph] if shorter == lines else list(map(ParagraphPayload, split_paragraphs("\n".join(shorter))))


def _says_more(sections: tuple[SectionPayload, ...], plain: str) -> bool:
    paragraphs = [paragraph for section in sections for paragraph in section.paragraphs]
    known = set(_WORD.findall(plain.casefold()))
    words = [word for paragraph in paragraphs for word in _WORD.findall(paragraph.text.casefold())]
    lacking = sum(word not in known for word in words)
    return lacking > _MOST_LACKING * len(words) or any(map(_is_data, paragraphs))


def _is_data(paragraph: ParagraphPayload) -> bool:
    rows = [line for line in paragraph.text.splitlines() if line.startswith("|")]
    return len(rows) >= _LEAST_TABLE and paragraph.metadata.get("modality") == "table"
