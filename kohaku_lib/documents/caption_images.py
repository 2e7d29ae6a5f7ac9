"""The stage `image_captions`: what the page says about its images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from kohaku_lib.tables import IMAGE_CAPTIONS, StageReport

_LONGEST_INNER_TEXT = 1500


def caption_images(images: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the captions of those images of which the page says anything: "[img:NAME WxH] caption".

    The caption is the one printed beside the image, then the words within it.
    """
    rows = [caption_row(image, text, "page") for image in images.to_pylist() if (text := page_text(image))]
    return pa.Table.from_pylist(rows, schema=IMAGE_CAPTIONS), StageReport(len(rows))


def page_text(image: Mapping[str, Any]) -> str:
    r"""Return the printed caption of an image and the words within it; "" where there are none.

    >>> page_text({"page_caption": "Figure 1. Yield.", "figure_text": "2019\n2020"})
    'Figure 1. Yield. 2019; 2020'
    """
    inner = "; ".join((image["figure_text"] or "").splitlines())[:_LONGEST_INNER_TEXT]
    return " ".join(filter(None, (image["page_caption"], inner)))


def caption_row(image: Mapping[str, Any], text: str, source: str) -> dict[str, Any]:
    """Return the row of IMAGE_CAPTIONS that says `text` about an image (a row of DOCUMENT_IMAGES)."""
    place = {name: image[name] for name in ("storage_key", "document_id", "page", "idx")}
    marked = f"[img:{image['name']} {image['width']}x{image['height']}] {text}"
    return {**place, "text": marked, "caption_source": source}
