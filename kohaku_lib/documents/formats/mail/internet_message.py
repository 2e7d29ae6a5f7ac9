"""Read e-mail messages as they are sent over the Internet (RFC 5322, MIME)."""

from __future__ import annotations

import email
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from typing import Any

from kohaku_lib.documents.formats.html.document import decode_page
from kohaku_lib.documents.formats.interface import FORMATS, AttachedFile
from kohaku_lib.documents.formats.mail.bodies import Body
from kohaku_lib.documents.formats.mail.calendar_entries import CalendarEntry, calendar_entries
from kohaku_lib.documents.formats.mail.flowed import unwrap_flowed
from kohaku_lib.documents.formats.mail.message import Message, Person
from kohaku_lib.documents.formats.shared.decoding import decode_bytes, decode_text
from kohaku_lib.documents.formats.shared.stated_charset import decode_as_stated
from kohaku_lib.errors import DocumentError

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
_TEXTS = ("text/plain", "text/html")
_FORWARDED = ("message/rfc822", "message/global")
_SIGNATURES = frozenset(("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"))
_FAULTS = (AttributeError, LookupError, MessageError, TypeError, ValueError)  # of Python's parser at broken headers
_AS_IT_IS = policy.default.clone(refold_source="none", cte_type="8bit")
FILE_SUFFIX = ".eml"
_DEEPEST = 8  # parts within parts; Python's own parser goes deeper than its stack


def read_message(data: bytes, name: str) -> Message:
    r"""Read a message: its headers, its texts, and what is attached, the messages that it forwards too.

    >>> message = read_message(b"From: Kari Lund <kari@example.org>\nSubject: Windows\n\nThey come on 27 May.\n", "a")
    >>> message.subject, message.senders[0].name, message.bodies[0].plain
    ('Windows', 'Kari Lund', 'They come on 27 May.\n')

    Raises:
        DocumentError: The file `name` is no message, or one that is damaged or nests its parts too deeply to be read.

    """
    try:
        parsed = email.message_from_bytes(_with_sound_headers(data), _class=EmailMessage, policy=policy.default)
        message = _message_of(parsed)
    except RecursionError:
        msg = f"{name!r} nests its parts too deeply to be read"
        raise DocumentError(msg) from None
    except _FAULTS as fault:
        msg = f"{name!r} is a damaged message ({type(fault).__name__}: {fault})"
        raise DocumentError(msg) from fault
    if not any(_header(parsed, header) for header in _HEADERS):
        msg = f"{name!r} is no e-mail message, as it has none of the headers {', '.join(_HEADERS)}"
        raise DocumentError(msg)
    return message


