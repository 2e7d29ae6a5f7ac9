"""Parse RTF files into payloads."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.shared.table_text import table_paragraph
from kohaku_lib.documents.formats.text.rtf_groups import end_of_group, groups_of
from kohaku_lib.documents.formats.text.rtf_hidden import STRUCK, without_marked_text
from kohaku_lib.documents.formats.text.rtf_rows import grid_of, is_row, with_marked_rows
from kohaku_lib.documents.formats.text.rtf_surroundings import comments_of, running_texts, with_text_boxes
from kohaku_lib.documents.lost_parts import MOST_HIDDEN
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload

_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_HEAD = re.compile(r"\s*\{(?:\\[a-z]+-?\d* ?|\s)*")
_STYLE = re.compile(r"\{\\s(\d{1,4})\b[^{}]*?\bheading ([1-6]);\}", re.IGNORECASE)
_OUTLINE_LEVEL = re.compile(r"\\outlinelevel([0-5])(?!\d) ?")
_NOTE = re.compile(r"\{(?:\\\*)?\\footnote\b(?:\\ftnalt\b)? ?")
_MARKS = "\ue001\ue002\ue003\ue004\ue005\ue006"  # of headings, by level; of the private use area, which no text has
_PARAGRAPH = re.compile(r"(?<!\\)\\par(?![a-z]) ?")
_HEADING = re.compile(f"[{_MARKS}]+")
_CHARACTER = re.compile(r"\\\\|\\u(-?\d+)|\\uc(?![-\da-zA-Z])")  # the first is a backslash of the text
_MOST_DIGITS = 10
_FAULTS = (ValueError, TypeError, IndexError, LookupError, OverflowError)  # of striprtf, for files that are damaged


def parse_rtf(data: bytes, document_id: str, title: str) -> DocumentPayload:
    r"""Parse RTF: headings by style or outline level, paragraphs, tables, and footnotes in brackets where they are referred to.

    The encoding is that of `\ansicpg`. The title and author are those of the file, else the title is its only
    first-level heading, else `title`. Headers and footers stand once before the text, text boxes behind the paragraph that
    they are anchored in, and comments are in the metadata. Hidden text is left out, and is `hidden_text` in the metadata;
    struck-out text likewise.

    >>> payload = parse_rtf(rb"{\rtf1\ansi\ansicpg1252 A caf\'e9.\par{\outlinelevel0 Bees\par}They hum.}", "a", "A")
    >>> [(section.title, section.paragraphs[0].text) for section in payload.sections]
    [('Bees', 'A café.'), ('Bees', 'They hum.')]

    Raises:
        DocumentError: The file is no RTF, is damaged or has no text.

    """
    if not data.lstrip().startswith(b"{\\rtf"):
        msg = f"{title!r} is not an RTF file; correct its suffix"
        raise DocumentError(msg)
    text = _CHARACTER.sub(_known_character, data.decode(_encoding_of(data), "replace"))
    try:
        shown, hidden = without_marked_text(with_text_boxes(_with_marks(text)))
        shown, struck = without_marked_text(shown, STRUCK)
        plain = _plain_text(with_marked_rows(_with_footnotes(shown)))
        plain_part = partial(_plain_part, _head_of(text))
        properties: dict[str, Any] = {name: _property(text, name, plain_part) for name in ("title", "author")}
        properties["comments"] = comments_of(shown, plain_part)
        running = running_texts(shown, plain_part)
        hidden_texts, struck_texts = (
            [" ".join(line.split()) for line in plain_part(part).split("\n") if line.strip()] if part else []
            for part in (hidden, struck)
        )
    except _FAULTS as fault:
        msg = f"{title!r} is damaged ({fault})"
        raise DocumentError(msg) from fault
    outline = Outline()
    outline.strike(struck_texts)
    for kind, words in running:
        outline.add(ParagraphPayload(words, None, {"block": kind}))
    for are_rows, lines in groupby(plain.split("\n"), is_row):
        (_add_table if are_rows else _add_texts)(outline, list(lines))
    if outline.is_empty:
        msg = f"{title!r} contains no text"
        raise DocumentError(msg)
    name = properties.pop("title") or outline.only_first_level_heading() or title
    properties["hidden_text"] = hidden_texts[:MOST_HIDDEN]
    return outline.payload(document_id, name, {key: value for key, value in properties.items() if value})


def parse_rtf_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an RTF file.

    Raises:
        DocumentError: The file cannot be read, is no RTF, is damaged or has no text.

    """
    return parse_rtf(bytes_of(path), document_id, path.stem)


