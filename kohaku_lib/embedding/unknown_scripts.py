"""Texts in scripts missing from a model's vocabulary, whose words all become the unknown token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kohaku_lib.embedding.encoders.openvino_batches import tokenizer_of
from kohaku_lib.embedding.model_folder import model_folder, model_kind
from kohaku_lib.settings import EmbeddingSettings

MOST_UNKNOWN = 0.5  # of the letters and digits of a text


def is_unreadable(texts: Sequence[str], settings: EmbeddingSettings) -> np.ndarray:
    """Return, (n,) bool, for which texts more than half of the letters and digits are unknown to the local model.

    False for all texts if the model is on a server, has no fast tokenizer, or splits every text into bytes.

    >>> is_unreadable(["ราคาเท่าไร", "the price of ราคา", "Preis?"], EmbeddingSettings()).tolist()
    [True, False, False]
    """
    none = np.zeros(len(texts), bool)
    if model_kind(settings.model) == "server":
        return none
    folder = model_folder(settings.model, settings.revision)
    if not (folder / "tokenizer.json").is_file():
        return none
    tokenizer = tokenizer_of(folder, None)
    unknown_token = getattr(tokenizer.model, "unk_token", None)
    unknown = None if unknown_token is None else tokenizer.token_to_id(unknown_token)
    if unknown is None:
        return none
    return np.array([_unknown_share(tokenizer.encode(text), text, unknown) > MOST_UNKNOWN for text in texts], bool)


def _unknown_share(encoding: Any, text: str, unknown: int) -> float:
    """Return the share of the letters and digits of `text` that are in unknown tokens; 0 for a text without any."""
    ids, offsets = encoding.ids, encoding.offsets
    spans = [span for token, span in zip(ids, offsets, strict=True) if token == unknown]
    count = sum(map(str.isalnum, text))
    return sum(sum(map(str.isalnum, text[start:end])) for start, end in spans) / max(count, 1)
