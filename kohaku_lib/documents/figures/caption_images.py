"""The stage `image_captions`: caption images from the page and, if configured, a vision model and OCR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.figures.image_texts import Describer, ImageTexts, image_texts
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import IMAGE_CAPTIONS, TO_RETRY, StageReport

_LONGEST_INNER_TEXT = 1500


def caption_images(
    images: pa.Table,
    describer: Describer | None = None,
    reader: Describer | None = None,
    cache: RowCache | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the captions, "[img:NAME WxH] caption", of the images that have any text.

    A caption is the printed caption, then the description by `describer`, then the text inside the image, read by
    `reader` if the page has none. Texts in `cache` are reused; equal images are described once. An image that cannot
    be described is reported and keeps the page's text; if the describer failed, the report is marked incomplete, and what
    the reader failed on is tried again. Images
    without any text are counted as "without_caption".
    """
    rows = images.to_pylist()
    described = image_texts(rows, describer, cache) if describer is not None else ImageTexts({})
    silent = [row for row in rows if not row["figure_text"]]
    read = image_texts(silent, reader, cache) if reader is not None else ImageTexts({})
    captions = [(image["sha256"], caption) for image in rows if (caption := _caption_row(image, described, read))]
    reused = sum(sha256 in described.reused | read.reused for sha256, _ in captions)
    problems = described.problems + read.problems
    metrics = {"without_caption": float(len(rows) - len(captions))}
    if read.problems:
        metrics[TO_RETRY] = float(len(read.problems))
    report = StageReport(len(captions) - reused, reused, problems, metrics, described.incomplete)
    return pa.Table.from_pylist([caption for _, caption in captions], schema=IMAGE_CAPTIONS), report


def page_text(image: Mapping[str, Any], description: str = "", read: str = "") -> str:
    r"""Return the printed caption of an image, its description and the text inside it, joined; "" if all are empty.

    >>> page_text({"page_caption": "Figure 1. Yield.", "figure_text": "2019\n2020"})
    'Figure 1. Yield. 2019; 2020'
    """
    inner = "; ".join((image["figure_text"] or read).splitlines())[:_LONGEST_INNER_TEXT]
    return " ".join(filter(None, (image["page_caption"], description, inner)))


def _caption_row(image: Mapping[str, Any], described: ImageTexts, read: ImageTexts) -> dict[str, Any] | None:
    description = described.texts.get(image["sha256"], "")
    text = page_text(image, description, read.texts.get(image["sha256"], ""))
    if not text:
        return None
    printed = image["page_caption"] or image["figure_text"]
    place = {name: image[name] for name in ("storage_key", "document_id", "page", "idx")}
    marked = f"[img:{image['name']} {image['width']}x{image['height']}] {text}"
    return {**place, "text": marked, "caption_source": "vision_model" if description else "page" if printed else "ocr"}
