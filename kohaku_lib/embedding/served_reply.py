"""The reply of an /embeddings endpoint → vectors, or the reason why it holds none."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kohaku_lib.llm.texts_endpoint import broken_reply, items_in_order
from kohaku_lib.text.untrusted_json import token_count

_NO_VECTOR = "the server's reply holds something that is no vector"


@dataclass(frozen=True, slots=True)
class Reply:
    """Vectors (n, dim) in the order of the texts, and the tokens that the server bills; None where it does not say."""

    vectors: np.ndarray
    billed_tokens: int | None


def reply_of(body: Mapping[str, Any], count: int) -> Reply:
    """Return what the `body` of a reply to `count` texts holds.

    Vectors may be lists of numbers or base64 of little-endian float32.

    Raises:
        AttemptError: The reply is broken; another attempt may help.

    Example:
        >>> vectors = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
        >>> reply = reply_of({"data": vectors, "usage": {"total_tokens": 5}}, 2)
        >>> reply.vectors.tolist(), reply.billed_tokens
        ([[3.0, 4.0], [0.0, 2.0]], 5)

    """
    found = [_vector(item.get("embedding")) for item in items_in_order(body, "data", count, "vector", as_sent=True)]
    if len({len(row) for row in found}) != 1 or not len(found[0]):
        msg = "the server's reply holds vectors of unequal or no dimensions"
        raise broken_reply(msg)
    return Reply(np.stack(found), _billed(body.get("usage")))


def _vector(value: Any) -> np.ndarray:
    try:
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        else:
            row = np.array(value, dtype=np.float32)
    except (TypeError, ValueError, OverflowError, binascii.Error):
        raise broken_reply(_NO_VECTOR) from None
    if row.ndim != 1 or not np.isfinite(row).all():
        raise broken_reply(_NO_VECTOR)
    return row


def _billed(usage: Any) -> int | None:
    if not isinstance(usage, dict):
        return None
    return token_count(usage.get("total_tokens", usage.get("prompt_tokens")))
