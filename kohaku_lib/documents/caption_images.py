"""The stage `image_captions`: what the page says about its images."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables import IMAGE_CAPTIONS, StageReport


def caption_images(images: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the captions of those images whose caption is printed beside them: "[img:NAME WxH] caption"."""
    rows = [
        {
            **{name: image[name] for name in ("storage_key", "document_id", "page", "idx")},
            "text": f"[img:{image['name']} {image['width']}x{image['height']}] {image['page_caption']}",
            "caption_source": "page",
        }
        for image in images.to_pylist()
        if image["page_caption"]
    ]
    return pa.Table.from_pylist(rows, schema=IMAGE_CAPTIONS), StageReport(len(rows))
