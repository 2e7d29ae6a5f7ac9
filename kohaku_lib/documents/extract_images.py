"""The stage `document_images`: figures out of PDFs, small enough to store."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.identifiers import image_storage_key
from kohaku_lib.documents.supervisor import parse_isolated
from kohaku_lib.settings import CorpusSettings, ImagesSettings
from kohaku_lib.tables import DOCUMENT_IMAGES, StageReport

_TIME_LIMIT_S = 600.0
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
    if corpus.documents is None:
        return DOCUMENT_IMAGES.empty_table(), StageReport(0)
    sources = [
        row for row in documents.select(["document_id", "path", "sha256", "payload_json"]).to_pylist() if _is_pdf(row)
    ]
    wanted = [(row, images) for row in sources if (images := _image_list(row["payload_json"]))]
    tasks = [
        {
            "path": str(corpus.documents / row["path"]),
            "sha256": row["sha256"],
            "images": images,
            "settings": settings.model_dump(mode="json"),
            "time_limit_s": _TIME_LIMIT_S,
        }
        for row, images in wanted
    ]
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    blank = 0
    for (document, images), reply in zip(wanted, parse_isolated(tasks, workers), strict=True):
        if "images" not in reply:
            problems.append(f"{document['path']}: {reply['error']}")
            continue
        for image, result in zip(images, reply["images"], strict=True):
            if "blank" in result:
                blank += 1
            elif "error" in result:
                place = f"{document['path']} page {image['page']} image {image['image_index']}"
                problems.append(f"{place}: cannot be decoded ({result['error']})")
            else:
                rows.append(_row(document["document_id"], image, result))
    return pa.Table.from_pylist(rows, schema=DOCUMENT_IMAGES), StageReport(
        len(rows), 0, tuple(problems), {"blank": blank}
    )


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
