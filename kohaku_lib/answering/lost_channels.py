"""Channels of the search that gave nothing to a context although they were asked: what follows for its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kohaku_lib.errors import RetrievalError
from kohaku_lib.retrieval.search.channels import channel_weights
from kohaku_lib.settings import RetrievalSettings

LOST = "lost_channels"  # in the trace of a prediction that was made without them


def lost_channels(trace: Mapping[str, Any]) -> dict[str, str]:
    """Return the channels that the search with this trace lost, and why.

    >>> lost_channels({"depth": 1, "failed_channels": {"dense": "the file is gone"}})
    {'dense': 'the file is gone'}
    """
    return dict(trace.get("failed_channels", {}))


def raise_lost(lost: Mapping[str, str]) -> None:
    """Raise RetrievalError where a channel is lost, so that nothing is answered from half a context."""
    if lost:
        reasons = "; ".join(f"{name}: {why}" for name, why in lost.items())
        msg = f"the search lost the channels {sorted(lost)} ({reasons})"
        raise RetrievalError(msg)


def noted(row: dict[str, Any], lost: Mapping[str, str], settings: RetrievalSettings) -> dict[str, Any]:
    """Return a row of PREDICTIONS with the lost channels in its trace, and its confidence times what was not lost.

    >>> row = {"confidence": 0.8, "trace_json": "{}"}
    >>> noted(row, {"dense": "gone"}, RetrievalSettings(dense_weight=0.5, lexical_weight=1.5, graph_weight=0.0))
    {'confidence': 0.6000000000000001, 'trace_json': '{"lost_channels": {"dense": "gone"}}'}
    """
    weights = channel_weights(settings)
    left = sum(weight for name, weight in weights.items() if name not in lost) / (sum(weights.values()) or 1.0)
    confidence = None if row["confidence"] is None else row["confidence"] * left
    trace = {**json.loads(row["trace_json"]), LOST: dict(lost)}
    return row | {"confidence": confidence, "trace_json": json.dumps(trace, ensure_ascii=False)}
