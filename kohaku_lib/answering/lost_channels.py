"""Search channels that failed during the retrieval of a context, and the effect on its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku_lib.errors import RetrievalError
from kohaku_lib.retrieval.search.search_channels import channel_weights
from kohaku_lib.settings import RetrievalSettings

LOST_CHANNELS = "lost_channels"  # key in the trace of a prediction made without them


def lost_channels(trace: Mapping[str, Any]) -> dict[str, str]:
    """Return the reason of failure by channel from a search trace.

    >>> lost_channels({"depth": 1, "failed_channels": {"dense": "the file is gone"}})
    {'dense': 'the file is gone'}
    """
    return dict(trace.get("failed_channels", {}))


def raise_for_lost_channels(lost: Mapping[str, str]) -> None:
    """Raise if `lost` is not empty, so that no answer is based on a partial context.

    Raises:
        RetrievalError: A channel is lost.

    """
    if lost:
        reasons = "; ".join(f"{name}: {why}" for name, why in lost.items())
        msg = f"the search lost the channels {sorted(lost)} ({reasons})"
        raise RetrievalError(msg)


def remaining_share(lost: Mapping[str, str], settings: RetrievalSettings) -> float:
    """Return the weight of the channels that are not `lost` as a share of all, 0 to 1.

    >>> remaining_share({"dense": "gone"}, RetrievalSettings(dense_weight=0.5, lexical_weight=1.5, graph_weight=0.0))
    0.75
    """
    weights = channel_weights(settings)
    return sum(weight for name, weight in weights.items() if name not in lost) / (sum(weights.values()) or 1.0)
