"""The reply of an /embeddings endpoint → vectors, or the reason why it holds none."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.llm.retry import Failure
from kohaku_lib.text.untrusted_json import token_count

_NO_VECTOR = "the server's reply holds something that is no vector"


@dataclass(frozen=True, slots=True)
class Reply:
    """Vectors (n, dim) in the order of the texts, and the tokens that the server bills; None where it does not say."""

    vectors: np.ndarray
    billed_tokens: int | None


def reply_of(body: Mapping[str, Any], count: int) -> Reply:
    """Return what the `body` of a reply to `count` texts holds; raises AttemptError, to be tried again, where it is broken.

    Vectors stand in the order of their `index`; they may be lists of numbers or base64 of little-endian float32.

    >>> body = {"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}], "usage": {"total_tokens": 5}}
    >>> reply = reply_of(body, 2)
    >>> reply.vectors.tolist(), reply.billed_tokens
    ([[3.0, 4.0], [0.0, 2.0]], 5)
    """
    data = body.get("data")
    if not isinstance(data, list) or len(data) != count:
        msg = f"the server's reply holds {len(data) if isinstance(data, list) else 0} vectors for {count} texts"
        raise _broken(msg)
    rows: list[np.ndarray | None] = [None] * count
    for at, item in enumerate(data):
        place = item.get("index", at) if isinstance(item, dict) else None
        if not isinstance(place, int) or not 0 <= place < count or rows[place] is not None:
            msg = "the server's reply does not say which vector belongs to which text"
            raise _broken(msg)
        rows[place] = _vector(item.get("embedding"))
    found = [row for row in rows if row is not None]
    if len({len(row) for row in found}) != 1 or not len(found[0]):
        msg = "the server's reply holds vectors of unequal or no dimensions"
        raise _broken(msg)
    return Reply(np.stack(found), _billed(body.get("usage")))


def _vector(value: Any) -> np.ndarray:
    try:
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        else:
            row = np.array(value, dtype=np.float32)
    except (TypeError, ValueError, OverflowError, binascii.Error):
        raise _broken(_NO_VECTOR) from None
    if row.ndim != 1 or not np.isfinite(row).all():
        raise _broken(_NO_VECTOR)
    return row


def _billed(usage: Any) -> int | None:
    if not isinstance(usage, dict):
        return None
    return token_count(usage.get("total_tokens", usage.get("prompt_tokens")))


def _broken(message: str) -> AttemptError:
    return AttemptError(Failure("retry", message))
