"""Parse RTF files into payloads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.shared.table_text import table_paragraph
from kohaku_lib.documents.formats.text.rtf_hidden import without_hidden_text
from kohaku_lib.documents.formats.text.rtf_text_boxes import end_of_group, with_text_boxes
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
_HEADING = re.compile(f"[{_MARKS}]+")
_MOST_HIDDEN = 100  # texts that are told
_FAULTS = (ValueError, TypeError, IndexError, LookupError, OverflowError)  # of striprtf, for files that are damaged


def parse_rtf(data: bytes, document_id: str, title: str) -> DocumentPayload:
    r"""Parse RTF: headings by style or outline level, paragraphs, tables, and footnotes in brackets where they are referred to.

    The encoding is that of `\ansicpg`. The title and author are those of the file, else the title is its only
    first-level heading, else `title`. Text boxes follow the paragraph that they belong to. Comments, headers and footers
    are left out, and so is hidden text, which is `hidden_text` in the metadata.

    >>> payload = parse_rtf(rb"{\rtf1\ansi\ansicpg1252 A caf\'e9.\par{\outlinelevel0 Bees\par}They hum.}", "a", "A")
    >>> [(section.title, section.paragraphs[0].text) for section in payload.sections]
    [('Bees', 'A café.'), ('Bees', 'They hum.')]

    Raises:
        DocumentError: The file is no RTF, is damaged or has no text.

    """
    if not data.lstrip().startswith(b"{\\rtf"):
        msg = f"{title!r} is not an RTF file; correct its suffix"
        raise DocumentError(msg)
    text = data.decode(_encoding_of(data), "replace")
    try:
        shown, hidden = without_hidden_text(with_text_boxes(text))
        plain = _plain_text(_with_footnotes(_with_marks(shown)))
        hidden_texts = [
            " ".join(line.split()) for line in _plain_text(_with_head(text, hidden)).split("\n") if line.strip()
        ]
        properties = {name: _property(text, name) for name in ("title", "author")}
    except _FAULTS as fault:
        msg = f"{title!r} is damaged ({fault})"
        raise DocumentError(msg) from fault
    outline = Outline()
    for is_row, lines in groupby(plain.split("\n"), _is_row):
        (_add_table if is_row else _add_texts)(outline, list(lines))
    if outline.is_empty:
        msg = f"{title!r} contains no text"
        raise DocumentError(msg)
    name = properties.pop("title") or outline.only_first_level_heading() or title
    metadata = {"author": properties["author"], "hidden_text": hidden_texts[:_MOST_HIDDEN]}
    return outline.payload(document_id, name, {key: value for key, value in metadata.items() if value})


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
    for note in _NOTE.finditer(text):
        if note.start() < done:
            continue  # within the note before
        end = end_of_group(text, note.end())
        if end < 0:
            break
        pieces += [text[done : note.start()], "{ (", text[note.end() : end], ")"]
        done = end
    return "".join([*pieces, text[done:]])


def _property(text: str, name: str) -> str:
    found = re.search(rf"\{{\\{name} ", text)
    end = end_of_group(text, found.end()) if found else -1
    if found is None or end < 0:
        return ""
    return " ".join(_plain_text(_with_head(text, text[found.end() : end])).split())


def _with_head(text: str, part: str) -> str:
    """Return a part of the RTF `text` as RTF of its encoding."""
    head = _HEAD.match(text)
    return f"{head[0] if head else '{'}{part}}}"


def _plain_text(rtf: str) -> str:
    from striprtf.striprtf import rtf_to_text

    text = rtf_to_text(rtf, errors="replace").replace("\xad", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # signs beyond U+FFFF come as two


def _is_row(line: str) -> bool:
    return line.rstrip().endswith("|")


def _add_table(outline: Outline, lines: Sequence[str]) -> None:
    rows = [[_HEADING.sub("", cell) for cell in line.rstrip()[:-1].split("|")] for line in lines]
    width = max(map(len, rows))
    table = table_paragraph([[*row, *[""] * (width - len(row))] for row in rows])
    if table is not None:
        outline.add(table)


def _add_texts(outline: Outline, lines: Sequence[str]) -> None:
    for line in lines:
        marks, text = _HEADING.findall(line), " ".join(_HEADING.sub(" ", line).split())
        if text and marks:
            outline.heading(1 + _MARKS.index(marks[0][0]), text)
        elif text:
            outline.add(ParagraphPayload(text))
