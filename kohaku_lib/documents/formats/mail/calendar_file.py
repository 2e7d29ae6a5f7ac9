"""Parse calendar files into payloads."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.mail.calendar_entries import CalendarEntry, calendar_entries
from kohaku_lib.documents.formats.mail.calendar_lines import calendar_components
from kohaku_lib.documents.formats.shared.decoding import decode_text
from kohaku_lib.documents.formats.text.plain_text import split_paragraphs
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload


def parse_calendar(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a calendar into a section per entry: what, when with its zone, where, who, and the description.

    The title is the name of the calendar, else that of its only entry, else the file's stem.

    Raises:
        DocumentError: The file has no entries.

    """
    text = decode_text(bytes_of(path)).text
    entries = calendar_entries(text)
    if not any(entry.facts or entry.description for entry in entries):
        msg = f"{path.name!r} has no entries of a calendar"
        raise DocumentError(msg)
    outline = Outline()
    for entry in entries:
        if entry.title:
            outline.heading(1, " ".join(entry.title.split()))
        add_entry(entry, outline)
    named = (one.text("X-WR-CALNAME") for one in calendar_components(text) if one.name == "VCALENDAR")
    title = next(filter(None, named), "") or outline.only_first_level_heading() or path.stem
    return outline.payload(document_id, title, {})


def add_entry(entry: CalendarEntry, outline: Outline, said: str = "") -> None:
    """Add the paragraphs of an entry to an outline, without a description that is within the text `said`."""
    if entry.facts:
        outline.add(ParagraphPayload(entry.facts))
    if " ".join(entry.description.split()) not in " ".join(said.split()):
        for text in split_paragraphs(entry.description):
            outline.add(ParagraphPayload(text))
