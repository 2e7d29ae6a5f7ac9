"""The stage `image_captions`: what the page, and where it is asked for a vision model, says about the images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.image_texts import Describer, ImageTexts, image_texts
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import IMAGE_CAPTIONS, StageReport

_LONGEST_INNER_TEXT = 1500


def caption_images(
    images: pa.Table, describer: Describer | None = None, cache: RowCache | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the captions of those images of which anything is known: "[img:NAME WxH] caption".

    A caption is what is printed beside the image, then its description by `describer`, then the words within it.
    Descriptions in `cache` are reused; equal images are described once. An image that cannot be described is
    listed and keeps what the page says; where the server is to blame, the report tells that the output is
    incomplete.
    """
    rows = images.to_pylist()
    described = image_texts(rows, describer, cache) if describer is not None else ImageTexts({})
    captions = [caption for image in rows if (caption := _caption(image, described, describer))]
    reused = sum(row["sha256"] in described.reused for row in rows)
    report = StageReport(len(captions) - reused, reused, described.problems, incomplete=described.incomplete)
    return pa.Table.from_pylist(captions, schema=IMAGE_CAPTIONS), report


def page_text(image: Mapping[str, Any], description: str = "") -> str:
    r"""Return the printed caption of an image, its description and the words within it; "" where there are none.

    >>> page_text({"page_caption": "Figure 1. Yield.", "figure_text": "2019\n2020"})
    'Figure 1. Yield. 2019; 2020'
    """
    inner = "; ".join((image["figure_text"] or "").splitlines())[:_LONGEST_INNER_TEXT]
    return " ".join(filter(None, (image["page_caption"], description, inner)))


def _caption(image: Mapping[str, Any], described: ImageTexts, describer: Describer | None) -> dict[str, Any] | None:
    description = described.texts.get(image["sha256"], "")
    text = page_text(image, description)
    if not text:
        return None
    place = {name: image[name] for name in ("storage_key", "document_id", "page", "idx")}
    marked = f"[img:{image['name']} {image['width']}x{image['height']}] {text}"
    return {**place, "text": marked, "caption_source": describer.source if description and describer else "page"}
