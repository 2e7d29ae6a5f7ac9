"""The reply of a /rerank endpoint → scores, or the reason why it holds none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.llm.retry import Failure


def scores_of(body: Mapping[str, Any], count: int) -> list[float]:
    """Return the scores in the `body` of a reply to `count` texts, in the order of the texts.

    It is the form of Cohere, Jina and vLLM: `results` with `index` and `relevance_score`, in any order. Raises
    AttemptError, to be tried again, where it is broken.

    >>> scores_of({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}, 2)
    [0.2, 0.9]
    """
    results = body.get("results")
    if not isinstance(results, list) or len(results) != count:
        msg = f"the server's reply holds {len(results) if isinstance(results, list) else 0} scores for {count} texts"
        raise _broken(msg)
    scores = [math.nan] * count
    for item in results:
        place, score = (item.get("index"), item.get("relevance_score")) if isinstance(item, dict) else (None, None)
        if type(place) is not int or place not in range(count) or not math.isnan(scores[place]):
            msg = "the server's reply does not say which score belongs to which text"
            raise _broken(msg)
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            msg = f"the server's reply holds a score that is no number, {score!r}"
            raise _broken(msg)
        scores[place] = float(score)
    return scores


def _broken(message: str) -> AttemptError:
    return AttemptError(Failure("retry", message))
