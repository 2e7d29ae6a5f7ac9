"""The reply of a /rerank endpoint → scores, or the reason why it holds none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kohaku_lib.llm.texts_endpoint import broken_reply, items_in_order


def scores_of(body: Mapping[str, Any], count: int) -> list[float]:
    """Return the scores in the `body` of a reply to `count` texts, in the order of the texts.

    It is the form of Cohere, Jina and vLLM: `results` with `index` and `relevance_score`, in any order. Raises
    AttemptError, to be tried again, where it is broken.

    >>> scores_of({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}, 2)
    [0.2, 0.9]
    """
    return [_score(item.get("relevance_score")) for item in items_in_order(body, "results", count, "score")]


def _score(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        msg = f"the server's reply holds a score that is no number, {value!r}"
        raise broken_reply(msg)
    return float(value)
