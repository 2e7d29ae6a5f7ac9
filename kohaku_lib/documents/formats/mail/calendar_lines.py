"""Take the text of a calendar (iCalendar, RFC 5545) apart into its components and their properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FOLD = re.compile(r"(?:\r\n|\n|\r)[ \t]")
_VALUE = r'(?:"[^"]*"|[^";:,]*)'
_LINE = re.compile(rf"([\w-]+)((?:;[\w-]+={_VALUE}(?:,{_VALUE})*)*):(.*)", re.DOTALL)
_PARAMETER = re.compile(rf";([\w-]+)=({_VALUE})")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def calendar_components(text: str) -> Iterator[Component]:
    r"""Yield the components of calendars, such as VEVENT, those within others after them; damaged lines are passed over.

    >>> text = "BEGIN:VEVENT\nSUMMARY;LANGUAGE=en:Crane\\, safety\n  briefing\nEND:VEVENT"
    >>> [(one.name, one.text("SUMMARY")) for one in calendar_components(text)]
    [('VEVENT', 'Crane, safety briefing')]
    """
    opened: list[Component] = []
    found: list[Component] = []
    for line in _FOLD.sub("", text).splitlines():
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            continue
        name, value = parts[1].upper(), parts[3]
        if name == "BEGIN":
            opened.append(Component(value.strip().upper(), opened[0] if opened else None))
            found.append(opened[-1])
        elif name == "END":
            opened = opened[:-1]
        elif opened:
            parameters = {key.upper(): stated.strip('"') for key, stated in _PARAMETER.findall(parts[2])}
            opened[-1].properties.append(Property(name, value.strip(), parameters))
    yield from found


@dataclass(frozen=True, slots=True)
class Property:
    """A property with its value as it is written, and its parameters."""

    name: str
    value: str
    parameters: dict[str, str]

    @property
    def text(self) -> str:
        """The value as a text, without the marks that escape its signs."""
        return _ESCAPED.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], self.value).strip()


@dataclass(frozen=True, slots=True)
class Component:
    """A component, the calendar that it is in, and its properties."""

    name: str
    calendar: Component | None
    properties: list[Property] = field(default_factory=list)

    def all(self, name: str) -> list[Property]:
        """Return the properties of a name."""
        return [one for one in self.properties if one.name == name]

    def first(self, name: str) -> Property | None:
        """Return the first property of a name, None without one."""
        return next(iter(self.all(name)), None)

    def text(self, name: str) -> str:
        """Return the text of the first property of a name, "" without one."""
        found = self.first(name)
        return found.text if found else ""
