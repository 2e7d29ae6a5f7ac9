"""Read the headers and footers of Word files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from kohaku_lib.documents.formats.office.page_numbers import PAGE_NUMBER, without_page_numbers
from kohaku_lib.documents.formats.office.word.word_file import RELATION_ID, WORD, WordFile, child_of, value_of

_OF_PAGE = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|STYLEREF)\b", re.IGNORECASE)


def running_texts(file: WordFile) -> list[tuple[str, str]]:
    """Return the kind, "header" or "footer", and text of each header and footer that pages show, each text once.

    Page numbers are left out, as are words that only announce them.
    """
    settings = file.part("settings")
    has_even = settings is not None and _is_on(settings, "evenAndOddHeaders")
    texts: dict[str, str] = {}
    for kind in ("header", "footer"):
        parts = dict(file.parts(kind))
        for section in file.document.iter(f"{WORD}sectPr"):
            shown = {"default", *(["first"] if _is_on(section, "titlePg") else []), *(["even"] if has_even else [])}
            for reference in section.iterchildren(f"{WORD}{kind}Reference"):
                part = parts.get(reference.get(RELATION_ID))
                if part is not None and (reference.get(f"{WORD}type") or "default") in shown:
                    texts.setdefault(_text_of(part), kind)
    return [(kind, text) for text, kind in texts.items() if text]


def _is_on(element: Any, name: str) -> bool:
    return child_of(element, name) is not None and value_of(element, name) not in {"0", "false", "off"}


def _text_of(part: Any) -> str:
    """Return the paragraphs of a header or footer as lines, those of one row of a table as one line."""
    pieces = list(_pieces(part))
    lines = (
        " ".join(filter(None, (without_page_numbers(text) for _, text in row))) for _, row in groupby(pieces, _place)
    )
    return "\n".join(filter(None, lines))


def _place(piece: tuple[Any, str]) -> Any:
    return piece[0]


def _pieces(part: Any) -> Iterator[tuple[Any, str]]:
    """Yield the text between tabs and breaks with the row or paragraph that holds it."""
    fields: list[list[str]] = []  # the instruction of each open field
    for paragraph in part.iter(f"{WORD}p"):
        row = next(paragraph.iterancestors(f"{WORD}tr"), paragraph)
        text = ""
        for element in paragraph.iter():
            name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
            if next(element.iterancestors(f"{WORD}p"), None) is not paragraph:
                continue
            if name == "fldChar":
                _follow_field(fields, element.get(f"{WORD}fldCharType") or "")
            elif name == "instrText" and fields:
                fields[-1][0] += element.text or ""
            elif name == "pgNum":
                text += PAGE_NUMBER
            elif name in {"tab", "br", "cr"} and element.getparent().tag == f"{WORD}r":
                yield row, text
                text = ""
            elif name == "t":
                simple = (one.get(f"{WORD}instr") or "" for one in element.iterancestors(f"{WORD}fldSimple"))
                is_of_page = any(map(_OF_PAGE.match, (*simple, *(field[0] for field in fields))))
                text += PAGE_NUMBER if is_of_page else element.text or ""
        yield row, text


def _follow_field(fields: list[list[str]], kind: str) -> None:
    if kind == "begin":
        fields.append([""])
    elif kind == "end" and fields:
        fields.pop()
