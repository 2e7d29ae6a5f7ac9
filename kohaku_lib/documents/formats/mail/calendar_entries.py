"""Read the entries of calendars: invitations, events, tasks and notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kohaku_lib.documents.formats.mail.calendar_lines import Component, Property, calendar_components
from kohaku_lib.documents.formats.mail.calendar_times import moment_of, period_in_words, recurrence_in_words

_ENTRIES = frozenset(("VEVENT", "VTODO", "VJOURNAL"))
_LINKS = ("URL", "CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
_STATES = {"CANCELLED": "cancelled", "TENTATIVE": "tentative", "COMPLETED": "completed"}


def calendar_entries(text: str) -> list[CalendarEntry]:
    r"""Return the entries of the calendars in a text, what and when first; the rules of time zones are none.

    >>> text = "BEGIN:VEVENT\nSUMMARY:Fire drill\nDTSTART:20260421T100000\nLOCATION:Yard\nEND:VEVENT"
    >>> calendar_entries(text)[0].facts
    'Fire drill starts on 21 April 2026, 10:00.\nFire drill takes place at Yard.'
    """
    return [
        CalendarEntry(one.text("SUMMARY"), "\n".join(_facts(one)), one.text("DESCRIPTION"))
        for one in calendar_components(text)
        if one.name in _ENTRIES
    ]


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """An entry: its title, a line for each thing that it states, the title first, and its description."""

    title: str
    facts: str
    description: str


def _facts(entry: Component) -> Iterator[str]:
    method = entry.calendar.text("METHOD").upper() if entry.calendar else ""
    state = "cancelled" if method == "CANCEL" else _STATES.get(entry.text("STATUS").upper(), "")
    title = " ".join(entry.text("SUMMARY").split())
    subject = (title or "It") + (f" ({state})" if state else "")
    start, due, moved = (moment_of(entry.first(name)) for name in ("DTSTART", "DUE", "RECURRENCE-ID"))
    period, place = period_in_words(entry), " ".join(entry.text("LOCATION").split())
    if period or place or due:
        yield from (
            f"{subject} {says}."
            for says in (period, due and f"is due on {due}", place and f"takes place at {place}")
            if says
        )
    elif title:
        yield subject
    stated = {
        "Repeated": "; ".join(recurrence_in_words(one.value) for one in entry.all("RRULE")),
        "Also on": _days(entry, "RDATE"),
        "Not on": _days(entry, "EXDATE"),
        "Moved from": str(moved) if moved and moved != start else "",
        "Organiser": _person(entry.first("ORGANIZER")),
        "Replies" if method == "REPLY" else "Invited": ", ".join(
            _person(one, replies=method == "REPLY") for one in entry.all("ATTENDEE")
        ),
        "Link": ", ".join(one.text for name in _LINKS for one in entry.all(name)),
        "Contact": ", ".join(one.text for one in entry.all("CONTACT")),
        "Comment": " ".join(one.text for one in entry.all("COMMENT")),
        "Categories": ", ".join(one.text for one in entry.all("CATEGORIES")),
    }
    yield from (f"{name}: {value}" for name, value in stated.items() if value)


def _days(entry: Component, name: str) -> str:
    stated = (
        (day.partition("/")[0], one) for one in entry.all(name) for day in one.value.split(",")
    )  # of periods the start
    values = (Property(name, day, one.parameters) for day, one in stated)
    return "; ".join(str(moment) for value in values if (moment := moment_of(value)))


def _person(stated: Property | None, *, replies: bool = False) -> str:
    if stated is None:
        return ""
    address = stated.value[7:] if stated.value.lower().startswith("mailto:") else stated.value
    name = stated.parameters.get("CN", "")
    person = f"{name} <{address}>" if name and name != address else address
    reply = stated.parameters.get("PARTSTAT", "").lower().replace("-", " ")
    return f"{person} ({reply})" if replies and reply else person
