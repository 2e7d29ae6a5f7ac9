"""List the files that are embedded in Word, Excel and PowerPoint files, such as a workbook on a slide."""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kohaku_lib.documents.formats.interface import AttachedFile, Attachments, format_of
from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.documents.formats.shared.decoding import decode_text
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.errors import DocumentError

_EMBEDDED = re.compile(r"^(word|xl|ppt)/embeddings/[^/]+$")
_PACKER = "\x01Ole10Native"  # the stream with a file of any kind, as the Windows packer writes it
_PDF = "CONTENTS"  # the stream with a PDF, as Acrobat writes it
_LACKS = "damaged"
_FAULTS = (  # of libraries at damaged files
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def files_within_office(path: Path) -> Attachments:
    """Return the files embedded in an office file, and its stated title; one that cannot be unpacked has no data.

    The workbooks behind charts are none, nor are objects that are no files, such as formulas.

    Raises:
        DocumentError: It is not an office file.

    """
    check_office_file(path)
    title = office_properties(path).get("title", "")
    with zipfile.ZipFile(path) as archive:
        files = tuple(embedded_files(archive).values())
    return Attachments({"parent_title": title} if title else {}, files)


def embedded_files(archive: zipfile.ZipFile) -> dict[str, AttachedFile]:
    """Return the files embedded in an office file by the names of their parts."""
    of_charts = chart_workbooks(archive)
    found: dict[str, AttachedFile] = {}
    for name in archive.namelist():
        if _EMBEDDED.search(name) and name not in of_charts:
            try:
                file = _file(PurePosixPath(name).name, archive.read(name))
            except _FAULTS:
                file = AttachedFile(PurePosixPath(name).name, lacks=_LACKS)
            if file is not None:
                found[name] = file
    return found


def chart_workbooks(archive: zipfile.ZipFile) -> set[str]:
    """Return the names of the workbooks from which charts take their values."""
    relations = [name for name in archive.namelist() if "charts/_rels/" in name]
    return {target for name in relations for target in _targets(archive, name)}


def _targets(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    folder = posixpath.dirname(posixpath.dirname(name))
    try:
        for one in xml_root(archive.read(name), name).iter("{*}Relationship"):
            yield posixpath.normpath(posixpath.join("/", folder, one.get("Target") or "")).lstrip("/")
    except DocumentError:
        return


def _file(name: str, data: bytes) -> AttachedFile | None:
    """Return an embedded file, out of the object that holds it where there is one; None of another object."""
    from olefile import OleFileIO, isOleFile

    if format_of(name) is not None:
        return AttachedFile(name, data)
    if not isOleFile(io.BytesIO(data)):  # of bytes alone it takes few for the name of a file
        return None
    with OleFileIO(io.BytesIO(data)) as holder:
        if holder.exists(_PACKER):
            return _packed(holder.openstream(_PACKER).read())
        if holder.exists(_PDF) and (pdf := holder.openstream(_PDF).read()).startswith(b"%PDF"):
            return AttachedFile(f"{PurePosixPath(name).stem}.pdf", pdf)
    return None


def _packed(data: bytes) -> AttachedFile | None:
    """Return the file in a stream of the packer: lengths, its name, two paths, and its bytes."""
    name, _, rest = data[6:].partition(b"\0")
    rest = rest.partition(b"\0")[2]  # without the path from which it came
    at = 8 + int.from_bytes(rest[4:8], "little")
    size = int.from_bytes(rest[at : at + 4], "little")
    content = rest[at + 4 : at + 4 + size]
    shown = re.split(r"[\\/]", decode_text(name).text)[-1]
    return AttachedFile(shown, content) if shown and len(content) == size else None
