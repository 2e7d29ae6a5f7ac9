"""Parse Word documents into payloads, by way of HTML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.blocks import KIND, LABEL
from kohaku_lib.documents.formats.html.document import html_root, outline_of
from kohaku_lib.documents.formats.html.text import inline_text, tag_of
from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.documents.formats.office.placing import insert_running_texts, join_captions
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.formats.office.word.changes import accept_changes
from kohaku_lib.documents.formats.office.word.comments import comments_of
from kohaku_lib.documents.formats.office.word.drawings import DRAWN_STYLE, mark_drawings, place_drawings
from kohaku_lib.documents.formats.office.word.form_fields import write_fields
from kohaku_lib.documents.formats.office.word.formulas import write_formulas
from kohaku_lib.documents.formats.office.word.hidden_text import (
    remove_hidden_text,
    remove_struck_text,
    unshown_notes,
)
from kohaku_lib.documents.formats.office.word.numbering import END_STYLE, LABEL_STYLE, write_numbers
from kohaku_lib.documents.formats.office.word.running_texts import running_texts
from kohaku_lib.documents.formats.office.word.symbols import write_symbols
from kohaku_lib.documents.formats.office.word.text_boxes import place_text_boxes
from kohaku_lib.documents.formats.office.word.word_file import WordFile
from kohaku_lib.documents.lost_parts import MOST_HIDDEN
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_STYLES = f"""
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p.subtitle:fresh
p[style-name='Caption'] => p.caption:fresh
p[style-name='caption'] => p.caption:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
r.{LABEL_STYLE} => span.kohaku-label:fresh
p.{END_STYLE} => hr
p.{DRAWN_STYLE} => div.{DRAWN_STYLE}:fresh
"""
_NOTE = re.compile(r"(?:foot|end)note-\w+$")


def parse_docx(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a Word document: headings by style, lists, tables, captions, text boxes, drawings, forms and formulas.

    Headings and items of lists have the numbers that Word shows, and tracked changes are accepted. Foot- and endnotes
    follow the block that refers to them, headers and footers stand once before the text; their `block` tells them apart.
    Charts, as tables, and diagrams, as lists, follow the paragraph that holds them. Comments, hidden text (`hidden_text`)
    and struck-out text are in the metadata, not in the text. The title is that of the file's properties, else the paragraph
    styled as title, else the only first-level heading, else the file's stem.

    Raises:
        DocumentError: The file is damaged, encrypted or without text.

    """
    check_office_file(path)
    file, hidden, struck = _prepared(path)
    drawn = mark_drawings(file)
    root = html_root(_html_of(file))
    place_drawings(root, drawn)
    _place_labels(root)
    _place_notes(root)
    join_captions(root)
    insert_running_texts(root, running_texts(file))
    outline = outline_of(root)
    if outline.is_empty:
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    properties = office_properties(path)
    styled = next((inline_text(heading).strip() for heading in root.iter("h1") if heading.get("class") == "title"), "")
    title = properties.pop("title", "") or styled or outline.only_first_level_heading() or path.stem
    unread = {"comments": comments_of(file), "hidden_text": hidden[:MOST_HIDDEN]}
    outline.strike(struck)
    known = {**properties, **{name: texts for name, texts in unread.items() if texts}}
    return with_unread_parts(outline.payload(document_id, title, known), path)


def _prepared(path: Path) -> tuple[WordFile, list[str], list[str]]:
    """Return a file as Word shows it, the text that it hides, and the text that it strikes out."""
    file, hidden, struck = WordFile(path), list[str](), list[str]()
    kinds, styles = ("footnotes", "endnotes", "comments", "header", "footer"), file.part("styles")
    parts = [file.document, *(part for kind in kinds for _, part in file.parts(kind))]
    for part in parts:
        accept_changes(part)
        hidden += remove_hidden_text(part, styles)
    hidden += _unshown_notes(file)
    for part in parts:
        place_text_boxes(part)
        struck += remove_struck_text(part, styles)
        write_symbols(part)
        write_fields(part)
        write_formulas(part)
    struck += [text for text in _unshown_notes(file) if text not in hidden]  # their marks are struck out
    write_numbers(file)
    return file, hidden, struck


def _unshown_notes(file: WordFile) -> list[str]:
    return [
        text
        for kind in ("footnote", "endnote")
        for _, part in file.parts(f"{kind}s")
        for text in unshown_notes(file.document, part, kind)
    ]


def _html_of(file: WordFile) -> str:
    import mammoth

    return mammoth.convert_to_html(file.saved(), style_map=_STYLES, convert_image=_alternative_text).value


def _alternative_text(image: Any) -> list[Any]:
    """Return the image as its alternative text, since its bytes would otherwise be embedded as text."""
    from mammoth import html

    return [html.text(f" {image.alt_text} ")] if image.alt_text else []


def _place_labels(root: Any) -> None:
    """Hand the labels of list items to their items; in headings and tables they are text, in empty items nothing."""
    for label in list(root.iter("span")):
        if label.get("class") != "kohaku-label":
            continue
        block = label.getparent()
        text = inline_text(label)
        is_cell = any(tag_of(above) in {"td", "th"} for above in block.iterancestors())
        if tag_of(block) == "li" and not is_cell:
            block.set(LABEL, text.strip())
        if (tag_of(block) == "li" or inline_text(block).strip() == text.strip()) and not is_cell:
            label.drop_tree()


def _place_notes(root: Any) -> None:
    """Move each foot- and endnote behind the block that refers to it."""
    from lxml import html  # pyright: ignore[reportAttributeAccessIssue]

    notes = {note.get("id"): note for note in root.iter("li") if _NOTE.match(note.get("id") or "")}
    last: dict[Any, Any] = {}
    for reference in list(root.iter("a")):
        note = notes.pop((reference.get("href") or "").removeprefix("#"), None)
        if note is None:
            continue
        block = next(one for one in (reference, *reference.iterancestors()) if tag_of(one.getparent()) == "body")
        placed = html.Element("p", {KIND: note.get("id").partition("-")[0]})
        placed.text = f"{inline_text(reference)} {' '.join(inline_text(note).split())}"
        last.get(block, block).addnext(placed)
        last[block] = placed
        note.drop_tree()
