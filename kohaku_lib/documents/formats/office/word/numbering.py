"""Write the numbers of headings and lists, which Word computes, into their paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.documents.formats.office.word.symbols import symbol_text
from kohaku_lib.documents.formats.office.word.word_file import WORD, WordFile, child_of, text_run, value_of
from kohaku_lib.documents.formats.shared.list_numbers import formatted_number

LABEL_STYLE = "KohakuLabel"
END_STYLE = "KohakuEnd"
_BULLET = "-"
_BOXES = ("☐", "☑", "☒")


def write_numbers(file: WordFile) -> None:
    """Write the label of each numbered paragraph into it as a first run in the style `LABEL_STYLE`.

    A bullet gets none, except for the box of a checklist. A paragraph that shows no label becomes one without
    numbering. Lists that follow each other are kept apart by an empty paragraph in the style `END_STYLE`.
    """
    counters = _Counters(file)
    above, top = None, ""  # the numbered paragraph before, and the number of the list that it is in
    for paragraph in list(file.document.iter(f"{WORD}p")):
        place = counters.place_of(paragraph)
        label = counters.count(*place) if place else ""
        _number(paragraph, place if place and label else ("0", 0))
        if place and label and place[1] == 0:
            if paragraph.getprevious() is above and place[0] != top and counters.is_at_start(*place):
                paragraph.addprevious(_end_of_list())
            top = place[0]
        above = paragraph if place and label else None
        if label and label != _BULLET:
            properties = child_of(paragraph, "pPr")
            paragraph.insert(paragraph.index(properties) + 1, text_run(label, LABEL_STYLE))


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of a list: the format of its number, and the text around it with %1 for the number of the first level."""

    number_format: str
    text: str
    start: int
    restarts_after: int | None  # the number of levels after which it restarts, None for all above it
    separator: str
    in_digits: bool


@dataclass(slots=True)
class _List:
    levels: dict[int, Any]
    level_of_style: dict[str, int]
    values: dict[int, int] = field(default_factory=dict)


