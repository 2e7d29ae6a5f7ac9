"""The stage `document_images`: figures out of PDFs, small enough to store."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kohaku_lib.documents.pdf.open_pdf import open_pdf
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import CorpusSettings, ImagesSettings
from kohaku_lib.tables import DOCUMENT_IMAGES, StageReport

if TYPE_CHECKING:
    import pymupdf
    from PIL import Image

_STORED_MODES = {"RGB", "RGBA", "L"}
_MOST_PIXELS = 100_000_000


def extract_images(
    documents: pa.Table, corpus: CorpusSettings, settings: ImagesSettings
) -> tuple[pa.Table, StageReport]:
    """Return the images that the payloads of `documents` name, read from their PDFs, as WebP.

    Soft masks are composited into an alpha channel, the longer side is at most `settings.max_side_px` (never
    enlarged), modes other than RGB, RGBA and L become RGB. An image or a PDF that cannot be read is listed and
    skipped. Equal input gives equal bytes.
    """
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for document in documents.select(["document_id", "path", "payload_json"]).to_pylist():
        wanted = list(_image_paragraphs(document["payload_json"])) if document["path"].lower().endswith(".pdf") else []
        if wanted and corpus.documents is not None:
            try:
                with open_pdf(corpus.documents / document["path"]) as pdf:
                    for metadata in wanted:
                        _take(pdf, document, metadata, settings, (rows, problems))
            except DocumentError as fault:
                problems.append(f"{document['path']}: {fault}")
    return pa.Table.from_pylist(rows, schema=DOCUMENT_IMAGES), StageReport(len(rows), 0, tuple(problems))


def _image_paragraphs(payload_json: str | None) -> Iterator[dict[str, Any]]:
    payload = json.loads(payload_json) if payload_json else {}
    for section in payload.get("sections") or ():
        for paragraph in section["paragraphs"]:
            if paragraph["metadata"].get("attachment_type") == "image" and "xref" in paragraph["metadata"]:
                yield paragraph["metadata"]


def _take(
    pdf: pymupdf.Document,
    document: Mapping[str, Any],
    metadata: Mapping[str, Any],
    settings: ImagesSettings,
    sink: tuple[list[dict[str, Any]], list[str]],
) -> None:
    rows, problems = sink
    place = f"{document['path']} page {metadata['page']} image {metadata['image_index']}"
    try:
        image = _bounded(_composited(pdf, metadata["xref"]), settings.max_side_px)
        data = _webp(image, settings.quality)
    except (RuntimeError, ValueError, OSError, MemoryError, SyntaxError) as fault:
        problems.append(f"{place}: cannot be decoded ({' '.join(str(fault).split()) or type(fault).__name__})")
        return
    rows.append(
        {
            "storage_key": f"img:{document['document_id']}:p{metadata['page']}:i{metadata['image_index']}",
            "document_id": document["document_id"],
            "page": metadata["page"],
            "idx": metadata["image_index"],
            "name": metadata["image_name"],
            "mime": "image/webp",
            "width": image.width,
            "height": image.height,
            "sha256": hashlib.sha256(data).hexdigest(),
            "page_caption": metadata.get("page_caption"),
            "bytes": data,
        }
    )


def _composited(pdf: pymupdf.Document, xref: int) -> Image.Image:
    """Return the image with its soft mask as alpha; raises ValueError or RuntimeError where it cannot be decoded."""
    import pymupdf

    width, height = (int(pdf.xref_get_key(xref, key)[1] or 0) for key in ("Width", "Height"))
    if not 0 < width * height <= _MOST_PIXELS:
        msg = f"it has {width} x {height} pixels, allowed are 1 to {_MOST_PIXELS}"
        raise ValueError(msg)
    pixmap = pymupdf.Pixmap(pdf, xref)
    if pixmap.colorspace is None:
        msg = "it is a bare mask"
        raise ValueError(msg)
    if pixmap.colorspace.n > 3 or pixmap.colorspace.name not in {"DeviceRGB", "DeviceGray"}:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
    kind, mask = pdf.xref_get_key(xref, "SMask")
    image = _pillow(pixmap)
    if kind == "xref" and not pixmap.alpha:
        alpha = _pillow(pymupdf.Pixmap(pdf, int(mask.split()[0]))).convert("L")
        image = image.convert("RGB")
        image.putalpha(alpha if alpha.size == image.size else alpha.resize(image.size))
    return image


def _pillow(pixmap: pymupdf.Pixmap) -> Image.Image:
    from PIL import Image

    mode = {(1, 0): "L", (2, 1): "LA", (3, 0): "RGB", (4, 1): "RGBA"}[pixmap.n, int(bool(pixmap.alpha))]
    image = Image.frombytes(mode, (pixmap.width, pixmap.height), pixmap.samples)
    return image if image.mode in _STORED_MODES else image.convert("RGBA")


def _bounded(image: Image.Image, longest: int) -> Image.Image:
    from PIL import Image

    scale = longest / max(image.size)
    if scale >= 1:
        return image
    size = tuple(max(1, round(side * scale)) for side in image.size)
    return image.resize((size[0], size[1]), Image.Resampling.LANCZOS)


def _webp(image: Image.Image, quality: int) -> bytes:
    sink = io.BytesIO()
    image.save(sink, "WEBP", method=6, quality=quality)
    return sink.getvalue()
