"""A table as CSV or TSV."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a table as CSV or TSV; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.office.spreadsheet_csv import parse_csv_file

    return parse_csv_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "csv",
        {".csv": "text/csv", ".tsv": "text/tab-separated-values"},
        parse,
        modules=("kohaku_lib.documents.formats.office.spreadsheet_csv",),
        order=7,
    )
)
