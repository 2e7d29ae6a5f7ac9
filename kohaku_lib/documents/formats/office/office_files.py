"""Checks and properties common to the zipped office formats."""

from __future__ import annotations

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from kohaku_lib.errors import DocumentError

_LARGEST_PART_BYTES = 512 << 20
_LARGEST_BYTES = 2 << 30
_CONTENTS = "[Content_Types].xml"  # a part of every file in these formats
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PROPERTIES = {"title": "title", "creator": "author", "created": "date", "subject": "subject", "language": "language"}


def check_office_file(path: Path, contents: str = _CONTENTS) -> None:
    """Check the container of an office file, which has a part named `contents`.

    Raises:
        DocumentError: The file is not an office file, is encrypted, or would unpack to more than 2 GiB.

    """
    try:
        with path.open("rb") as file:
            head = file.read(8)
        if head == _OLD_OR_LOCKED:
            msg = f"{path.name!r} is encrypted or in a format from before 2007; save it without a password as {path.suffix}"
            raise DocumentError(msg)
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeError) as fault:
        msg = f"{path.name!r} is damaged or not a {path.suffix} file ({fault})"
        raise DocumentError(msg) from fault
    except OSError as fault:
        msg = f"{path.name!r} cannot be read ({fault.strerror or type(fault).__name__})"
        raise DocumentError(msg) from fault
    sizes = [part.file_size for part in parts]
    if max(sizes, default=0) > _LARGEST_PART_BYTES or sum(sizes) > _LARGEST_BYTES:
        msg = f"{path.name!r} unpacks to {sum(sizes) >> 20} MiB, more than the limit for documents; split it or leave it out"
        raise DocumentError(msg)
    if contents not in {part.filename for part in parts}:
        msg = f"{path.name!r} is a zip file, but not a {path.suffix} file; unpack it or correct its suffix"
        raise DocumentError(msg)


def zip_parts(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of those of the named parts that a zip file has.

    Raises:
        DocumentError: A part is damaged or encrypted.

    """
    try:
        with zipfile.ZipFile(path) as archive:
            present = set(archive.namelist())
            return {name: archive.read(name) for name in names if name in present}
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        RuntimeError,
    ) as fault:  # RuntimeError: a password
        msg = f"{path.name!r} is damaged or encrypted ({fault})"
        raise DocumentError(msg) from fault


def office_properties(path: Path) -> dict[str, str]:
    """Return the title, author, date (YYYY-MM-DD), subject and language in an office file's properties."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    try:
        with zipfile.ZipFile(path) as archive:
            core = archive.read("docProps/core.xml")
        root = etree.fromstring(core, etree.XMLParser(resolve_entities=False, no_network=True))
    except (KeyError, zipfile.BadZipFile, etree.XMLSyntaxError, RuntimeError):
        return {}
    stated = {etree.QName(child).localname: " ".join((child.text or "").split()) for child in root.iterchildren("*")}
    properties = {name: stated[key] for key, name in _PROPERTIES.items() if stated.get(key)}
    if "date" in properties:
        day = re.match(r"\d{4}-\d\d-\d\d", properties.pop("date"))
        properties |= {"date": day[0]} if day else {}
    return properties
