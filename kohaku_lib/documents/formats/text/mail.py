"""Parse e-mail messages into payloads: who wrote to whom and when, the text, and the messages that it quotes."""

from __future__ import annotations

import email
import re
from email import policy
from email.message import EmailMessage
from pathlib import Path

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.html.document import html_root, outline_of
from kohaku_lib.documents.formats.text.plain_text import split_paragraphs
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload

QUOTED = "Quoted messages"
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_QUOTE_MARKS = re.compile(r"^(?:>[ ]?)+")


def parse_mail(data: bytes, document_id: str, title: str) -> DocumentPayload:
    r"""Parse a message: its headers and its text, with quoted lines in a section of their own.

    The plain text is read, without one the HTML. The title is the subject, else `title`; sender and date are metadata if
    stated. Attachments are named, not read.

    >>> data = b"From: Kari\nSubject: Windows\n\nThey come on 27 May.\n\n> Is it still 6 May?\n"
    >>> payload = parse_mail(data, "a", "A")
    >>> [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]
    [('Windows', ['From: Kari\nSubject: Windows', 'They come on 27 May.']), ('Quoted messages', ['Is it still 6 May?'])]

    Raises:
        DocumentError: The file is no message or has no text.
    """
    message = email.message_from_bytes(data, _class=EmailMessage, policy=policy.default)
    stated = {name: " ".join(str(message[name] or "").split()) for name in _HEADERS}
    if not any(stated.values()):
        msg = f"{title!r} is no e-mail message, as it has none of the headers {', '.join(_HEADERS)}"
        raise DocumentError(msg)
    outline = Outline()
    attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    shown = {**stated, "Attachments, not read": ", ".join(attached)}
    outline.add(ParagraphPayload("\n".join(f"{name}: {value}" for name, value in shown.items() if value)))
    _add_text(message, outline)
    date = message["Date"]
    moment = getattr(date, "datetime", None)
    known = {"author": stated["From"], "date": moment.date().isoformat() if moment else ""}
    return outline.payload(
        document_id, stated["Subject"] or title, {name: text for name, text in known.items() if text}
    )


def parse_mail_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a file with one e-mail message.

    Raises:
        DocumentError: The file cannot be read, is no message or has no text.

    """
    return parse_mail(bytes_of(path), document_id, path.stem)


def _add_text(message: EmailMessage, outline: Outline) -> None:
    body = message.get_body(("plain", "html"))
    if body is None:
        return
    text = body.get_content()
    if body.get_content_subtype() == "html":
        for section in outline_of(html_root(text)).sections(""):
            for paragraph in section.paragraphs:
                outline.add(paragraph)
        return
    lines = text.splitlines()
    for piece in split_paragraphs("\n".join("" if line.startswith(">") else line for line in lines)):
        outline.add(ParagraphPayload(piece))
    quoted = split_paragraphs("\n".join(_QUOTE_MARKS.sub("", line) for line in lines if line.startswith(">")))
    if quoted:
        outline.heading(1, QUOTED)
    for piece in quoted:
        outline.add(ParagraphPayload(piece))
