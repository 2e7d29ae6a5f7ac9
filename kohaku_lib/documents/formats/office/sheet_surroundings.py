"""What stands around the cells of an Excel sheet: text boxes, comments, headers and footers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from kohaku_lib.documents.formats.office.drawn_content import Drawn, drawn_content
from kohaku_lib.documents.formats.office.page_numbers import PAGE_NUMBER, without_page_numbers
from kohaku_lib.documents.formats.shared.xml_tree import xml_root

_CODE = re.compile(r'&(?:([LCRPND&TFAZG])|"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Za-z])')
_SIDES, _OF_PAGE = frozenset("LCR"), frozenset("PNDTFAZG")  # codes of where a text stands, and of what is filled in
_THREADED = "[Threaded comment]"  # what older programs show of comments that have answers


class SheetSurroundings:
    """The text boxes, charts, diagrams and comments of the sheet that is a part of the open zip file `archive`.

    Raises:
        DocumentError: A part that is asked for is damaged.

    """

    def __init__(self, archive: Any, name: str) -> None:
        self._archive = archive
        self._names: dict[str, list[str]] = {}  # of related parts, by their kind
        for kind, target in related_parts(self._archive, name).values():
            self._names.setdefault(kind, []).append(target)

    def text_boxes(self) -> list[str]:
        """Return the text of each text box and shape, from the top down; their paragraphs are lines."""
        shapes = (shape for anchor, _ in self._anchors() for shape in anchor.iter("{*}txBody"))
        texts = (
            "\n".join(filter(None, (" ".join(_text_of(line).split()) for line in shape.iter("{*}p"))))
            for shape in shapes
            if next(shape.iterancestors("{*}Fallback"), None) is None  # what older programs show in place of a choice
        )
        return list(filter(None, texts))

    def drawn(self) -> list[Drawn]:
        """Return the charts and diagrams, from the top down."""
        return [one for anchor, part_of in self._anchors() for one in drawn_content(anchor, part_of)]

    def parts(self) -> set[str]:
        """Return the names of the parts that belong to the sheet, those of its drawings too."""
        own = {name for names in self._names.values() for name in names}
        drawings = self._names.get("drawing", [])
        return own | {name for drawing in drawings for _, name in related_parts(self._archive, drawing).values()}

    def _anchors(self) -> list[tuple[Any, Callable[[str], Any]]]:
        """Return what is drawn on the sheet from the top down, each with what gives the parts that it refers to."""
        found: list[tuple[list[int], Any, Callable[[str], Any]]] = []
        for name in self._names.get("drawing", []):
            targets = {id_: target for id_, (_, target) in related_parts(self._archive, name).items()}
            part_of = partial(self._root_of, targets)
            for root in self._roots([name]):
                for anchor in root.iterchildren("{*}twoCellAnchor", "{*}oneCellAnchor", "{*}absoluteAnchor"):
                    place = [int(anchor.findtext(f"{{*}}from/{{*}}{one}") or 0) for one in ("row", "col")]
                    found.append((place, anchor, part_of))
        return [(anchor, part_of) for _, anchor, part_of in sorted(found, key=lambda one: one[0])]

    def _root_of(self, targets: Mapping[str, str], id_: str) -> Any:
        return next(self._roots([targets.get(id_, "")]), None)

    def comments(self) -> list[str]:
        """Return each comment with its cell and its author, if it has one."""
        return [*self._plain_comments(), *self._threaded_comments()]

    def _plain_comments(self) -> Iterator[str]:
        for root in self._roots(self._names.get("comments", [])):
            authors = [(one.text or "").strip() for one in root.iter("{*}author")]
            for comment in root.iter("{*}comment"):
                text = " ".join("".join(part.text or "" for part in comment.iter("{*}t")).split())
                number = comment.get("authorId") or ""
                author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
                if text and not text.startswith(_THREADED):
                    yield _comment(comment, author, text.removeprefix(f"{author}:").lstrip())

    def _threaded_comments(self) -> Iterator[str]:
        people = {
            one.get("id"): one.get("displayName") or ""
            for root in self._roots(name for name in self._archive.namelist() if name.startswith("xl/persons/"))
            for one in root.iter("{*}person")
        }
        for root in self._roots(self._names.get("threadedComment", [])):
            for comment in root.iter("{*}threadedComment"):
                text = " ".join((comment.findtext("{*}text") or "").split())
                if text:
                    yield _comment(comment, people.get(comment.get("personId"), ""), text)

    def _roots(self, names: Iterable[str]) -> Iterator[Any]:
        present = set(self._archive.namelist())
        return (xml_root(self._archive.read(name), name) for name in names if name in present)


def related_parts(archive: Any, name: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the name of each part to which a part has a relationship, by its id; none without relationships."""
    folder, file = posixpath.split(name)
    source = f"{folder}/_rels/{file}.rels"
    found: dict[str, tuple[str, str]] = {}
    for relation in (
        xml_root(archive.read(source), source).iter("{*}Relationship") if source in archive.namelist() else ()
    ):
        kind = (relation.get("Type") or "").rpartition("/")[2]
        target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target") or ""))
        found[relation.get("Id") or ""] = (kind, target.lstrip("/"))
    return found


def running_text(stated: str) -> str:
    r"""Return what a header or footer says, its left, middle and right parts as lines, without page numbers and dates.

    >>> running_text('&L&"Arial,Bold"ACME && Co&C&14Prices&RPage &P of &N')
    'ACME & Co\nPrices'
    """
    plain = _CODE.sub(_plain, stated)
    return "\n".join(filter(None, map(without_page_numbers, plain.split("\n"))))


def _plain(code: re.Match[str]) -> str:
    letter = code[1]
    return "\n" if letter in _SIDES else PAGE_NUMBER if letter in _OF_PAGE else "&" if letter == "&" else ""


def _comment(element: Any, author: str, text: str) -> str:
    return f"{element.get('ref') or ''}{f', {author}' if author else ''}: {text}"


def _text_of(paragraph: Any) -> str:
    return "".join((part.text or "") if part.tag.endswith("}t") else " " for part in paragraph.iter("{*}t", "{*}br"))
