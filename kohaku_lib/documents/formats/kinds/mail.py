"""An e-mail, as sent over the Internet or as saved by Outlook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.documents.formats.interface import FORMATS, Attachments, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

if TYPE_CHECKING:
    from kohaku_lib.documents.formats.mail.message import Message


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an e-mail; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.mail.message import payload_of_message

    return payload_of_message(_read(path), document_id, path.stem)


def attachments(path: Path) -> Attachments:
    """Return what is attached to an e-mail, forwarded messages too; raises DocumentError where it cannot be read."""
    message = _read(path)
    facts = {"parent_title": message.subject, "parent_date": message.day.isoformat() if message.day else ""}
    return Attachments({name: text for name, text in facts.items() if text}, message.attached)


def _read(path: Path) -> Message:
    from kohaku_lib.documents.file_content import bytes_of
    from kohaku_lib.documents.formats.mail.internet_message import read_message
    from kohaku_lib.documents.formats.mail.outlook_message import read_outlook_message

    read = read_outlook_message if path.suffix.lower() == ".msg" else read_message
    return read(bytes_of(path), path.stem)


FORMATS.register(
    FormatKind(
        "mail",
        {".eml": "message/rfc822", ".msg": "application/vnd.ms-outlook"},
        parse,
        modules=(
            "kohaku_lib.documents.formats.mail.internet_message",
            "kohaku_lib.documents.formats.mail.outlook_message",
            "lxml.html",
        ),
        attachments=attachments,
        order=6,
    )
)
