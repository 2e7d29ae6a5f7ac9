"""Read office files whose package is damaged in ways that office programs repair."""

from __future__ import annotations

import posixpath
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_CONTENTS = "[Content_Types].xml"
_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_MAIN = {
    ".docx": "wordprocessingml.document.main",
    ".xlsx": "spreadsheetml.sheet.main",
    ".pptx": "presentationml.presentation.main",
}
_TYPES = {  # of parts that libraries know by their type alone, by the kind of their relationship
    **{kind: f"presentationml.{kind}" for kind in ("slide", "slideLayout", "slideMaster", "notesSlide", "notesMaster")},
    **{kind: f"spreadsheetml.{kind}" for kind in ("worksheet", "sharedStrings", "chartsheet")},
    "chart": "drawingml.chart",
    "drawing": "drawing",
    "theme": "theme",
}
_FAULTS = (
    DocumentError,
    SyntaxError,
    OSError,
    KeyError,
    ValueError,
    AttributeError,
    TypeError,
)  # of libraries at damaged files
_MOST_BYTES = 2**26  # unpacked, of a file that is repaired in memory
_Parse = Callable[[Path, str, DocumentsSettings], DocumentPayload]


def parse_or_repair(parse: _Parse, path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Return what `parse` makes of an office file, or where it cannot, of the file as far as its package can be repaired.

    Repaired are XML that is not well-formed, names whose case is another one than where they are referred to, types of parts
    that are not stated, and those of parts that are not there; the metadata then says `repaired`. The first fault is raised
    where that is not it.

    Raises:
        DocumentError: The file cannot be read, and repairing it does not help.

    """
    try:
        return parse(path, document_id, settings)
    except _FAULTS:
        parts = _repaired_parts(path)
        if parts is None:
            raise
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path.name
            with zipfile.ZipFile(file, "w") as archive:
                for name, data in parts.items():
                    archive.writestr(name, data)
            try:
                payload = parse(file, document_id, settings)
            except _FAULTS:
                payload = None
        if payload is None:
            raise
        return replace(payload, metadata={**payload.metadata, "repaired": True})


def _repaired_parts(path: Path) -> dict[str, bytes] | None:
    """Return the parts of a package with those that were damaged repaired, None where none was, or nothing can be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES:
                return None
            parts = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError):
        return None
    repaired = {name: _well_formed(name, data) for name, data in parts.items()}
    relations = list(_relations(repaired))
    by_case = {name.lower(): name for name in repaired}
    for _, target in relations:
        other = by_case.get(target.lower())
        if target not in repaired and other:
            repaired[target] = repaired.pop(other)
    repaired[_CONTENTS] = _with_types(repaired.pop(_CONTENTS, b"<Types/>"), repaired, relations, path.suffix)
    return repaired if repaired != parts else None


def _well_formed(name: str, data: bytes) -> bytes:
    """Return XML as far as it can be understood; what is well-formed, and no XML, as it is."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    if not name.endswith((".xml", ".rels")):
        return data
    try:
        etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except SyntaxError:
        try:
            root = etree.fromstring(data, etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
        except SyntaxError:
            root = None
        if root is None:  # nothing of it is XML
            return b"<nothing/>"
        etree.strip_elements(root, etree.Entity, with_tail=False)  # which nothing declares
        return etree.tostring(root)
    return data


def _relations(parts: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the target of each relationship within a package."""
    for name in [one for one in parts if one.endswith(".rels")]:
        folder = posixpath.dirname(posixpath.dirname(name))
        try:
            root = xml_root(parts[name], name)
        except DocumentError:
            continue
        for one in root.iter("{*}Relationship"):
            if one.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, one.get("Target") or ""))
                yield (one.get("Type") or "").rpartition("/")[2], target.lstrip("/")


def _with_types(contents: bytes, parts: Collection[str], relations: list[tuple[str, str]], suffix: str) -> bytes:
    """Return the list of the types of parts, those that are not there left out, with those that libraries need."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    root = xml_root(contents, _CONTENTS)
    if not root.tag.startswith("{"):
        root = etree.Element(f"{{{_NAMESPACE}}}Types")
    absent = [one for one in root.iterfind("{*}Override") if (one.get("PartName") or "")[1:] not in parts]
    for one in absent:
        root.remove(one)
    stated = {one.get("PartName") for one in root}
    main = _MAIN.get(suffix.lower())
    wanted = _TYPES | ({"officeDocument": main} if main else {})
    missing = {
        f"/{target}": wanted[kind] for kind, target in relations if kind in wanted and f"/{target}" not in stated
    }
    for extension in ("rels", "xml") if missing else ():
        kind = "application/vnd.openxmlformats-package.relationships+xml" if extension == "rels" else "application/xml"
        if not any(one.get("Extension") == extension for one in root):
            etree.SubElement(root, f"{{{_NAMESPACE}}}Default", Extension=extension, ContentType=kind)
    for name, kind in missing.items():
        etree.SubElement(root, f"{{{_NAMESPACE}}}Override", PartName=name, ContentType=f"{_OFFICE}{kind}+xml")
    return etree.tostring(root) if missing or absent else contents
