"""An e-mail, as sent over the Internet or as saved by Outlook."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an e-mail; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.mail.internet_message import parse_message_file
    from kohaku_lib.documents.formats.mail.outlook_message import parse_outlook_file

    parse_kind = parse_outlook_file if path.suffix.lower() == ".msg" else parse_message_file
    return parse_kind(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "mail",
        {".eml": "message/rfc822", ".msg": "application/vnd.ms-outlook"},
        parse,
        # those of what may be attached
        settings_keys=("parser", "sections", "running_heads", "min_image_size", "hidden_cells"),
        reads_by_ocr=True,
        modules=(
            "kohaku_lib.documents.formats.mail.internet_message",
            "kohaku_lib.documents.formats.mail.outlook_message",
            "lxml.html",
        ),
        order=6,
    )
)
