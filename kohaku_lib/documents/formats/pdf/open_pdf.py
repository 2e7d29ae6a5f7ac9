"""Open PDFs with user-facing errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.documents.formats.pdf.text.page_text import normalised_text
from kohaku_lib.errors import DocumentError

if TYPE_CHECKING:
    import pymupdf

_FILE_NAME = re.compile(r"(?:untitled|microsoft \w+ - |\S+\.\w{2,4}$|[\d_.-]+$|\w*\d{5,}\w*$)", re.I)
_MARK = "KohakuFoundPages"  # of a catalog that is not the file's own


@contextmanager
def open_pdf(path: Path) -> Iterator[pymupdf.Document]:
    """Open the PDF at `path` for reading, with MuPDF's own messages silenced.

    Documents with an empty user password are opened. One that is damaged is repaired as far as possible: see
    `was_repaired`.

    Raises:
        DocumentError: The file is missing, empty, no PDF, damaged beyond repair, encrypted or without pages.

    """
    document = _open(path)
    try:
        if document.needs_pass and not document.authenticate(""):
            msg = f"{path.name!r} is encrypted and needs a password; save a copy without one"
            raise DocumentError(msg)
        if not document.page_count and not _find_pages(document):
            msg = f"{path.name!r} has no pages"
            raise DocumentError(msg)
        yield document
    finally:
        document.close()


def was_repaired(document: pymupdf.Document) -> bool:
    """Return whether a document of `open_pdf` was damaged and is repaired, so that its pages may lack text."""
    return document.is_repaired or document.xref_get_key(document.pdf_catalog(), _MARK)[0] == "bool"


def stated_title(document: pymupdf.Document) -> str:
    """Return the title in the file's properties if it is plausible, "" if it is none or the name of a file."""
    title = " ".join(normalised_text((document.metadata or {}).get("title") or "").split())
    return title if len(title) > 5 and not _FILE_NAME.match(title) else ""


def _open(path: Path) -> pymupdf.Document:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        if not path.stat().st_size:
            msg = f"{path.name!r} is empty"
            raise DocumentError(msg)
        document = pymupdf.open(path, filetype="pdf")
    except OSError as fault:
        msg = f"{path.name!r} cannot be read ({fault.strerror or type(fault).__name__})"
        raise DocumentError(msg) from fault
    except (RuntimeError, ValueError) as fault:
        msg = f"{path.name!r} is damaged beyond repair or is not a PDF"
        raise DocumentError(msg) from fault
    if not document.is_pdf:  # MuPDF goes by the content
        document.close()
        msg = f"{path.name!r} is not a PDF; correct its suffix"
        raise DocumentError(msg)
    return document


def _find_pages(document: pymupdf.Document) -> bool:
    """Give a document whose catalog cannot be read another one that refers to its tree of pages, if it has one."""
    tree = next((xref for xref in range(1, document.xref_length()) if _is_page_tree(document, xref)), None)
    if tree is None:
        return False
    catalog = document.get_new_xref()
    document.update_object(catalog, f"<</Type/Catalog/Pages {tree} 0 R/{_MARK} true>>")
    document.xref_set_key(-1, "Root", f"{catalog} 0 R")
    return document.page_count > 0


def _is_page_tree(document: pymupdf.Document, xref: int) -> bool:
    import pymupdf

    try:
        keys = [document.xref_get_key(xref, key) for key in ("Type", "Parent")]
    except pymupdf.mupdf.FzErrorBase:  # damaged too
        return False
    return keys == [("name", "/Pages"), ("null", "null")]
