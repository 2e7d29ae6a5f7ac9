"""List the files within a PDF: those of the document, such as the parts of a portfolio, and those pinned to pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.interface import AttachedFile, Attachments
from kohaku_lib.documents.formats.pdf.open_pdf import open_pdf, stated_title

if TYPE_CHECKING:
    import pymupdf

_LACKS = "not in the PDF or damaged there"
_NAMES = ("UF", "F", "Unix", "DOS", "Mac")  # of a file, the best first


def files_within_pdf(path: Path) -> Attachments:
    """Return the files attached to a PDF, each once, and the PDF's stated title; one that cannot be unpacked has no data.

    Raises:
        DocumentError: The PDF cannot be opened.

    """
    with open_pdf(path) as document:
        title = stated_title(document)
        files = tuple(map(_file, _stated_files(document)))
    return Attachments({"parent_title": title} if title else {}, files)


def _stated_files(document: pymupdf.Document) -> Iterator[Any]:
    """Yield the objects that state the name and the contents of each file."""
    from pymupdf import mupdf

    pdf = mupdf.pdf_document_from_fz_document(document.this)
    try:
        tree = mupdf.pdf_load_name_tree(pdf, mupdf.pdf_new_name("EmbeddedFiles"))
        listed = [mupdf.pdf_dict_get_val(tree, at) for at in range(mupdf.pdf_dict_len(tree))]
    except mupdf.FzErrorBase:
        listed = []
    pinned = [
        mupdf.pdf_dict_gets(mupdf.pdf_new_indirect(pdf, xref, 0), "FS")
        for number in range(document.page_count)
        for xref, kind, _ in document.page_annot_xrefs(number)
        if kind == mupdf.PDF_ANNOT_FILE_ATTACHMENT
    ]
    seen = set[int]()
    for stated in (*listed, *pinned):
        number = mupdf.pdf_to_num(stated)
        if not number or number not in seen:
            seen.add(number)
            yield stated


def _file(stated: Any) -> AttachedFile:
    from pymupdf import mupdf

    names = (mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(stated, key)) for key in _NAMES)
    name = next(filter(None, names), "file").replace("\\", "/").rsplit("/", 1)[-1]
    try:
        data = mupdf.pdf_load_embedded_file_contents(stated)
    except mupdf.FzErrorBase:
        return AttachedFile(name, lacks=_LACKS)
    return AttachedFile(name, data.fz_buffer_extract_copy() if data.m_internal else None, _LACKS)