def _encoding_of(data: bytes) -> str:
    stated = _CODE_PAGE.search(data)
    name = f"cp{stated[1].decode()}" if stated else "cp1252"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _known_character(found: re.Match[str]) -> str:
    r"""Return a `\u` as it stands where there is such a character, else U+FFFD; a `\uc` without a number is the usual `\uc1`."""
    number = found[1]
    if number is None:
        return r"\uc1" if found[0] == r"\uc" else found[0]
    is_known = len(number) <= _MOST_DIGITS and -0x10000 <= int(number) <= sys.maxunicode
    return found[0] if is_known else rf"\u{0xFFFD}"


def _with_marks(text: str) -> str:
    """Write a mark before the text of each heading, which no longer has its style as plain text."""
    styles = text.find("{\\stylesheet")
    start = max(0, end_of_group(text, styles + 1)) if styles >= 0 else 0
    levels = {number: int(level) for number, level in _STYLE.findall(text[:start])}
    marked = text[start:]
    if levels:
        names = re.compile(rf"\\s({'|'.join(levels)})(?!\d) ?")
        marked = names.sub(lambda match: f"{match[0].rstrip()} {_MARKS[levels[match[1]] - 1]}", marked)
    marked = _OUTLINE_LEVEL.sub(lambda match: f"{match[0].rstrip()} {_MARKS[int(match[1])]}", marked)
    return text[:start] + marked


def _with_footnotes(text: str) -> str:
    r"""Write foot- and endnotes in brackets, as their group is not part of the text of RTF."""
    pieces, done = [], 0
    for note, end in groups_of(text, _NOTE):
        paragraphs = filter(None, (one.strip() for one in _PARAGRAPH.split(text[note.end() : end])))
        pieces += [text[done : note.start()], "{ (", r"\emspace ".join(paragraphs), ")"]
        done = end
    return "".join([*pieces, text[done:]])


def _property(text: str, name: str, plain_part: Callable[[str], str]) -> str:
    found = re.search(rf"\{{\\{name} ", text)
    end = end_of_group(text, found.end()) if found else -1
    if found is None or end < 0:
        return ""
    return " ".join(plain_part(text[found.end() : end]).split())


def _head_of(text: str) -> str:
    """Return the beginning of a file, which states its encoding and its fonts."""
    fonts = text.find("{\\fonttbl")
    end = end_of_group(text, fonts + 1) + 1 if fonts >= 0 else 0
    head = _HEAD.match(text)
    return text[:end] if end else head[0] if head else "{"


def _plain_part(head: str, part: str) -> str:
    return _plain_text(f"{head}{{{part}}}}}")


def _plain_text(rtf: str) -> str:
    from striprtf.striprtf import rtf_to_text

    text = rtf_to_text(rtf, errors="replace").replace("\xad", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # signs beyond U+FFFF come as two


def _add_table(outline: Outline, lines: Sequence[str]) -> None:
    table = table_paragraph(grid_of([_HEADING.sub("", line) for line in lines]))
    if table is not None:
        outline.add(table)


def _add_texts(outline: Outline, lines: Sequence[str]) -> None:
    for line in lines:
        marks, text = _HEADING.findall(line), " ".join(_HEADING.sub(" ", line).split())
        if text and marks:
            outline.heading(1 + _MARKS.index(marks[0][0]), text)
        elif text:
            outline.add(ParagraphPayload(text))
