"""The vectors of the tokens of texts, by a model of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from kohaku_lib.embedding.encoders.interface import length_sorted_batches
from kohaku_lib.embedding.vectors import normalized

_BATCH_TOKENS = 1024


def token_vectors(model: Any, texts: Sequence[str], prompt: str) -> list[np.ndarray]:
    """Return for each text the vectors of its tokens, (tokens, dim) float32 rows of length 1.

    Special tokens, those of the prompt and those without a letter or digit have none, so a text may have no vector.
    Tokens beyond the model's limit are left out.
    """
    tokenizer, skipped = model.tokenizer, _prompt_tokens(model.tokenizer, prompt)
    encoded = tokenizer([prompt + text for text in texts], truncation=True, max_length=model.max_seq_length)[
        "input_ids"
    ]
    found: list[np.ndarray] = [np.empty(0)] * len(texts)
    for batch in length_sorted_batches(np.array([len(ids) for ids in encoded], np.int64), _BATCH_TOKENS):
        ids = [encoded[row] for row in batch.tolist()]
        for row, own, vectors in zip(batch.tolist(), ids, _last_hidden(model, ids), strict=True):
            kept = [at for at, token in enumerate(own) if _has_word(tokenizer, token)][skipped:]
            found[row] = normalized(vectors[kept])
    return found


def _last_hidden(model: Any, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Return the vectors of all tokens of each text of a batch."""
    import torch

    longest = max(map(len, ids))
    inputs = torch.zeros((len(ids), longest), dtype=torch.long, device=model.device)
    mask = torch.zeros_like(inputs)
    for row, own in enumerate(ids):
        inputs[row, : len(own)] = torch.tensor(own, device=model.device)
        mask[row, : len(own)] = 1
    with torch.no_grad():
        output = model[0]({"input_ids": inputs, "attention_mask": mask})["token_embeddings"]
    return list(output.float().cpu().numpy())


def _prompt_tokens(tokenizer: Any, prompt: str) -> int:
    """Return how many tokens of `prompt` have a word."""
    ids = tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
    return sum(_has_word(tokenizer, token) for token in ids)


@lru_cache(2**17)
def _has_word(tokenizer: Any, token: int) -> bool:
    is_special = token in tokenizer.all_special_ids
    return not is_special and any(sign.isalnum() for sign in tokenizer.convert_ids_to_tokens(token))
