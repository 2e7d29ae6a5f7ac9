"""Write a message as it is sent over the Internet, so that one within a file of Outlook is a file too."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import UTC, datetime, time
from email.utils import format_datetime
from urllib.parse import quote

from kohaku_lib.documents.formats.mail.message import Message, Person

_MIXED, _ALTERNATIVE = "kohaku.mixed", "kohaku.alternative"  # boundaries, which no base64 holds


def internet_message(message: Message) -> bytes:
    r"""Return a message (RFC 5322, MIME) that `read_message` reads as `message`; the same message gives the same bytes.

    >>> internet_message(Message("Plan", (Person("Kari Lund", "kari@example.org"),))).decode().splitlines()[:2]
    ['Subject: Plan', 'From: "Kari Lund" <kari@example.org>']
    """
    headers = {
        "Subject": message.subject,
        "From": _people(message.senders),
        "To": _people(message.recipients),
        "Cc": _people(message.copied),
        "Date": format_datetime(datetime.combine(message.day, time(12), UTC)) if message.day else "",
        "Content-Type": f'multipart/mixed; boundary="{_MIXED}"',
    }
    texts = [part for body in message.bodies for part in _alternatives(body.plain, body.html)]
    unread = [_part("text/plain; charset=utf-8", f"Not read: {what}".encode()) for what in message.unread]
    files = [
        _part("application/octet-stream", file.data or b"", f"attachment; filename*=utf-8''{quote(file.name, safe='')}")
        for file in message.attached
    ]
    head = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in headers.items() if value)
    return (head + "\n" + _joined([*texts, *unread, *files], _MIXED)).encode("utf-8", "replace")


def _people(people: Iterable[Person]) -> str:
    return ", ".join(f'"{_plain(one.name)}" <{one.address}>' for one in people)


def _plain(name: str) -> str:
    return name.replace("\\", "").replace('"', "'")


def _alternatives(plain: str, html: str) -> list[str]:
    kinds = (("text/plain", plain), ("text/html", html))
    parts = [_part(f"{kind}; charset=utf-8", text.encode("utf-8", "replace")) for kind, text in kinds if text]
    if len(parts) < len(kinds):
        return parts
    return [f'Content-Type: multipart/alternative; boundary="{_ALTERNATIVE}"\n\n{_joined(parts, _ALTERNATIVE)}']


def _part(kind: str, data: bytes, disposition: str = "") -> str:
    stated = f"Content-Disposition: {disposition}\n" if disposition else ""
    return f"Content-Type: {kind}\n{stated}Content-Transfer-Encoding: base64\n\n{base64.encodebytes(data).decode()}"


def _joined(parts: Iterable[str], boundary: str) -> str:
    return "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"
