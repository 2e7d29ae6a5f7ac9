"""Account for the parts of a zipped document: which of them hold text, or a file, of which nothing was read."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.formats.office.embedded import chart_workbooks, embedded_files
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.documents.lost_parts import UNREAD_PARTS, counted
from kohaku_lib.errors import DocumentError
from kohaku_lib.tables import DocumentPayload

# What readers open themselves and leave out by rule (page numbers of headers, hidden sheets), what no page shows (prompts of
# layouts, values of other files), and what programs keep for themselves.
_ACCOUNTED = re.compile(
    r"(^|/)(__MACOSX|Configurations2|Thumbnails)/|^(docProps|customXml|META-INF|word/(theme|glossary)|ppt/(theme|(slide|notes|handout)(Master|Layout)s|slides|notesSlides)"
    r"|xl/(theme|worksheets|pivotCache|pivotTables|externalLinks|tables))/"
    r"|^(content|meta|manifest|\[Content_Types\])\.(xml|rdf)$|(^|/)settings\.xml$"
    r"|(^|/)((document|header|footer|footnotes|endnotes|comments|sharedStrings|styles)\d*\.xml|[^/]*\.(rels|opf|ncx))$"
)
_OBJECT = re.compile(r"(^|/)embeddings/[^/]+$|^Object \d+$")
_NAMES = "t v pt p h span text font div li td th dd dt a b i em strong h1 h2 h3 h4 h5 h6"
_TEXTS = [f"{{*}}{name}" for name in _NAMES.split()]
_PAGES = frozenset((".html", ".htm", ".xhtml", ".vml"))  # .vml: the buttons of older programs
_MOST_PIECES = 20  # of a part that are looked for, the longest, which stand nowhere else by chance
_WORD = re.compile(r"\w+")


def with_unread_parts(payload: DocumentPayload, path: Path, read: Collection[str] = ()) -> DocumentPayload:
    """Return a payload whose metadata names, as `unread_parts`, the files and the parts with text of which it has nothing.

    A part is read if any of its texts stands in the payload, in its metadata too. The workbooks from which charts take their
    values are not named, nor are pictures, nor embedded files, which are documents of their own. Parts that the reader names as
    `read` are not looked at.
    """
    told = _squeezed(" ".join([payload.title, payload.text, *map(str, payload.metadata.values())]))
    told += "".join(_squeezed(f"{one.title} {one.metadata}") for one in payload.sections or ())
    try:
        with zipfile.ZipFile(path) as archive:
            unread = list(_unread(archive, told, read))
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError):
        return payload  # its reader has got what can be had
    return replace(payload, metadata={**payload.metadata, **counted(UNREAD_PARTS, unread)})


def _unread(archive: zipfile.ZipFile, told: str, read: Collection[str]) -> Iterator[str]:
    known = {*read, *chart_workbooks(archive), *embedded_files(archive)}
    for name in archive.namelist():
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if _ACCOUNTED.search(name) or name in known or name.endswith("/"):
            continue
        if suffix == ".xml" or suffix in _PAGES:
            pieces = _pieces(archive.read(name), suffix)
            if pieces is None:
                yield f"damaged {name}"
            elif pieces and not any(piece in told for piece in pieces):
                yield f"text in {name}"
        elif _OBJECT.search(name) or _is_document(name):
            yield f"file {name}"


def _is_document(name: str) -> bool:
    kind = format_of(name)
    return kind is not None and not kind.mime_types[PurePosixPath(name).suffix.lower()].startswith("image/")


def _pieces(data: bytes, suffix: str) -> list[str] | None:
    """Return the longest texts of a part, without blanks; None of a damaged one."""
    from lxml import html  # pyright: ignore[reportAttributeAccessIssue]

    try:
        root: Any = html.document_fromstring(data) if suffix in _PAGES else xml_root(data, "part")
    except (DocumentError, ValueError, SyntaxError):
        return None
    texts = {_squeezed(element.text or "") for element in root.iter(*_TEXTS)}
    return sorted(filter(None, texts), key=len, reverse=True)[:_MOST_PIECES]


def _squeezed(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))
