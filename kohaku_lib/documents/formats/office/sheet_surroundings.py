"""What stands around the cells of an Excel sheet: text boxes, comments, headers and footers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kohaku_lib.documents.formats.office.page_numbers import PAGE_NUMBER, without_page_numbers
from kohaku_lib.documents.formats.shared.xml_tree import xml_root

_CODE = re.compile(r'&(?:([LCRPND&TFAZG])|"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Za-z])')
_SIDES, _OF_PAGE = frozenset("LCR"), frozenset("PNDTFAZG")  # codes of where a text stands, and of what is filled in
_THREADED = "[Threaded comment]"  # what older programs show of comments that have answers


class SheetSurroundings:
    """The text boxes and comments of the sheet that is a part of the open zip file `archive`.

    Raises:
        DocumentError: A part that is asked for is damaged.

    """

    def __init__(self, archive: Any, name: str) -> None:
        self._archive = archive
        self._names: dict[str, list[str]] = {}  # of related parts, by their kind
        folder, file = posixpath.split(name)
        for one in self._roots([f"{folder}/_rels/{file}.rels"]):
            for relation in one.iter("{*}Relationship"):
                kind = (relation.get("Type") or "").rpartition("/")[2]
                target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target") or ""))
                self._names.setdefault(kind, []).append(target.lstrip("/"))

    def text_boxes(self) -> list[str]:
        """Return the text of each text box and shape, from the top down; their paragraphs are lines."""
        found: list[tuple[int, int, str]] = []
        for root in self._roots(self._names.get("drawing", [])):
            for anchor in root.iterchildren("{*}twoCellAnchor", "{*}oneCellAnchor", "{*}absoluteAnchor"):
                place = [int(anchor.findtext(f"{{*}}from/{{*}}{one}") or 0) for one in ("row", "col")]
                for shape in anchor.iter("{*}txBody"):
                    if next(shape.iterancestors("{*}Fallback"), None) is not None:
                        continue  # what older programs show in place of a choice
                    lines = (" ".join(_text_of(line).split()) for line in shape.iter("{*}p"))
                    found.append((place[0], place[1], "\n".join(filter(None, lines))))
        return [text for _, _, text in sorted(found, key=lambda one: one[:2]) if text]

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
