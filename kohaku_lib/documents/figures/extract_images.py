"""The stage `document_images`: extract figures from PDFs as WebP of limited size."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.documents.identifiers import image_storage_key
from kohaku_lib.documents.worker.supervisor import ParseCrew, parse_isolated
from kohaku_lib.settings import CorpusSettings, ImagesSettings
from kohaku_lib.storage import Piece, PreviousOutput, StagePart, concat_parts
from kohaku_lib.tables import DOCUMENT_IMAGES, TO_RETRY, StageReport

_TIME_LIMIT_S = 600.0
_MEMORY_LIMIT_MB = 4096
_FIELDS = ("page", "image_index", "image_name", "xref", "bbox", "turn", "page_caption", "figure_text")


def extract_images(
    documents: pa.Table, corpus: CorpusSettings, settings: ImagesSettings, workers: int = 0
) -> tuple[pa.Table, StageReport]:
    """Extract the figures listed in the payloads of `documents` from their PDFs, as WebP.

    Raster images keep their pixels; drawn figures are rendered at 150 dpi. Soft masks become an alpha channel, the
    longer side is at most `settings.max_side_px` (never enlarged), modes other than RGB, RGBA and L become RGB. An
    unreadable image and a PDF that changed since parsing are reported and skipped; single-colour images are counted
    as `blank`. The output is deterministic. At most `workers` processes (0: one per core) read the PDFs.
    """
    return concat_parts(list(image_parts([documents], corpus, settings, workers, PreviousOutput(None, ""))))


def image_parts(
    documents: Iterable[pa.Table],
    corpus: CorpusSettings,
    settings: ImagesSettings,
    workers: int,
    previous: PreviousOutput,
    on_done: Callable[[int], object] = lambda done: None,
    crew: ParseCrew | None = None,
) -> Iterator[StagePart]:
    """Yield the figures of `extract_images` per document; figures in `previous` are reused without reading the PDF.

    `on_done` is called with the number of finished `documents`. The actors of a `crew` read the PDFs in place of `workers`.
    """
    yield StagePart(DOCUMENT_IMAGES.empty_table(), StageReport(0, metrics={"blank": 0.0}))
    if corpus.documents is None:
        return
    done = 0
    for table in documents:
        on_done(done)
        pdfs = list(_pdf_figures(table, previous))
        new = [one for one in pdfs if previous.place(one.key) is None]
        replies = parse_isolated([one.task(corpus.documents, settings) for one in new], workers, crew)
        for one in pdfs:
            place = previous.place(one.key)
            yield _reused_part(previous, place) if place is not None else _extracted_part(one, next(replies))
        next(replies, None)  # lets the generator end its processes
        done += table.num_rows


@dataclass(frozen=True, slots=True)
class _PdfFigures:
    """A PDF and the figures listed in its payload; `key` covers everything that the extraction depends on."""

    document_id: str
    path: str
    sha256: str
    images: list[dict[str, Any]]
    key: str

    def task(self, folder: Path, settings: ImagesSettings) -> dict[str, Any]:
        return {
            "path": str(folder / self.path),
            "sha256": self.sha256,
            "images": self.images,
            "settings": settings.to_json(),
            "time_limit_s": _TIME_LIMIT_S,
            "memory_limit_mb": _MEMORY_LIMIT_MB,
        }


def _pdf_figures(documents: pa.Table, previous: PreviousOutput) -> Iterator[_PdfFigures]:
    for row in documents.select(["document_id", "path", "sha256", "payload_json"]).to_pylist():
        images = _image_list(row["payload_json"]) if _is_pdf(row) else []
        if images:
            facts = (row["document_id"], row["path"], row["sha256"], images)
            yield _PdfFigures(*facts, previous.key(digest(facts)))


def _reused_part(previous: PreviousOutput, place: int) -> StagePart:
    piece, table = previous.piece(place)
    return StagePart(table, StageReport(0, piece.rows, piece.problems, piece.metrics), (piece,))


def _extracted_part(document: _PdfFigures, reply: Mapping[str, Any]) -> StagePart:
    """Return the part of a document; with faults that may pass it has no key, so that its figures are tried again."""
    if "images" not in reply:
        is_lasting = bool(reply.get("lasting") or reply.get("limit"))  # no setting changes the limits
        metrics = {} if is_lasting else {TO_RETRY: 1.0}
        key = document.key if is_lasting else ""
        return _stage_part([], Piece(key, 0, (f"{document.path}: {reply['error']}",), metrics))
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    blank = to_retry = 0
    for image, result in zip(document.images, reply["images"], strict=True):
        if "blank" in result:
            blank += 1
        elif "error" in result:
            place = f"{document.path} page {image['page']} image {image['image_index']}"
            problems.append(f"{place}: cannot be decoded ({result['error']})")
            to_retry += bool(result.get("may_pass"))
        else:
            rows.append(_image_row(document.document_id, image, result))
    metrics = {"blank": float(blank)} | ({TO_RETRY: float(to_retry)} if to_retry else {})
    return _stage_part(rows, Piece("" if to_retry else document.key, len(rows), tuple(problems), metrics))


def _stage_part(rows: list[dict[str, Any]], piece: Piece) -> StagePart:
    table = pa.Table.from_pylist(rows, schema=DOCUMENT_IMAGES)
    return StagePart(table, StageReport(piece.rows, 0, piece.problems, piece.metrics), (piece,))


def _is_pdf(row: Mapping[str, Any]) -> bool:
    return row["payload_json"] is not None and row["path"].lower().endswith(".pdf")


def _image_list(payload_json: str) -> list[dict[str, Any]]:
    return [
        {name: paragraph["metadata"].get(name) for name in _FIELDS}
        for section in json.loads(payload_json)["sections"] or ()
        for paragraph in section["paragraphs"]
        if paragraph["metadata"].get("attachment_type") == "image"
    ]


def _image_row(document_id: str, image: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "storage_key": image_storage_key(document_id, image["page"], image["image_index"]),
        "document_id": document_id,
        "page": image["page"],
        "idx": image["image_index"],
        "name": image["image_name"],
        "mime": "image/webp",
        "width": result["width"],
        "height": result["height"],
        "sha256": result["sha256"],
        "page_caption": image["page_caption"],
        "figure_text": image["figure_text"],
        "bytes": base64.b64decode(result["data"]),
    }
