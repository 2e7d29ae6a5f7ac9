"""Render a file in the viewer; parsing and drawing run in worker processes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.parse_paths import parse_paths
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.documents.viewer.page import render_viewer
from kohaku_lib.documents.viewer.rendered_pages import RenderedPage, rendered_page_from_json
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import DocumentsSettings

_RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?\Z")


def view_file(path: Path, settings: DocumentsSettings, pages: Sequence[int] | None = None) -> str:
    """Return an HTML page that shows how `path` is parsed; of a PDF the given `pages`, all by default.

    Raises:
        DocumentError: The file cannot be parsed.
        InputFileError: The file has none of `pages`.

    """
    (outcome,) = parse_paths([path], settings, 1)
    if outcome.payload is None:
        raise DocumentError(outcome.error)
    payload = payload_from_json(outcome.payload)
    count = payload.metadata.get("pages")
    kind = format_of(path)
    if kind is None or kind.draw_pages is None or not isinstance(count, int):
        return render_viewer(payload)
    wanted = [page for page in pages if page <= count] if pages else range(1, count + 1)
    if not wanted:
        msg = f"{path.name!r} has {count} pages and none of the requested ones; request pages from 1 to {count}"
        raise InputFileError(msg)
    return render_viewer(payload, _render_pages(path, settings, wanted))


def page_range(text: str) -> list[int]:
    """Return the distinct page numbers of a range such as "3", "1-5" or "1-3,8".

    >>> page_range("1-3,8")
    [1, 2, 3, 8]

    Raises:
        InputFileError: The text is not a page range.

    """
    pages: list[int] = []
    for part in text.split(","):
        match = _RANGE.match(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            msg = f"pages must be a 1-based range such as 3, 1-5 or 1-3,8, got {text!r}"
            raise InputFileError(msg)
        pages.extend(range(first, last + 1))
    return list(dict.fromkeys(pages))


def _render_pages(path: Path, settings: DocumentsSettings, pages: Sequence[int]) -> list[RenderedPage]:
    (reply,) = parse_isolated([{**parse_task(path, settings), "pages": list(pages)}], 1)
    if "pages" not in reply:
        raise DocumentError(reply["error"])
    return [rendered_page_from_json(value) for value in reply["pages"]]
