"""Say in words when an entry of a calendar takes place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kohaku_lib.documents.formats.mail.calendar_lines import Component, Property

_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?")
_DURATION = re.compile(r"\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_ORDINALS = {"": "", "1": "the first ", "2": "the second ", "3": "the third ", "4": "the fourth ", "-1": "the last "}
_SIMPLE = frozenset(("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "WKST"))


def period_in_words(entry: Component) -> str:
    r"""Return when an entry starts and ends, with its time zone as the calendar calls it; "" where it states no time.

    >>> from kohaku_lib.documents.formats.mail.calendar_lines import calendar_components
    >>> text = "BEGIN:VEVENT\nDTSTART:20260312T143000Z\nDURATION:PT50M\nEND:VEVENT"
    >>> period_in_words(next(calendar_components(text)))
    'starts on 12 March 2026, 14:30 (UTC), and ends at 15:20'
    """
    start, end = (moment_of(entry.first(name)) for name in ("DTSTART", "DTEND"))
    if start is None:
        return ""
    if end is None:
        end = start.after(entry.text("DURATION"))
    elif not end.has_time:
        end = end.day_before()  # it is the first day that the entry leaves free
    if not start.has_time:
        return f"is on {start}, all day" if end is None or end.at <= start.at else f"is from {start} to {end}, all day"
    if end is None or end == start:
        return f"starts on {start}"
    if start.zone != end.zone:
        return f"starts on {start}, and ends on {end}"
    is_same_day = end.at.date() == start.at.date()
    return f"starts on {start}, and ends {f'at {end.at:%H:%M}' if is_same_day else f'on {end.without_zone}'}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, or a time of a day in a zone."""

    at: datetime
    has_time: bool = False
    zone: str = ""

    @property
    def without_zone(self) -> str:
        """The moment in words, without its zone."""
        return f"{self.at.day} {self.at:%B %Y}" + (f", {self.at:%H:%M}" if self.has_time else "")

    def __str__(self) -> str:
        return f"{self.without_zone} ({self.zone})" if self.zone else self.without_zone

    def day_before(self) -> Moment | None:
        """Return the day before, None where there is none."""
        return self._moved(timedelta(days=-1))

    def after(self, duration: str) -> Moment | None:
        """Return the end of a duration as calendars write it, the last day for one of days; None where it is none."""
        found = _DURATION.fullmatch(duration)
        if found is None or not any(found.groups()):
            return None
        weeks, days, hours, minutes, seconds = (int((number or "0")[:6]) for number in found.groups())
        length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
        return self._moved(length if self.has_time else length - timedelta(days=1))

    def _moved(self, length: timedelta) -> Moment | None:
        try:
            return replace(self, at=self.at + length)
        except OverflowError:
            return None


def moment_of(stated: Property | None) -> Moment | None:
    """Return the moment that a property states, None without one."""
    found = _MOMENT.fullmatch(stated.value) if stated else None
    if stated is None or found is None:
        return None
    year, month, day, hour, minute, second = (int(number or 0) for number in found.groups()[:6])
    try:
        at = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    zone = "UTC" if found[7] else stated.parameters.get("TZID", "").strip("/")
    return Moment(at, has_time=found[4] is not None, zone=zone)


def recurrence_in_words(rule: str) -> str:
    """Return how often an entry is repeated; a rule that says more than a plain one, as it is written.

    >>> recurrence_in_words("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20260505")
    'every 2 weeks on Monday and Wednesday until 5 May 2026'
    >>> recurrence_in_words("FREQ=MONTHLY;BYDAY=-1FR;COUNT=3"), recurrence_in_words("FREQ=HOURLY")
    ('every month on the last Friday, 3 times', 'FREQ=HOURLY')
    """
    parts = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    unit, days = _UNITS.get(parts.get("FREQ", "")), [_day_name(day) for day in parts.get("BYDAY", "").split(",") if day]
    if unit is None or not parts.keys() <= _SIMPLE or "" in days:
        return rule
    interval = parts.get("INTERVAL", "1")
    days += [f"day {day}" for day in parts.get("BYMONTHDAY", "").split(",") if day]
    until = moment_of(Property("UNTIL", parts.get("UNTIL", ""), {}))
    words = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
    words += f" on {' and '.join(filter(None, (', '.join(days[:-1]), days[-1])))}" if days else ""
    words += f" until {until}" if until else ""
    return words + (f", {parts['COUNT']} times" if "COUNT" in parts else "")


def _day_name(stated: str) -> str:
    """Return a day of the week, with its place in the month if it is stated; "" for one that is not plain."""
    ordinal, name = stated[:-2].lstrip("+"), _DAYS.get(stated[-2:], "")
    return f"{_ORDINALS[ordinal]}{name}" if name and ordinal in _ORDINALS else ""
