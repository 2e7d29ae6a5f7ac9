"""Read the parts of a Word file, change them, and write the file again."""

from __future__ import annotations

import io
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.errors import DocumentError

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_STRICT = (  # namespaces of the strict variant of the format and their usual names
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", WORD.strip("{}").encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/", b"http://schemas.openxmlformats.org/officeDocument/2006/"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)


class WordFile:
    """The XML parts of a Word file; the trees that `part` returns may be changed, and `saved` contains the changes.

    Raises:
        DocumentError: The file, or a part that is asked for, is damaged.

    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        try:
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
                self._data = {name: archive.read(name) for name in names}
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            RuntimeError,
            NotImplementedError,
            OSError,
            EOFError,
        ) as fault:
            raise self._damaged(fault) from fault
        self._trees: dict[str, Any] = {}
        self._main = next((target for _, target in self._targets("", "officeDocument")), "word/document.xml")
        if self._main not in self._data:
            msg = "it contains no document"
            raise self._damaged(msg)

    @property
    def document(self) -> Any:
        """The root of the document itself."""
        return self._tree(self._main)

    def part(self, kind: str) -> Any:
        """Return the root of the document's part of a kind, such as "styles" or "footnotes", None without one."""
        return next((tree for _, tree in self.parts(kind)), None)

    def parts(self, kind: str) -> Iterator[tuple[str, Any]]:
        """Yield the id and root of each of the document's parts of a kind, such as "header"."""
        for id_, name in self._targets(self._main, kind):
            if name in self._data:
                yield id_, self._tree(name)

    def related(self, id_: str) -> Any:
        """Return the root of the part to which the document has the relationship `id_`, None without one."""
        name = next((name for one, name in self._targets(self._main, "") if one == id_), None)
        return self._tree(name) if name in self._data else None

    def saved(self) -> io.BytesIO:
        """Return the file with the changed parts, without pictures."""
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in self._data.items():
                archive.writestr(name, etree.tostring(self._trees[name]) if name in self._trees else data)
        file.seek(0)
        return file

    def _targets(self, source: str, kind: str) -> Iterator[tuple[str, str]]:
        """Yield the id and name of each part to which `source` has a relationship of a kind, "" for any."""
        folder, name = posixpath.split(source)
        relationships = posixpath.join(folder, "_rels", f"{name}.rels")
        if relationships not in self._data:
            return
        for one in self._tree(relationships).iter(_RELATIONSHIP):
            if (one.get("Type") or "").endswith(f"/{kind}" if kind else "") and one.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, one.get("Target") or ""))
                yield one.get("Id") or "", target.lstrip("/")

    def _tree(self, name: str) -> Any:
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

        if name not in self._trees:
            data = self._data[name]
            for strict, usual in _STRICT:
                data = data.replace(strict, usual)
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
            try:
                self._trees[name] = etree.fromstring(data, parser)
            except etree.XMLSyntaxError as fault:
                raise self._damaged(fault) from fault
        return self._trees[name]

    def _damaged(self, fault: object) -> DocumentError:
        return DocumentError(f"{self._name!r} is damaged or not a .docx file ({fault})")


def value_of(element: Any, path: str) -> str | None:
    """Return the `w:val` of the element at a path such as "pPr/pStyle", None without the element or the value.

    >>> from lxml import etree
    >>> paragraph = etree.Element(f"{WORD}p")
    >>> style = etree.SubElement(etree.SubElement(paragraph, f"{WORD}pPr"), f"{WORD}pStyle", {f"{WORD}val": "Title"})
    >>> value_of(paragraph, "pPr/pStyle"), value_of(paragraph, "pPr/numPr/ilvl")
    ('Title', None)
    """
    found = child_of(element, path)
    return None if found is None else found.get(f"{WORD}val")


def child_of(element: Any, path: str) -> Any:
    """Return the element at a path of names without prefix, None if there is none."""
    return element.find("/".join(WORD + name for name in path.split("/")))


def text_run(text: str, style: str = "") -> Any:
    """Return a run with a text, in a character style if one is named.

    >>> "".join(text_run("2.1 ").itertext())
    '2.1 '
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    run = etree.Element(f"{WORD}r")
    if style:
        properties = etree.SubElement(run, f"{WORD}rPr")
        etree.SubElement(properties, f"{WORD}rStyle", {f"{WORD}val": style})
    etree.SubElement(run, f"{WORD}t").text = text
    return run
