"""Number the headings and list items of OpenDocument texts as they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.documents.formats.office.odf.odf_file import STYLE, TEXT, OdfFile, whole_number
from kohaku_lib.documents.formats.shared.list_numbers import formatted_number

_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_OUTLINE = "Outline"
_ID = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(slots=True)
class Counters:
    """The numbers that the items of a list have reached, by level from 1."""

    style: str
    numbers: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The numbers of a text's headings and lists, counted in the order in which they are asked for."""

    def __init__(self, file: OdfFile) -> None:
        self._levels: dict[tuple[str, int], Any] = {}
        for style in file.all_styles():
            is_outline = style.tag == f"{TEXT}outline-style"
            if is_outline or style.tag == f"{TEXT}list-style":
                name = _OUTLINE if is_outline else style.get(f"{STYLE}name") or ""
                self._levels |= {(name, whole_number(one.get(f"{TEXT}level"))): one for one in style}
        self._outline = Counters(_OUTLINE)
        self._last: dict[str, Counters] = {}  # by style
        self._by_id: dict[str, Counters] = {}

    def heading(self, element: Any, level: int) -> str:
        """Return the number of a heading outside of lists, "" if it has none."""
        if element.get(f"{TEXT}is-list-header") == "true":
            return ""
        return self.item(self._outline, level, element.get(f"{TEXT}start-value"))

    def begin(self, element: Any, above: Counters | None) -> Counters:
        """Return the counters of a list: those of the list around it or that it continues, else new ones."""
        own = element.get(f"{TEXT}style-name") or ""
        if above is not None:
            counters = Counters(own, above.numbers) if own else above
        elif element.get(f"{TEXT}continue-list") in self._by_id:
            counters = self._by_id[element.get(f"{TEXT}continue-list")]
        elif element.get(f"{TEXT}continue-numbering") == "true" and own in self._last:
            counters = self._last[own]
        else:
            counters = Counters(own)
        if above is None:
            self._last[own] = counters
        if element.get(_ID):
            self._by_id[element.get(_ID)] = counters
        return counters

    def item(self, counters: Counters, level: int, start: str | None = None) -> str:
        """Count an item of a level, from `start` if it is stated, and return its label, "" if it has no number."""
        numbers = counters.numbers
        for below in [one for one in numbers if one > level]:
            del numbers[below]
        numbers[level] = whole_number(start, 0) if start else numbers.get(level, self._start(counters, level) - 1) + 1
        style = self._levels.get((counters.style, level))
        if style is None or not style.get(f"{STYLE}num-format"):
            return ""
        shown = whole_number(style.get(f"{TEXT}display-levels"), 1, level)
        places = range(level - shown + 1, level + 1)
        text = ".".join(filter(None, (self._number(counters, place) for place in places)))
        return f"{style.get(f'{STYLE}num-prefix') or ''}{text}{style.get(f'{STYLE}num-suffix') or ''}".strip()

    def _start(self, counters: Counters, level: int) -> int:
        style = self._levels.get((counters.style, level))
        return 1 if style is None else whole_number(style.get(f"{TEXT}start-value") or "1", 0)

    def _number(self, counters: Counters, level: int) -> str:
        style = self._levels.get((counters.style, level))
        name = style.get(f"{STYLE}num-format") if style is not None else ""
        number = counters.numbers.get(level, self._start(counters, level))
        return formatted_number(number, _FORMATS.get(name, "decimal")) if name else ""
