"""Parse OpenDocument texts into payloads, by way of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.document import outline_of
from kohaku_lib.documents.formats.html.text import inline_text
from kohaku_lib.documents.formats.office.odf.odf_file import OFFICE, STYLE, TEXT, OdfFile
from kohaku_lib.documents.formats.office.odf.page import OdfPage
from kohaku_lib.documents.formats.office.placing import insert_running_texts, join_captions
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_FIELDS = frozenset(f"{TEXT}{name}" for name in ("page-number", "page-count", "page-continuation", "date", "time"))


def parse_odt(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an OpenDocument text: headings by outline level, lists, tables, captions and text boxes.

    Headings and items of lists have the numbers that are shown. Foot- and endnotes follow the block that refers to them,
    headers and footers stand once before the text; their `block` tells them apart. What is deleted in tracked changes
    and the table of contents are left out; comments and struck-out text are in the metadata. The title is that of the file's
    properties, else the paragraph styled as title, else the only first-level heading, else the file's stem.

    Raises:
        DocumentError: The file is damaged, encrypted or without text.

    """
    file = OdfFile(path, "text")
    page = OdfPage(file)
    root = page.body(file.body)
    join_captions(root)
    insert_running_texts(root, list(dict.fromkeys(_running_texts(file))))
    outline = outline_of(root)
    outline.strike(page.struck)
    if outline.is_empty:
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    properties = file.properties()
    styled = next((inline_text(one).strip() for one in root.iter("p") if one.get("class") == "title"), "")
    title = properties.pop("title", "") or styled or outline.only_first_level_heading() or path.stem
    comments = list(comments_of(file.body))
    known = {**properties, **({"comments": comments} if comments else {})}
    return with_unread_parts(outline.payload(document_id, title, known), path)


def comments_of(body: Any) -> Iterator[str]:
    """Yield each comment with its author."""
    for comment in body.iter(f"{OFFICE}annotation"):
        author = comment.findtext("{http://purl.org/dc/elements/1.1/}creator") or "Unknown"
        text = " ".join(" ".join("".join(one.itertext()) for one in comment.iter(f"{TEXT}p")).split())
        if text:
            yield f"{author.strip()}: {text}"


def _running_texts(file: OdfFile) -> Iterator[tuple[str, str]]:
    """Yield the headers and footers of the pages in use, without page numbers; those that are only one are left out."""
    used = {style.get(f"{STYLE}master-page-name") for style in file.all_styles()} | {"Standard"}
    for page in file.styles.iter(f"{STYLE}master-page"):
        for part in page if page.get(f"{STYLE}name") in used else ():
            kind = part.tag.removeprefix(STYLE).partition("-")[0]
            lines = [" ".join(_text_of(one).split()) for one in part.iter(f"{TEXT}p", f"{TEXT}h")]
            if kind in {"header", "footer"} and any(sign.isalpha() for line in lines for sign in line):
                yield kind, "\n".join(filter(None, lines))


def _text_of(element: Any) -> str:
    own = "" if element.tag in _FIELDS else (element.text or "") + "".join(_text_of(child) for child in element)
    blank = " " if element.tag in {f"{TEXT}tab", f"{TEXT}s", f"{TEXT}line-break"} else ""
    return own + blank + ("" if element.tag in {f"{TEXT}p", f"{TEXT}h"} else element.tail or "")