def _with_sound_headers(data: bytes) -> bytes:
    """Return a message without a byte-order mark or blank lines before its headers, those in UTF-8 if not in ASCII."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decode_bytes(data).text.encode("utf-8", "replace")
    data = data.lstrip()
    end = _END_OF_HEADERS.search(data)
    headers = data[: end.start()] if end else data
    if headers.isascii():
        return data
    return decode_bytes(headers).text.encode("utf-8", "replace") + data[len(headers) :]


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(_field(message, name) or "").split())


def _field(message: EmailMessage, name: str) -> Any:
    """Return a header as Python parses it; None without one, and where Python fails at it."""
    try:
        return message[name]
    except _FAULTS:
        return None


def _people(message: EmailMessage, name: str) -> tuple[Person, ...]:
    addresses = getattr(_field(message, name), "addresses", ())
    people = tuple(
        Person(_sound(one.display_name).strip("'\""), _sound(one.addr_spec).strip("<>")) for one in addresses
    )
    stated = _header(message, name)
    known = tuple(person for person in people if str(person))
    return known or ((Person(stated.removesuffix(":;"), ""),) if stated else ())  # a list whose members are not told


def _sound(text: str) -> str:
    """Return a text in one line, its bytes beyond ASCII decoded, which Python keeps as surrogates."""
    data = text.encode("utf-8", "surrogateescape")
    return " ".join(decode_text(data).text.split())


def _message_of(message: EmailMessage) -> Message:
    parts = _Parts()
    _collect(message, parts, 0)
    moment = getattr(_field(message, "Date"), "datetime", None)
    return Message(
        _header(message, "Subject"),
        _people(message, "From"),
        _people(message, "To"),
        _people(message, "Cc"),
        moment.date() if moment else None,
        tuple(parts.bodies),
        tuple(parts.attached),
        tuple(parts.unread),
        tuple(parts.entries),
    )


@dataclass(slots=True)
class _Parts:
    bodies: list[Body] = field(default_factory=list)
    attached: list[AttachedFile] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    entries: list[CalendarEntry] = field(default_factory=list)


def _collect(part: EmailMessage, found: _Parts, depth: int) -> None:
    kind = part.get_content_type()
    if part.is_multipart() and depth == _DEEPEST:
        found.unread.append(f"parts that are nested more than {_DEEPEST} deep")
    elif kind in _FORWARDED and part.is_multipart():
        found.attached.extend(_forwarded(part, inner) for inner in _parts_of(part))
    elif kind == "multipart/alternative" and part.is_multipart():
        _collect_alternatives(part, found, depth)
    elif part.is_multipart() and not kind.startswith("message/"):
        for inner in _parts_of(part):
            if not (kind == "multipart/related" and _is_inline_image(inner)):
                _collect(inner, found, depth + 1)
    elif part.is_multipart() or kind.startswith("multipart/") or (kind in _TEXTS and not _is_file(part)):
        found.bodies.append(_body_of(part, kind))
    elif kind == "text/calendar" and (entries := _invitations(part)):
        found.entries += entries
    elif kind not in _SIGNATURES:
        found.attached.append(AttachedFile(_file_name(part) or _name_by_type(kind), _data_of(part)))


def _collect_alternatives(part: EmailMessage, found: _Parts, depth: int) -> None:
    """Add all alternatives as one body."""
    within = _Parts()
    for inner in _parts_of(part):
        if _file_name(inner) or inner.get_content_maintype() in {"text", "multipart", "message"}:
            _collect(inner, within, depth + 1)
    plain, html = "\n\n".join(_texts(one.plain for one in within.bodies)), "\n".join(one.html for one in within.bodies)
    found.bodies.append(Body(plain, html.strip()))
    found.attached.extend(within.attached)
    found.unread.extend(within.unread)
    found.entries.extend(within.entries)


def _invitations(part: EmailMessage) -> list[CalendarEntry]:
    """Return the entries of a calendar that a message shows; none of one that is attached."""
    return [] if part.get_content_disposition() == "attachment" else calendar_entries(_text_of(part))


def _texts(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text.strip()]


def _parts_of(part: EmailMessage) -> list[EmailMessage]:
    return [inner for inner in part.get_payload() if isinstance(inner, EmailMessage)]


def _is_inline_image(part: EmailMessage) -> bool:
    """Return whether a part is a picture that its HTML shows, such as a logo."""
    return part.get_content_maintype() == "image" and bool(part["Content-ID"])


def _is_file(part: EmailMessage) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_file_name(part))


def _file_name(part: EmailMessage) -> str:
    try:
        return _sound(part.get_filename() or "")
    except _FAULTS:
        return ""


def _name_by_type(kind: str) -> str:
    """Return a name for a file without one, with the suffix of its format where that is known, else of its kind."""
    suffixes = (suffix for one in FORMATS for suffix, stated in one.mime_types.items() if stated == kind)
    return f"{kind.replace('/', '-')}{next(suffixes, '.txt' if kind.startswith('text/') else '')}"


def _forwarded(part: EmailMessage, message: EmailMessage) -> AttachedFile:
    """Return a forwarded message as a file, named as is said there, else by its subject."""
    name = (_file_name(part) or _header(message, "Subject") or "message").removesuffix(FILE_SUFFIX) + FILE_SUFFIX
    named = b"" if any(_header(message, header) for header in _HEADERS) else b"Subject: Forwarded message\n"
    try:
        return AttachedFile(name, named + message.as_bytes(policy=_AS_IT_IS))
    except (*_FAULTS, RecursionError):
        return AttachedFile(name, lacks="damaged")


def _data_of(part: EmailMessage) -> bytes | None:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else None


def _body_of(part: EmailMessage, kind: str) -> Body:
    if part.is_multipart():  # the fields of a report, such as why a message was not delivered
        groups = (
            [*(f"{name}: {_sound(str(value))}" for name, value in one.raw_items()), str(one.get_payload())]
            for one in _parts_of(part)
        )
        return Body("\n".join(line for group in groups for line in group if line))
    data = _data_of(part) or b""
    charset = part.get_content_charset() or ""
    if kind == "text/html":
        return Body(html=decode_as_stated(data, charset) if charset else decode_page(data))
    text = _text_of(part)
    is_flowed = str(part.get_param("format", "")).lower() == "flowed"
    return Body(unwrap_flowed(text, joins=str(part.get_param("delsp", "")).lower() == "yes") if is_flowed else text)


def _text_of(part: EmailMessage) -> str:
    data, charset = _data_of(part) or b"", part.get_content_charset() or ""
    return decode_as_stated(data, charset) if charset else decode_text(data).text
