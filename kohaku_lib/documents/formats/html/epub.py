"""Parse e-books into payloads: the chapters of an EPUB file in reading order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from kohaku_lib.documents.formats.html.document import decode_page, html_root, outline_of
from kohaku_lib.documents.formats.html.text import tag_of
from kohaku_lib.documents.formats.office.office_files import check_office_file, zip_parts
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts alone are disguised by these, the text is not: https://www.w3.org/TR/epub-33/#sec-font-obfuscation
_OF_FONTS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def parse_epub(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an e-book: its chapters in the order of its spine, each read as an HTML page.

    Title, author, date and language are those that the book states; without a title it has the file's stem. The table
    of contents is left out. Chapters that are not in the file are `missing_chapters` in the metadata.

    Raises:
        DocumentError: The file is damaged, protected by a DRM or without text.

    """
    check_office_file(path, _CONTAINER)
    parts = zip_parts(path, (_CONTAINER, _ENCRYPTION))
    _refuse_protected(parts, path.name)
    package_name = _package_name(xml_root(parts[_CONTAINER], path.name))
    package = zip_parts(path, (package_name,)).get(package_name)
    if package is None:
        msg = f"{path.name!r} is damaged: the package {package_name!r} that it names is missing"
        raise DocumentError(msg)
    book = xml_root(package, path.name)
    names = list(dict.fromkeys(_chapter_names(book, posixpath.dirname(package_name))))
    pages = zip_parts(path, names)
    outline = outline_of(*(html_root(decode_page(pages[name])) for name in names if name in pages))
    if outline.is_empty:
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    missing = [name for name in names if name not in pages]
    metadata: dict[str, Any] = {**_metadata_of(book), **({"missing_chapters": missing} if missing else {})}
    return with_unread_parts(
        outline.payload(document_id, metadata.pop("title", "") or path.stem, metadata), path, pages
    )


def _refuse_protected(parts: dict[str, bytes], name: str) -> None:
    encryption = xml_root(parts[_ENCRYPTION], name) if _ENCRYPTION in parts else ()
    for data in encryption:
        methods = {one.get("Algorithm") for one in data if tag_of(one) == "encryptionmethod"}
        if tag_of(data) == "encrypteddata" and not methods <= _OF_FONTS:
            msg = f"{name!r} is protected by the DRM of its shop; add an edition of the book without it"
            raise DocumentError(msg)


def _package_name(container: Any) -> str:
    return next((one.get("full-path") or "" for one in container.iter("{*}rootfile")), "")


def _chapter_names(book: Any, folder: str) -> Iterator[str]:
    """Yield the names of the parts that the spine lists, without the table of contents."""
    items = {item.get("id"): item for item in book.iter("{*}item")}
    for reference in book.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "").partition("#")[0]))


def _metadata_of(book: Any) -> dict[str, str]:
    stated: dict[str, list[str]] = {}
    for metadata in book.iterchildren("{*}metadata"):
        for element in metadata.iter("{http://purl.org/dc/elements/1.1/}*"):
            text = " ".join("".join(element.itertext()).split())
            if text:
                stated.setdefault(tag_of(element), []).append(text)
    day = re.match(r"\d{4}(-\d\d(-\d\d)?)?", stated.get("date", [""])[0])
    language = re.match(r"[a-zA-Z]{2,3}(?=$|[-_])", stated.get("language", [""])[0])
    metadata = {
        "title": stated.get("title", [""])[0],
        "author": ", ".join(stated.get("creator", [])),
        "date": day[0] if day else "",
        "language": language[0].lower() if language else "",
    }
    return {name: value for name, value in metadata.items() if value}
