"""Messages by the standard library, and the same as Outlook's by aspose-email-foss."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from email.message import EmailMessage
from html import escape
from pathlib import Path

import write_word
from aspose.email_foss import msg
from content import Content
from write_book import table

_CHARSETS = ("utf-8", "utf-8", "iso-8859-1", "windows-1251")
_QUOTE = "On Mon, 2 Mar 2026 at 10:15, Grace Hopper <grace@example.org> wrote:"


def write(path: Path, content: Content) -> None:
    """Write a message as .eml or .msg: text or HTML, with quoted mail, attachments and a forwarded message."""
    message, forwarded = _message(content, has_files=True), _message(content, has_files=False)
    if path.suffix == ".msg":
        outer, inner = map(msg.MapiMessage.from_email_message, (message, forwarded))
        outer.add_embedded_message_attachment(inner, filename="forwarded.msg")
        outer.save(str(path))
    else:
        message.add_attachment(forwarded)
        path.write_bytes(message.as_bytes())


def _message(content: Content, *, has_files: bool) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ada Müller <ada@example.org>", "grace@example.org"
    message["Date"] = datetime(2026, 3, 3, 9, 30, tzinfo=UTC)
    message["Subject"] = content.text("heading", 3, 6)
    if content.random.random() < 0.5:
        _set_html(message, content)
    else:
        _set_text(message, content)
    if not has_files:
        return message
    message.add_attachment(f"{content.text('around')}\n\n{content.text('around')}", filename="notes.txt")
    rows = "\n".join(";".join(_row(content)) for _ in range(4))
    message.add_attachment(rows.encode(), "text", "csv", filename="prices.csv")
    word = io.BytesIO()
    inner = Content(f"{content.seed} attached")
    write_word.write(word, inner)
    content.pieces += [piece for piece in inner.pieces if piece.kind in {"paragraph", "heading", "cell", "row"}]
    message.add_attachment(word.getvalue(), "application", _WORD, filename="Übersicht.docx")
    return message


_WORD = "vnd.openxmlformats-officedocument.wordprocessingml.document"


def _row(content: Content) -> list[str]:
    row = [f"honey {content.number()}", str(content.number()), "wax"]
    content.record_row(row)
    return row


def _set_text(message: EmailMessage, content: Content) -> None:
    texts = [content.text("paragraph") for _ in range(3)]
    items = [f"{label}. {content.text('item', label=label)}" for label in ("1", "2")]
    quoted = [content.text("paragraph", 20, 30), content.text("paragraph")]
    quote = "\n".join(f"> {line}" for text in quoted for line in (*_wrapped(text), ""))
    body = "\n\n".join([*("\n".join(_wrapped(text)) for text in texts), "\n".join(items), f"{_QUOTE}\n{quote}"])
    charset = content.random.choice(_CHARSETS)
    try:
        body.encode(charset)
    except UnicodeEncodeError:
        charset = "utf-8"
    message.set_content(body, charset=charset, cte=content.random.choice(["base64", "quoted-printable"]))


def _wrapped(text: str) -> list[str]:
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 70 and word != ">":  # which would begin a quote
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _set_html(message: EmailMessage, content: Content) -> None:
    paragraphs = "".join(f"<p>{escape(content.text('paragraph'))}</p>" for _ in range(3))
    grid = table(content.table(5, 4))
    items = "".join(f"<li>{escape(content.text('item', label=label))}</li>" for label in ("1", "2"))
    quoted = f"<blockquote><p>{escape(content.text('paragraph', 20, 30))}</p></blockquote>"
    body = f"{paragraphs}{grid}<ol>{items}</ol><p>{escape(_QUOTE)}</p>{quoted}"
    message.set_content("This message has a form that your program does not show.")
    message.add_alternative(f"<html><body>{body}</body></html>", subtype="html")
