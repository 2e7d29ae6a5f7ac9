"""What the path of a file says of the document in it."""

from __future__ import annotations

from pathlib import PurePosixPath


def path_without_ending(path: str | None) -> str:
    """Return the folders and the name of a file without its ending; "" for a document without a file.

    >>> path_without_ending("contracts/2026/report.final.md"), path_without_ending(None)
    ('contracts/2026/report.final', '')
    """
    return str(PurePosixPath(path).with_suffix("")) if path else ""
