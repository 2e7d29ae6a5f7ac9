"""A Markdown file."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a Markdown file; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.text.markdown import parse_markdown_file

    return parse_markdown_file(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "markdown",
        {".md": "text/markdown", ".markdown": "text/markdown"},
        parse,
        modules=(
            "kohaku_lib.documents.formats.text.markdown",
            "lxml.html",
            "markdown_it",
            "yaml",
            "mdit_py_plugins.amsmath",
            "mdit_py_plugins.dollarmath",
            "mdit_py_plugins.footnote",
        ),
        order=2,
    )
)
