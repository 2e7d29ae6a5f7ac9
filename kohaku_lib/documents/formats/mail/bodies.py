"""The text of an e-mail message, apart from what it quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku_lib.documents.formats.html.document import html_root, outline_of
from kohaku_lib.documents.formats.text.plain_text import split_paragraphs
from kohaku_lib.tables import ParagraphPayload, SectionPayload

_QUOTE_MARKS = re.compile(r"^(?:>[ ]?)+")


def text_of_body(body: Body) -> TextOfBody:
    r"""Return the text of a body: its plain text, without one its HTML; quoted lines stand apart.

    >>> text = text_of_body(Body("In May.\n\n> When?\n"))
    >>> [one.text for section in text.own for one in section.paragraphs], [one.text for one in text.quoted]
    (['In May.'], ['When?'])
    """
    if body.html and not body.plain.strip():
        return TextOfBody(outline_of(html_root(body.html)).sections(""))
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
