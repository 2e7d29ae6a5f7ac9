"""The formats of documents, distinguished by the suffixes of file names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from pathlib import Path

    from kohaku_lib.settings import DocumentsSettings
    from kohaku_lib.tables import DocumentPayload


@dataclass(frozen=True, slots=True)
class FormatKind:
    """A format of documents: `parse` makes a payload of a file, with the document id that it is to have.

    `parse` raises DocumentError where it cannot; an empty document id asks a format with `own_id` to use that. Fields of
    DocumentsSettings are named without their section.
    """

    name: str
    mime_types: Mapping[str, str]  # by the suffix, in lower case with its dot
    parse: Callable[[Path, str, DocumentsSettings], DocumentPayload]
    settings_keys: tuple[str, ...] = ()  # that payloads depend on
    reads_by_ocr: bool = False  # then they depend on the settings of OCR too
    is_plain: bool = False  # time and memory in proportion to the file: small ones are parsed without a process
    modules: tuple[str, ...] = ()  # imported before the time limit of the first file begins
    own_id: Callable[[Path], str] | None = None  # the id that a file gives itself, "" where it gives none
    draw_pages: Callable[[Path, Sequence[int]], list[dict[str, Any]]] | None = None  # pages for the viewer, as JSON


def format_of(path: str | PurePath) -> FormatKind | None:
    """Return the first registered format with the suffix of `path`, whatever its case.

    Example:
        >>> format_of("Report.PDF").name, format_of("report.exe")
        ('pdf', None)

    """
    suffix = PurePath(path).suffix.lower()
    return next((kind for kind in FORMATS if suffix in kind.mime_types), None)


def mime_type_of(path: str | PurePath) -> str:
    """Return the MIME type of a file by its name; that of plain text where its format is unknown."""
    kind = format_of(path)
    return kind.mime_types[PurePath(path).suffix.lower()] if kind is not None else "text/plain"


def format_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats."""
    return tuple(dict.fromkeys(suffix for kind in FORMATS for suffix in kind.mime_types))


# Other packages add formats by entry points, which the processes that parse find as well.
FORMATS: Registry[FormatKind] = Registry("document format", entry_points="kohaku.formats")

_HTML_MODULES = ("kohaku_lib.documents.formats.html.document", "lxml.html")

FORMATS.register(
    FormatKind(
        "pdf",
        {".pdf": "application/pdf"},
        lazy("kohaku_lib.documents.formats.pdf.parse_pdf:parse_pdf"),
        settings_keys=("parser", "sections", "min_image_size"),
        reads_by_ocr=True,
        modules=("pymupdf", "kohaku_lib.documents.formats.pdf.parse_pdf"),
        draw_pages=lazy("kohaku_lib.documents.viewer.rendered_pages:render_pages"),
    )
)
FORMATS.register(
    FormatKind(
        "markdown",
        {".md": "text/markdown", ".markdown": "text/markdown"},
        lazy("kohaku_lib.documents.formats.text.markdown:parse_markdown_file"),
        modules=(
            "kohaku_lib.documents.formats.text.markdown",
            "lxml.html",
            "markdown_it",
            "yaml",
            "mdit_py_plugins.amsmath",
            "mdit_py_plugins.dollarmath",
            "mdit_py_plugins.footnote",
        ),
    )
)
FORMATS.register(
    FormatKind(
        "text",
        {".txt": "text/plain", ".text": "text/plain"},
        lazy("kohaku_lib.documents.formats.text.plain_text:parse_text_file"),
        is_plain=True,
        modules=("kohaku_lib.documents.formats.text.plain_text",),
    )
)
FORMATS.register(
    FormatKind(
        "payload",
        {".json": "application/json"},
        lazy("kohaku_lib.documents.payload_file:parse_payload_file"),
        is_plain=True,
        own_id=lazy("kohaku_lib.documents.payload_file:payload_id"),
        modules=("kohaku_lib.documents.payload_file",),
    )
)
FORMATS.register(
    FormatKind(
        "html",
        {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html"},
        lazy("kohaku_lib.documents.formats.html.document:parse_html_file"),
        modules=_HTML_MODULES,
    )
)
FORMATS.register(
    FormatKind(
        "mail",
        {".eml": "message/rfc822"},
        lazy("kohaku_lib.documents.formats.text.mail:parse_mail_file"),
        modules=("kohaku_lib.documents.formats.text.mail", "lxml.html"),
    )
)
FORMATS.register(
    FormatKind(
        "csv",
        {".csv": "text/csv", ".tsv": "text/tab-separated-values"},
        lazy("kohaku_lib.documents.formats.office.spreadsheet_csv:parse_csv_file"),
        modules=("kohaku_lib.documents.formats.office.spreadsheet_csv",),
    )
)
FORMATS.register(
    FormatKind(
        "docx",
        {".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        lazy("kohaku_lib.documents.formats.office.docx_document:parse_docx"),
        modules=("kohaku_lib.documents.formats.office.docx_document", *_HTML_MODULES, "mammoth"),
    )
)
FORMATS.register(
    FormatKind(
        "pptx",
        {".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
        lazy("kohaku_lib.documents.formats.office.pptx_document:parse_pptx"),
        modules=("kohaku_lib.documents.formats.office.pptx_document", "pptx"),
    )
)
FORMATS.register(
    FormatKind(
        "xlsx",
        {
            ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
        },
        lazy("kohaku_lib.documents.formats.office.spreadsheet_xlsx:parse_xlsx"),
        modules=("kohaku_lib.documents.formats.office.spreadsheet_xlsx", "openpyxl"),
    )
)
FORMATS.register(
    FormatKind(
        "image",
        {
            ".png": "image/png",
            ".jpg": "image/jpeg",
            ".jpeg": "image/jpeg",
            ".tif": "image/tiff",
            ".tiff": "image/tiff",
            ".webp": "image/webp",
            ".bmp": "image/bmp",
        },
        lazy("kohaku_lib.documents.ocr.parse_image:parse_image"),
        settings_keys=("sections",),
        reads_by_ocr=True,
        modules=("kohaku_lib.documents.ocr.parse_image",),
    )
)
