"""The parts of an OpenDocument file, and what it states about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.office.office_files import check_office_file, zip_parts
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.errors import DocumentError

_NAMESPACE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE, TEXT, TABLE, DRAW, STYLE, PRESENTATION = (
    _NAMESPACE % name for name in ("office", "text", "table", "drawing", "style", "presentation")
)
SVG = _NAMESPACE % "svg-compatible"
_META = _NAMESPACE % "meta"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTENT, _STYLES, _PROPERTIES, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_NOTHING = b"<none/>"


class OdfFile:
    """The content, styles and properties of a file, whose kind is "text", "spreadsheet" or "presentation".

    Raises:
        DocumentError: The file is damaged, encrypted, or of another kind.

    """

    def __init__(self, path: Path, kind: str) -> None:
        self._path = path
        check_office_file(path, _CONTENT)
        parts = zip_parts(path, (_CONTENT, _STYLES, _PROPERTIES, _MANIFEST))
        if b":encryption-data" in parts.get(_MANIFEST, b""):
            msg = f"{path.name!r} is encrypted; save it without a password"
            raise DocumentError(msg)
        self.content = xml_root(parts[_CONTENT], path.name)
        self.styles = xml_root(parts.get(_STYLES, _NOTHING), path.name)
        self._properties = xml_root(parts.get(_PROPERTIES, _NOTHING), path.name)
        self.body = self.content.find(f"{OFFICE}body/{OFFICE}{kind}")
        if self.body is None:
            msg = f"{path.name!r} contains no {kind}; correct its suffix"
            raise DocumentError(msg)

    def part(self, name: str) -> Any:
        """Return the root of a part, None where it is missing or damaged."""
        try:
            data = zip_parts(self._path, (name,)).get(name)
            return None if data is None else xml_root(data, name)
        except DocumentError:
            return None

    def properties(self) -> dict[str, str]:
        """Return the title, author, date (YYYY-MM-DD), subject and language that the file states."""
        stated = {}
        for one in (one for meta in self._properties for one in meta):
            stated.setdefault(one.tag, " ".join((one.text or "").split()))
        author = stated.get(f"{_META}initial-creator") or stated.get(f"{_DC}creator", "")
        day = re.match(r"\d{4}-\d\d-\d\d", stated.get(f"{_META}creation-date", ""))
        language = re.match(r"[a-zA-Z]{2,3}(?=$|[-_])", stated.get(f"{_DC}language", ""))
        properties = {
            "title": stated.get(f"{_DC}title", ""),
            "author": author,
            "date": day[0] if day else "",
            "subject": stated.get(f"{_DC}subject", ""),
            "language": language[0].lower() if language else "",
        }
        return {name: value for name, value in properties.items() if value}

    def all_styles(self) -> Iterator[Any]:
        """Yield the elements of styles, those of the content last."""
        for root in (self.styles, self.content):
            for group in root:
                if group.tag in {f"{OFFICE}styles", f"{OFFICE}automatic-styles"}:
                    yield from group

    def line_through(self) -> dict[str, bool]:
        """Return whether a style strikes its text out, by the name of each that says so, itself or by what it derives from."""
        styles = {style.get(f"{STYLE}name"): style for style in self.all_styles() if style.tag == f"{STYLE}style"}
        found: dict[str, bool] = {}
        for name in styles:
            chain: list[str] = []
            at = name
            while at in styles and at not in chain:
                chain.append(at)
                at = styles[at].get(f"{STYLE}parent-style-name")
            own = (styles[one].find(f"{STYLE}text-properties") for one in chain)
            lines = (
                one.get(f"{STYLE}text-line-through-{of}") for one in own if one is not None for of in ("style", "type")
            )
            line = next(filter(None, lines), None)
            if line is not None:
                found[name] = line != "none"
        return found


def rows_of(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, those of its groups too, without those of tables within its cells."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in {f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group")}:
            yield from rows_of(child)


def cells_of(row: Any) -> Iterator[tuple[Any, int]]:
    """Yield the cells of a row, and how often each is repeated."""
    for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
        yield cell, whole_number(cell.get(f"{TABLE}number-columns-repeated"))


def whole_number(text: str | None, least: int = 1, most: int = 1_000_000) -> int:
    """Return the number that an attribute states, between `least` and `most`; `least` if it states none.

    >>> whole_number("3"), whole_number(None), whole_number("-4"), whole_number("99", most=10)
    (3, 1, 1, 10)
    """
    digits = re.fullmatch(r"\s*(\d{1,9})\s*", text or "")
    return min(max(int(digits[1]), least), most) if digits else least
