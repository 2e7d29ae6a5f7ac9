"""Page and bounding box of a part of a payload, from its metadata."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_LAST_PAGE = 2**31 - 1  # the largest value of the column


def page_of(metadata: Mapping[str, Any]) -> int | None:
    """Return the page, counted from 1; None if missing or no page number.

    >>> [page_of({"page": page}) for page in (3, "12", 0, "iv", [1], None)]
    [3, 12, None, None, None, None]
    """
    page = metadata.get("page")
    if isinstance(page, str) and page.isascii() and page.isdigit() and len(page) <= 10:
        page = int(page)
    return page if type(page) is int and 0 < page <= _LAST_PAGE else None


def bbox_of(metadata: Mapping[str, Any]) -> list[float] | None:
    """Return the box [x0, y0, x1, y1] on its page; None if missing or not four numbers.

    >>> bbox_of({"bbox": [0, 1, 20, 30.5]}), bbox_of({"bbox": [0, 1, None, 3]})
    ([0.0, 1.0, 20.0, 30.5], None)
    """
    box = metadata.get("bbox")
    if not isinstance(box, (list, tuple)) or len(box) != 4:
        return None
    if not all(type(edge) in (int, float) and abs(edge) < math.inf for edge in box):
        return None
    return [float(edge) for edge in box]