class _Counters:
    def __init__(self, file: WordFile) -> None:
        numbering, styles = file.part("numbering"), file.part("styles")
        self._styles = {one.get(f"{WORD}styleId"): one for one in _named(styles, "style")}
        self._lists = {one.get(f"{WORD}abstractNumId"): _list_of(one) for one in _named(numbering, "abstractNum")}
        self._numbers = {one.get(f"{WORD}numId"): one for one in _named(numbering, "num")}
        self._linked = {
            one.get(f"{WORD}abstractNumId"): value_of(one, "numStyleLink") for one in _named(numbering, "abstractNum")
        }
        self._levels: dict[tuple[str, int], _Level | None] = {}
        self._begun: set[tuple[str, int]] = set()

    def place_of(self, paragraph: Any) -> tuple[str, int] | None:
        """Return the number and level of a paragraph's numbering, its own before that of its style."""
        chain = list(self._style_chain(value_of(paragraph, "pPr/pStyle")))
        stated = [paragraph, *(self._styles[style] for style in chain)]
        number = next(filter(None, (value_of(one, "pPr/numPr/numId") for one in stated)), None)
        if number is None or self._list_of(number) is None:
            return None
        own, *of_styles = (value_of(one, "pPr/numPr/ilvl") for one in stated)
        by_style = self._list_of(number).level_of_style
        linked = next((by_style[style] for style in chain if style in by_style), None)
        level = own or (linked if linked is not None else next(filter(None, of_styles), "0"))
        return number, _whole(str(level))

    def count(self, number: str, depth: int) -> str:
        """Count a paragraph and return its label with what separates it from the text."""
        values = self._list_of(number).values
        level = self._level(number, depth)
        if level is None:
            return ""
        restarted = (number, depth) not in self._begun and self._start_override(number, depth) is not None
        self._begun.add((number, depth))
        values[depth] = values[depth] + 1 if depth in values and not restarted else level.start
        for above in self._list_of(number).levels:
            higher = self._level(number, above) if above < depth else None
            if higher is not None:
                values.setdefault(above, higher.start)
        for below in [one for one in values if one > depth]:
            deeper = self._level(number, below)
            if deeper is None or deeper.restarts_after is None or depth < deeper.restarts_after:
                del values[below]
        if level.number_format == "bullet":
            return f"{level.text} " if level.text in _BOXES else _BULLET
        label = re.sub(r"%([1-9])", lambda match: self._written(number, int(match[1]) - 1, values, level), level.text)
        return label + level.separator if label.strip() else ""

    def is_at_start(self, number: str, depth: int) -> bool:
        """Return whether the paragraph counted last is the first of its list."""
        level = self._level(number, depth)
        return level is not None and self._list_of(number).values[depth] == level.start

    def _written(self, number: str, depth: int, values: dict[int, int], of: _Level) -> str:
        level = self._level(number, depth)
        if level is None or depth not in values:
            return ""
        return formatted_number(values[depth], "decimal" if of.in_digits else level.number_format)

    def _style_chain(self, style: str | None) -> Iterator[str]:
        """Yield a style and those that it is based on."""
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield style
            style = value_of(self._styles[style], "basedOn")

    def _list_of(self, number: str) -> Any:
        """Return the list of a number, which may be that of a list style."""
        for _ in range(9):  # links may be circular
            if number not in self._numbers:
                return None
            name = value_of(self._numbers[number], "abstractNumId")
            link = self._linked.get(name)
            if link not in self._styles:
                return self._lists.get(name)
            number = value_of(self._styles[link], "pPr/numPr/numId") or ""
        return None

    def _level(self, number: str, depth: int) -> _Level | None:
        if (number, depth) not in self._levels:
            self._levels[number, depth] = self._read_level(number, depth)
        return self._levels[number, depth]

    def _read_level(self, number: str, depth: int) -> _Level | None:
        override = self._override(number, depth)
        own = None if override is None else child_of(override, "lvl")
        element = own if own is not None else self._list_of(number).levels.get(depth)
        if element is None:
            return None
        start = self._start_override(number, depth) or value_of(element, "start")
        restart = value_of(element, "lvlRestart")
        return _Level(
            value_of(element, "numFmt") or "decimal",
            _text_of(element),
            _whole(start),
            None if restart is None else _whole(restart),
            "" if value_of(element, "suff") == "nothing" else " ",
            child_of(element, "isLgl") is not None and value_of(element, "isLgl") not in {"0", "false"},
        )

    def _override(self, number: str, depth: int) -> Any:
        overrides = self._numbers[number].iterchildren(f"{WORD}lvlOverride")
        return next((one for one in overrides if one.get(f"{WORD}ilvl") == str(depth)), None)

    def _start_override(self, number: str, depth: int) -> str | None:
        override = self._override(number, depth)
        return None if override is None else value_of(override, "startOverride")


def _list_of(element: Any) -> _List:
    levels = {_whole(one.get(f"{WORD}ilvl")): one for one in element.iterchildren(f"{WORD}lvl")}
    return _List(levels, {style: depth for depth, one in levels.items() if (style := value_of(one, "pStyle"))})


def _whole(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,9}", text) else 0


def _named(part: Any, name: str) -> Iterator[Any]:
    return iter(()) if part is None else part.iterchildren(WORD + name)


def _text_of(level: Any) -> str:
    """Return the text of a level with the character of a symbol font in Unicode."""
    text, fonts = value_of(level, "lvlText") or "", child_of(level, "rPr/rFonts")
    return symbol_text(fonts.get(f"{WORD}ascii") or "", ord(text)) if len(text) == 1 and fonts is not None else text


def _end_of_list() -> Any:
    """Return what keeps two lists apart that follow each other."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    paragraph = etree.Element(f"{WORD}p")
    etree.SubElement(etree.SubElement(paragraph, f"{WORD}pPr"), f"{WORD}pStyle", {f"{WORD}val": END_STYLE})
    return paragraph


def _number(paragraph: Any, place: tuple[str, int]) -> None:
    """State the numbering of a paragraph in the paragraph itself; the number 0 is none."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    properties = child_of(paragraph, "pPr")
    if properties is None:
        properties = etree.Element(f"{WORD}pPr")
        paragraph.insert(0, properties)
    for stated in properties.findall(f"{WORD}numPr"):
        properties.remove(stated)
    stated = etree.SubElement(properties, f"{WORD}numPr")
    etree.SubElement(stated, f"{WORD}ilvl", {f"{WORD}val": str(place[1])})
    etree.SubElement(stated, f"{WORD}numId", {f"{WORD}val": place[0]})
