"""The text of an e-mail message, apart from what it quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku_lib.documents.formats.html.document import html_root, outline_of
from kohaku_lib.documents.formats.text.plain_text import split_paragraphs
from kohaku_lib.tables import ParagraphPayload, SectionPayload

_MOST_LACKING = 0.1  # of the words of the HTML: above it the plain text is a stub or cut off
_LEAST_TABLE = 4  # lines in Markdown: a header, its rule, two rows; fewer are often a signature
_WORD = re.compile(r"\w+")
_QUOTE_MARKS = re.compile(r"^(?:>[ ]?)+")


def text_of_body(body: Body) -> TextOfBody:
    r"""Return the text of a body: its plain text, or its HTML where that says more; quoted lines stand apart.

    The HTML says more if the plain text lacks more than a tenth of its words or cuts up its tables.

    >>> text = text_of_body(Body("In May.\n\n> When?\n"))
    >>> [one.text for section in text.own for one in section.paragraphs], [one.text for one in text.quoted]
    (['In May.'], ['When?'])
    """
    sections = outline_of(html_root(body.html)).sections("") if body.html else ()
    if _says_more(sections, body.plain):
        return TextOfBody(sections)
    lines = body.plain.splitlines()
    own = "\n".join("" if line.startswith(">") else line for line in lines)
    quoted = "\n".join(_QUOTE_MARKS.sub("", line) for line in lines if line.startswith(">"))
    paragraphs = tuple(map(ParagraphPayload, split_paragraphs(own)))
    return TextOfBody((SectionPayload("", paragraphs),), tuple(map(ParagraphPayload, split_paragraphs(quoted))))


@dataclass(frozen=True, slots=True)
class Body:
    """The same text, plain and in HTML; either may be empty."""

    plain: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True)
class TextOfBody:
    """Sections of what a body says itself, the first of them without a title if empty, and the paragraphs it quotes."""

    own: tuple[SectionPayload, ...]
    quoted: tuple[ParagraphPayload, ...] = ()


def _says_more(sections: tuple[SectionPayload, ...], plain: str) -> bool:
    paragraphs = [paragraph for section in sections for paragraph in section.paragraphs]
    known = set(_WORD.findall(plain.casefold()))
    words = [word for paragraph in paragraphs for word in _WORD.findall(paragraph.text.casefold())]
    lacking = sum(word not in known for word in words)
    return lacking > _MOST_LACKING * len(words) or any(map(_is_data, paragraphs))


def _is_data(paragraph: ParagraphPayload) -> bool:
    rows = [line for line in paragraph.text.splitlines() if line.startswith("|")]
    return len(rows) >= _LEAST_TABLE and paragraph.metadata.get("modality") == "table"
