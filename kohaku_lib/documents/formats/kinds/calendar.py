"""A calendar, such as an invitation saved from a mail."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a calendar; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.mail.calendar_file import parse_calendar

    return parse_calendar(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "calendar",
        {".ics": "text/calendar"},
        parse,
        is_plain=True,
        modules=("kohaku_lib.documents.formats.mail.calendar_file",),
        order=19,
    )
)
