"""The stage `document_images`: figures out of PDFs, small enough to store."""

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
from kohaku_lib.documents.worker.supervisor import parse_isolated
from kohaku_lib.settings import CorpusSettings, ImagesSettings
from kohaku_lib.storage import Piece, PreviousOutput, StagePart, concat_parts
from kohaku_lib.tables import DOCUMENT_IMAGES, StageReport

_TIME_LIMIT_S = 600.0
_MEMORY_LIMIT_MB = 4096
_FIELDS = ("page", "image_index", "image_name", "xref", "bbox", "turn", "page_caption", "figure_text")


def extract_images(
    documents: pa.Table, corpus: CorpusSettings, settings: ImagesSettings, workers: int = 0
) -> tuple[pa.Table, StageReport]:
    """Return the figures that the payloads of `documents` name, read from their PDFs, as WebP.

    A raster image keeps its own pixels, a drawn figure is rendered at 150 dpi. Soft masks are composited into an
    alpha channel, the longer side is at most `settings.max_side_px` (never enlarged), modes other than RGB, RGBA
    and L become RGB. An image that cannot be read and a PDF that is not the one that was parsed are listed and
    skipped, an image of a single colour is counted as `blank`. Equal input gives equal bytes. The PDFs are read in
    processes of their own, at most `workers` (0: one per core).
    """
    return concat_parts(list(image_parts([documents], corpus, settings, workers, PreviousOutput(None, ""))))


def image_parts(
    documents: Iterable[pa.Table],
    corpus: CorpusSettings,
    settings: ImagesSettings,
    workers: int,
    previous: PreviousOutput,
    on_done: Callable[[int], object] = lambda done: None,
) -> Iterator[StagePart]:
    """Yield the figures of `extract_images` a document at a time; a PDF whose figures stand in `previous` is not read.

    `on_done` is told the number of `documents` that are done.
    """
    yield StagePart(DOCUMENT_IMAGES.empty_table(), StageReport(0, metrics={"blank": 0.0}))
    if corpus.documents is None:
        return
    done = 0
    for table in documents:
        on_done(done)
        illustrated = list(_illustrated(table, previous))
        new = [one for one in illustrated if previous.place(one.key) is None]
        replies = parse_isolated([one.task(corpus.documents, settings) for one in new], workers)
        for one in illustrated:
            place = previous.place(one.key)
            yield _recalled(previous, place) if place is not None else _extracted(one, next(replies))
        next(replies, None)  # lets it end its processes
        done += table.num_rows


@dataclass(frozen=True, slots=True)
class _Illustrated:
    """A PDF and the figures that its payload names; they hang on nothing but what `key` is made of."""

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
            "settings": settings.model_dump(mode="json"),
            "time_limit_s": _TIME_LIMIT_S,
            "memory_limit_mb": _MEMORY_LIMIT_MB,
        }


def _illustrated(documents: pa.Table, previous: PreviousOutput) -> Iterator[_Illustrated]:
    for row in documents.select(["document_id", "path", "sha256", "payload_json"]).to_pylist():
        images = _image_list(row["payload_json"]) if _is_pdf(row) else []
        if images:
            facts = (row["document_id"], row["path"], row["sha256"], images)
            yield _Illustrated(*facts, previous.key(digest(facts)))


def _recalled(previous: PreviousOutput, place: int) -> StagePart:
    piece, table = previous.piece(place)
    return StagePart(table, StageReport(0, piece.rows, piece.problems, piece.metrics), (piece,))


def _extracted(document: _Illustrated, reply: Mapping[str, Any]) -> StagePart:
    """A document with problems has no key: its figures are read again the next time."""
    if "images" not in reply:
        return _part([], Piece("", 0, (f"{document.path}: {reply['error']}",)))
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    blank = 0
    for image, result in zip(document.images, reply["images"], strict=True):
        if "blank" in result:
            blank += 1
        elif "error" in result:
            place = f"{document.path} page {image['page']} image {image['image_index']}"
            problems.append(f"{place}: cannot be decoded ({result['error']})")
        else:
            rows.append(_row(document.document_id, image, result))
    key = "" if problems else document.key
    return _part(rows, Piece(key, len(rows), tuple(problems), {"blank": float(blank)}))


def _part(rows: list[dict[str, Any]], piece: Piece) -> StagePart:
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


def _row(document_id: str, image: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
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
