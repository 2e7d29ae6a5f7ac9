"""An e-mail message as read from any format, and the payload of its document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from kohaku_lib.documents.formats.interface import AttachedFile
from kohaku_lib.documents.formats.mail.bodies import Body, TextOfBody, text_of_body
from kohaku_lib.documents.formats.mail.body_sections import add_sections
from kohaku_lib.documents.formats.mail.calendar_entries import CalendarEntry
from kohaku_lib.documents.formats.mail.calendar_file import add_entry
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.tables import DocumentPayload, ParagraphPayload

QUOTED = "Quoted messages"
_MOST_NAMES = 4  # of recipients in the text; all of them are metadata
_WORD = re.compile(r"\w+")


def payload_of_message(message: Message, document_id: str, title: str) -> DocumentPayload:
    """Return the payload of a message: who wrote it to whom and when, its text, invitations, what it quotes.

    One line names the attached files, which are documents of their own. The title is the subject, else `title`; sender,
    recipients and date are metadata, with addresses.

    >>> kari, ida = Person("Kari Lund", "kari@example.org"), Person("Ida Berg", "")
    >>> message = Message("Windows", (kari,), (ida,), day=date(2024, 12, 5), bodies=(Body("They come in May."),))
    >>> payload = payload_of_message(message, "a", "A")
    >>> [paragraph.text for paragraph in payload.sections[0].paragraphs]
    ['From Kari Lund to Ida Berg, sent on 5 December 2024', 'They come in May.']
    >>> payload.title, payload.metadata["author"]
    ('Windows', 'Kari Lund <kari@example.org>')
    """
    outline = Outline()
    _add_message(message, outline)
    known = {
        "author": ", ".join(map(str, message.senders)),
        "to": ", ".join(map(str, message.recipients)),
        "cc": ", ".join(map(str, message.copied)),
        "date": message.day.isoformat() if message.day else "",
    }
    return outline.payload(document_id, message.subject or title, {name: text for name, text in known.items() if text})


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who sends or receives a message; the name or the address may be empty."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name and self.address else self.name or self.address


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its headers, its texts and invitations, what is attached, and what of it is not read."""

    subject: str
    senders: tuple[Person, ...] = ()
    recipients: tuple[Person, ...] = ()
    copied: tuple[Person, ...] = ()
    day: date | None = None  # in the time zone of the sender
    bodies: tuple[Body, ...] = ()
    attached: tuple[AttachedFile, ...] = ()
    unread: tuple[str, ...] = ()
    entries: tuple[CalendarEntry, ...] = ()  # of the calendars in it: invitations


def line_of_message(message: Message) -> str:
    """Return who wrote a message to whom and when, by names, addresses only where there is no name.

    >>> line_of_message(Message("Hi", (Person("", "ida@example.org"),), day=date(2026, 3, 1)))
    'From ida@example.org, sent on 1 March 2026'
    """
    senders, recipients = _names(message.senders), _names(message.recipients)
    people = " ".join(part for part in (senders and f"from {senders}", recipients and f"to {recipients}") if part)
    day = f"sent on {message.day.day} {message.day:%B %Y}" if message.day else ""
    line = ", ".join(part for part in (people, day) if part)
    return line[:1].upper() + line[1:]


def _names(people: tuple[Person, ...]) -> str:
    names = [person.name or person.address for person in people]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} others"]
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _add_message(message: Message, outline: Outline) -> None:
    texts, faults = _texts_of(message)
    attached = ", ".join(file.name for file in message.attached)
    lines = [line_of_message(message), *(f"Not read: {what}" for what in (*faults, *message.unread))]
    for line in filter(None, lines):
        outline.add(ParagraphPayload(line))
    for text in texts:
        add_sections(text.own, outline)
        outline.strike(text.struck)
    said = "\n".join(one.text for text in texts for section in text.own for one in section.paragraphs)
    for entry in message.entries:
        add_entry(entry, outline, said)
    if attached:
        outline.add(ParagraphPayload(f"Attachments: {attached}"))
    quoted = _said_first(texts)
    if quoted:
        outline.heading(1, QUOTED)
    for paragraph in quoted:
        outline.add(paragraph)


def _texts_of(message: Message) -> tuple[list[TextOfBody], list[str]]:
    """Return the texts of the bodies, and why another one cannot be read."""
    texts: list[TextOfBody] = []
    faults: list[str] = []
    for body in message.bodies:
        try:
            texts.append(text_of_body(body, message.subject))
        except DocumentError as fault:
            faults.append(str(fault))
    return texts, faults


def _said_first(texts: Sequence[TextOfBody]) -> list[ParagraphPayload]:
    """Return the quoted paragraphs once each, without those that the message says itself."""
    own = [paragraph for text in texts for section in text.own for paragraph in section.paragraphs]
    seen = set(map(_words, own))
    first: list[ParagraphPayload] = []
    for text in texts:
        for paragraph in text.quoted:
            if _words(paragraph) not in seen:
                first.append(paragraph)
            seen.add(_words(paragraph))
    return first


def _words(paragraph: ParagraphPayload) -> tuple[str, ...]:
    return tuple(_WORD.findall(paragraph.text.casefold()))
