"""Pages of PDFs as images, drawn by a limited worker process, with the boxes of nodes on them."""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from kohaku_assets.server.problems import Problem
from kohaku_lib.documents.attachments.file_within import holder_of
from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.viewer.rendered_pages import RenderedPage, rendered_page_from_json
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.settings import CorpusSettings, DocumentsSettings

MOST_KEPT = 64


class PageImages:
    """The pages drawn last, by the content of their file. Thread-safe."""

    def __init__(self, corpus: CorpusSettings, documents: DocumentsSettings) -> None:
        self._corpus, self._documents = corpus, documents
        self._kept: LRUCache[tuple[str, int], RenderedPage] = LRUCache(MOST_KEPT)
        self._lock = threading.Lock()

    def page(self, document: Mapping[str, Any], number: int) -> RenderedPage:
        """Return a page, from 1, of a document (a row of DOCUMENTS).

        Raises:
            Problem: The document has no such page, or its file is gone or another one than was indexed.
        """
        kind = format_of(document["path"])
        if kind is None or kind.draw_pages is None or not 1 <= number <= (document["pages"] or 0):
            raise Problem(404, f"{document['document_id'][:80]!r} has no page {number} that can be drawn")
        key = document["sha256"], number
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            return kept
        task = {**parse_task(self._file(document), self._documents), "sha256": document["sha256"], "pages": [number]}
        (reply,) = parse_isolated([task], 1)
        if not reply.get("pages"):
            raise Problem(404, f"the page cannot be drawn: {reply.get('error', 'it is missing')}")
        drawn = rendered_page_from_json(reply["pages"][0])
        with self._lock:
            self._kept[key] = drawn
        return drawn

    def _file(self, document: Mapping[str, Any]) -> Path:
        return document_file(self._corpus, document["path"])


def document_file(corpus: CorpusSettings, path: str) -> Path:
    """Return the file at a path relative to the documents folder, which may be within another file (`holder_of`).

    Raises:
        Problem: There is none within the folder.
    """
    folder = corpus.documents
    found = folder / path if folder is not None and path else None
    is_within = found is not None and folder is not None and found.resolve().is_relative_to(folder.resolve())
    if found is None or not holder_of(found).is_file() or not (is_within or corpus.follow_links):
        raise Problem(404, "the document has no file in the documents folder any more")
    return found


def page_json(page: RenderedPage, boxes: list[tuple[float, float, float, float]]) -> dict[str, Any]:
    """Return a page as JSON; its boxes are [x0, y0, x1, y1] in points on the image as shown, whose size is given too."""
    return {
        "page": page.page,
        "width": page.width,
        "height": page.height,
        "boxes": [list(page.shown_box(box)) for box in boxes],
        "webp_base64": page.webp_base64,
    }


def page_bytes(page: RenderedPage) -> bytes:
    """Return the image of a page as WebP."""
    return base64.b64decode(page.webp_base64)
