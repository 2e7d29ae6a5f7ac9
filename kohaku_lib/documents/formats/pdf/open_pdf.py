"""Open PDFs with user-facing errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.errors import DocumentError

if TYPE_CHECKING:
    import pymupdf


@contextmanager
def open_pdf(path: Path) -> Iterator[pymupdf.Document]:
    """Open the PDF at `path` for reading, with MuPDF's own messages silenced.

    Documents with an empty user password are opened.

    Raises:
        DocumentError: The file is missing, empty, damaged beyond repair, encrypted or without pages.

    """
    document = _open(path)
    try:
        if document.needs_pass and not document.authenticate(""):
            msg = f"{path.name!r} is encrypted and needs a password; save a copy without one"
            raise DocumentError(msg)
        if not document.page_count:
            msg = f"{path.name!r} has no pages"
            raise DocumentError(msg)
        yield document
    finally:
        document.close()


def _open(path: Path) -> pymupdf.Document:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        if not path.stat().st_size:
            msg = f"{path.name!r} is empty"
            raise DocumentError(msg)
        return pymupdf.open(path, filetype="pdf")
    except OSError as fault:
        msg = f"{path.name!r} cannot be read ({fault.strerror or type(fault).__name__})"
        raise DocumentError(msg) from fault
    except (RuntimeError, ValueError) as fault:
        msg = f"{path.name!r} is damaged beyond repair or is not a PDF"
        raise DocumentError(msg) from fault
