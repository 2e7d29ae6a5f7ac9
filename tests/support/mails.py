"""Build e-mails with attached files and forwarded messages, and small files to attach."""

import email
import io
from email import policy
from email.message import EmailMessage

import docx
import pymupdf


def mail(subject, body="See below.", files=(), forwarded=()):
    """Return the bytes of a mail with `files` (name, data) and the mails `forwarded` (bytes) attached."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Kari <kari@x.example>", "ida@x.example", subject
    made["Date"] = "Tue, 17 Mar 2026 23:12:44 +0100"
    made.set_content(body)
    for name, data in files:
        made.add_attachment(data, "application", "octet-stream", filename=name)
    for data in forwarded:
        made.add_attachment(message_of(data))
    return bytes(made)


def message_of(data):
    """Return a mail as Python parses it."""
    return email.message_from_bytes(data, _class=EmailMessage, policy=policy.default)


def word(text="It weighs 42 kg."):
    """Return a Word file with a heading and a paragraph."""
    document, file = docx.Document(), io.BytesIO()
    document.add_heading("Roof", 1)
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


def pdf(text="It weighs 42 kg."):
    """Return a PDF of one page."""
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), text)
        return document.tobytes(no_new_id=True)
