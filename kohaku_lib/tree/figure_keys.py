"""Where the bytes of a figure are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku_lib.documents import image_storage_key


def figure_key(document_id: str, metadata: Mapping[str, Any]) -> str:
    """Return the storage key of a figure's bytes, "" if its `metadata` do not determine one.

    The key is `image_storage_key`, or composed of `page` and `image_index`.

    >>> figure_key("a", {"image_storage_key": "a/p1/2"}), figure_key("a", {"page": "iv", "image_index": 1})
    ('a/p1/2', '')
    """
    if named := metadata.get("image_storage_key"):
        return str(named)
    try:
        return image_storage_key(document_id, int(metadata["page"]), int(metadata["image_index"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return ""
