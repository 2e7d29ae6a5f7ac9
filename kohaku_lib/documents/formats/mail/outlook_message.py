"""Read e-mail messages as Outlook saves them (MS-OXMSG)."""

from __future__ import annotations

import re
import struct
from datetime import date
from email.parser import HeaderParser
from email.utils import parsedate_to_datetime

from olefile import OleFileIO, isOleFile
from oxmsg.domain import constants as pid
from oxmsg.domain.model import UnrecognizedCodePageError, UnsupportedEncodingError
from oxmsg.properties import Properties
from oxmsg.storage import Storage

from kohaku_lib.documents.formats.html.document import decode_page
from kohaku_lib.documents.formats.interface import AttachedFile
from kohaku_lib.documents.formats.mail.bodies import Body
from kohaku_lib.documents.formats.mail.internet_message import FILE_SUFFIX
from kohaku_lib.documents.formats.mail.message import Message, Person
from kohaku_lib.documents.formats.mail.write_message import internet_message
from kohaku_lib.documents.formats.shared.stated_charset import decode_as_stated
from kohaku_lib.errors import DocumentError

_HEADER, _INNER_HEADER, _PART_HEADER = 32, 24, 8  # bytes before the properties of a message, one within it, its parts
_PROPERTY = 16  # bytes
_TO, _COPIED = 1, 2
_ATTACHED_MESSAGE = "__substg1.0_3701000D"
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|bmp|emz|wmz)$", re.IGNORECASE)
_DEEPEST = 8  # messages within messages
_BROKEN = (
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    OSError,
    OverflowError,
    RecursionError,
    TypeError,
    UnrecognizedCodePageError,
    UnsupportedEncodingError,
    ValueError,
    struct.error,
)


def read_outlook_message(data: bytes, name: str) -> Message:
    """Read a message as `read_message` does; text that is only in RTF is named as not read.

    Raises:
        DocumentError: The file `name` is no message of Outlook, or a damaged one.

    """
    if not isOleFile(data=data):
        msg = f"{name!r} is no message of Outlook"
        raise DocumentError(msg)
    try:
        with OleFileIO(data) as file:
            return _message_of(Storage.from_ole(file), _HEADER, 0)
    except _BROKEN as fault:
        msg = f"{name!r} is a damaged message of Outlook ({type(fault).__name__}: {fault})"
        raise DocumentError(msg) from fault


def _message_of(storage: Storage, header: int, depth: int) -> Message:
    stated = Properties(storage, properties_header_offset=header)
    body = _body_of(stated)
    recipients = [Properties(one, _PART_HEADER) for one in storage.iter_recipient_storages()]
    attached: list[AttachedFile] = []
    for part in storage.iter_attachment_storages():
        inner = next((one for one in part.storages if one.name == _ATTACHED_MESSAGE), None)
        if inner is not None and depth < _DEEPEST:
            # Some programs write the longer header within a message too; what is left are whole properties.
            header = _INNER_HEADER if len(inner.properties_stream_bytes) % _PROPERTY else _HEADER
            message = _message_of(inner, header, depth + 1)
            attached.append(AttachedFile((message.subject or "message") + FILE_SUFFIX, internet_message(message)))
        else:
            attached += _file_of(Properties(part, _PART_HEADER), body.html)
    is_rtf = bool(stated.binary_prop_value(pid.PID_RTF_COMPRESSED)) and not (body.plain.strip() or body.html)
    return Message(
        " ".join(_text(stated, pid.PID_SUBJECT).split()),
        _senders(stated),
        _people(recipients, _TO),
        _people(recipients, _COPIED),
        _day(stated),
        (body,),
        tuple(attached),
        ("the text itself (only in RTF)",) if is_rtf else (),
    )


def _text(stated: Properties, name: int) -> str:
    return (stated.str_prop_value(name) or "").replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _body_of(stated: Properties) -> Body:
    data = stated.binary_prop_value(pid.PID_HTML)
    if not data:
        return Body(_text(stated, pid.PID_BODY), _text(stated, pid.PID_BODY_HTML))
    has_charset = stated.int_prop_value(pid.PID_INTERNET_CODEPAGE) is not None
    html = decode_as_stated(data, stated.body_encoding) if has_charset else decode_page(data)
    return Body(_text(stated, pid.PID_BODY), html.replace("\0", ""))


def _senders(stated: Properties) -> tuple[Person, ...]:
    """Return who a message is from, else who sent it, perhaps in the name of somebody else."""
    names = (pid.PID_SENT_REPRESENTING_NAME, pid.PID_SENDER_NAME)
    addresses = (pid.PID_SENT_REPRESENTING_EMAIL_ADDRESS, pid.PID_SENDER_SMTP_ADDRESS, pid.PID_SENDER_EMAIL_ADDRESS)
    name = next((text for one in names if (text := _text(stated, one))), "")
    address = next((text for one in addresses if "@" in (text := _text(stated, one))), "")
    return (_person(name, address),) if name or address else ()


def _people(recipients: list[Properties], kind: int) -> tuple[Person, ...]:
    return tuple(
        _person(_text(one, pid.PID_DISPLAY_NAME), _text(one, pid.PID_SMTP_ADDRESS) or _text(one, pid.PID_EMAIL_ADDRESS))
        for one in recipients
        if (one.int_prop_value(pid.PID_RECIPIENT_TYPE) or _TO) == kind
    )


def _person(name: str, address: str) -> Person:
    """Return a person; addresses within Exchange ("/O=...") and names that are addresses say nothing."""
    plain = " ".join(name.split()).strip("'\"")
    return Person("" if plain == address else plain, address if "@" in address else "")


def _day(stated: Properties) -> date | None:
    """Return the day on which a message was sent: as its header says, else in UTC."""
    headers = HeaderParser().parsestr(_text(stated, pid.PID_TRANSPORT_MESSAGE_HEADERS))
    try:
        return parsedate_to_datetime(headers["Date"]).date()
    except (TypeError, ValueError):
        sent = stated.date_prop_value(pid.PID_CLIENT_SUBMIT_TIME) or stated.date_prop_value(
            pid.PID_MESSAGE_DELIVERY_TIME
        )
        return sent.date() if sent else None


def _file_of(stated: Properties, html: str) -> list[AttachedFile]:
    """Return an attached file, none for a picture that the HTML shows, such as a logo."""
    names = (pid.PID_ATTACH_LONG_FILENAME, pid.PID_ATTACH_FILENAME, pid.PID_DISPLAY_NAME)
    name = next((text for one in names if (text := _text(stated, one))), "file without a name")
    shown = _text(stated, pid.PID_ATTACH_CONTENT_ID)
    if shown and _IMAGE.search(name) and f"cid:{shown}" in html:
        return []
    return [AttachedFile(name, stated.binary_prop_value(pid.PID_ATTACH_DATA_BINARY))]
