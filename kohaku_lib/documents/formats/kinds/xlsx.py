"""An Excel workbook."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, Attachments, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an Excel workbook; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.repaired_file import parse_or_repair
    from kohaku_lib.documents.formats.office.spreadsheet_xlsx import parse_xlsx

    return parse_or_repair(parse_xlsx, path, document_id, settings)


def attachments(path: Path) -> Attachments:
    """Return the files embedded in the file; raises DocumentError where it cannot be opened."""
    from kohaku_lib.documents.formats.office.embedded import files_within_office

    return files_within_office(path)


FORMATS.register(
    FormatKind(
        "xlsx",
        {
            ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
        },
        parse,
        settings_keys=("hidden_cells",),
        modules=("kohaku_lib.documents.formats.office.spreadsheet_xlsx", "openpyxl"),
        attachments=attachments,
        order=10,
    )
)
