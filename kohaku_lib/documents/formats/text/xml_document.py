"""Parse XML files into payloads: repeated records as tables, the rest as text under headings by element names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.html.document import parse_html
from kohaku_lib.documents.formats.html.text import is_element
from kohaku_lib.documents.formats.shared.xml_tree import xml_tree
from kohaku_lib.documents.formats.text.records import add_lines, add_records
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_DEEPEST_HEADING = 6
_PARAGRAPHS = frozenset(("p", "para", "paragraph", "simpara", "text", "line", "l"))  # their text needs no name
_TITLES = frozenset(("title", "head", "heading"))  # of the element that they begin


def parse_xml(data: bytes, document_id: str, title: str) -> DocumentPayload:
    """Parse XML: a run of elements of one name becomes a table if they are flat records, else sections by element names.

    An element that begins with a title has that as its heading. The title is that of the root element, else `title`;
    XHTML is read as HTML. Entities that lie in other files are not fetched: the names of those left out are
    `entities_left_out` in the metadata.

    >>> payload = parse_xml(b"<hives><hive no='1'><bees>900</bees></hive><hive no='2'><bees>70</bees></hive></hives>", "a", "A")
    >>> print(payload.sections[0].paragraphs[0].text)
    hive
    | no | bees |
    | --- | --- |
    | 1 | 900 |
    | 2 | 70 |

    Raises:
        DocumentError: The XML is damaged or has no text.

    """
    root, left_out = xml_tree(data, title)
    if _name_of(root) == "html":
        return parse_html(data, document_id, title)
    outline = Outline()
    name = _own_title(root)
    if _is_text(root):
        add_lines(outline, list(filter(None, [_text_with_attributes(root)])))
    else:
        _read(root, outline, 1)
    if outline.is_empty:
        msg = f"{title!r} contains no text"
        raise DocumentError(msg)
    return outline.payload(document_id, name or title, {"entities_left_out": left_out} if left_out else {})


def parse_xml_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an XML file.

    Raises:
        DocumentError: The file cannot be read, is damaged or has no text.

    """
    return parse_xml(bytes_of(path), document_id, path.stem)


def _read(element: Any, outline: Outline, level: int) -> None:
    lines = [f"{key}: {value}" for key, value in _attributes(element)]
    is_titled = bool(_own_title(element))
    for name, run in groupby(list(_children(element))[is_titled:], _name_of):
        group = list(run)
        if all(map(_is_text, group)) and name.lower() not in _PARAGRAPHS:
            lines += [f"{name}: {text}" for text in map(_text_with_attributes, group) if text]
            continue
        add_lines(outline, lines)
        lines = []
        if len(group) > 1 and all(map(_is_record, group)):
            add_records(outline, [_record_of(one) for one in group], caption=name)
        else:
            for one in group:
                _read_part(one, name, outline, level)
    add_lines(outline, lines)


def _read_part(element: Any, name: str, outline: Outline, level: int) -> None:
    if _is_text(element):
        add_lines(outline, list(filter(None, [_text_with_attributes(element)])))
    elif level > _DEEPEST_HEADING:
        add_lines(outline, list(filter(None, [_own_title(element)])))
        _read(element, outline, level)
    else:
        outline.heading(level, _own_title(element) or name)
        _read(element, outline, level + 1)


def _own_title(element: Any) -> str:
    """Return the title with which an element begins, "" without one."""
    first = next(_children(element), None)
    return _text_of(first) if first is not None and _name_of(first).lower() in _TITLES and _is_text(first) else ""


def _is_text(element: Any) -> bool:
    """Return whether an element is one text: it has no elements, or text between them."""
    return not _has_children(element) or _has_own_text(element)


def _is_record(element: Any) -> bool:
    """Return whether an element has fields and each of them is one text."""
    if _has_children(element):
        return not _has_own_text(element) and not any(map(_has_children, _children(element)))
    return bool(_attributes(element))


def _has_children(element: Any) -> bool:
    return next(_children(element), None) is not None


def _has_own_text(element: Any) -> bool:
    return any(text and text.strip() for text in (element.text, *(child.tail for child in element)))


def _fields(element: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a record and its elements, those of one name as a list, else its own text."""
    texts: dict[str, list[str]] = {}
    for child in _children(element):
        texts.setdefault(_name_of(child), []).append(_text_of(child))
        for key, value in _attributes(child):
            texts.setdefault(f"{_name_of(child)}.{key}", []).append(value)
    yield from _attributes(element)
    yield from texts.items() if texts else [(_name_of(element), _text_of(element))]


def _record_of(element: Any) -> dict[str, Any]:
    """Return the fields of a record; an attribute and an element of one name have a column each."""
    record: dict[str, Any] = {}
    for key, value in _fields(element):
        record[f"{key} ({sum(name.split(' (')[0] == key for name in record) + 1})" if key in record else key] = value
    return record


def _children(element: Any) -> Iterator[Any]:
    return (child for child in element if is_element(child))


def _attributes(element: Any) -> list[tuple[str, str]]:
    """Return the attributes with text, without those of a namespace, which say how the file is written."""
    return [(key, " ".join(value.split())) for key, value in element.items() if value.strip() and key[0] != "{"]


def _text_with_attributes(element: Any) -> str:
    return ", ".join(filter(None, (_text_of(element), *(f"{key}: {value}" for key, value in _attributes(element)))))


def _text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _name_of(element: Any) -> str:
    return element.tag.rsplit("}", 1)[-1]
