"""Tokenisation and batched inference of a compiled OpenVINO model."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from kohaku_lib.parallel import available_cores

_TOKENIZED_AT_ONCE = 512  # texts; a tokenizer's encodings take up to a hundred times the memory of the ids


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids per text, truncated at the model's limit, and which texts were truncated."""

    ids: list[np.ndarray]
    was_cut: np.ndarray


def tokenize(source: Path, texts: Sequence[str], most_tokens: int) -> Tokens:
    """Tokenise `texts`, including special tokens, with at most `most_tokens` each."""
    tokenizer = tokenizer_of(source, most_tokens)
    ids: list[np.ndarray] = []
    was_cut: list[bool] = []
    for start in range(0, len(texts), _TOKENIZED_AT_ONCE):
        encodings = tokenizer.encode_batch_fast(list(texts[start : start + _TOKENIZED_AT_ONCE]))
        ids += [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]
        was_cut += [bool(encoding.overflowing) for encoding in encodings]
    return Tokens(ids, np.array(was_cut, dtype=bool))


def run_batches(
    compiled: Any,
    ids: Sequence[np.ndarray],
    batches: Sequence[np.ndarray],
    vectors: np.ndarray,
    place: np.ndarray | None = None,
) -> None:
    """Write the vector of every text in `batches` to its row of `vectors` (mapped by `place` if given).

    One batch runs per core, each in a Python thread: callbacks from OpenVINO's threads can deadlock with the interpreter when
    a model is freed.
    """
    requests: SimpleQueue[Any] = SimpleQueue()
    workers = min(available_cores(), len(batches))
    for _ in range(workers):
        requests.put(compiled.create_infer_request())

    def run(batch: np.ndarray) -> None:
        request = requests.get()
        try:
            outputs = request.infer(_padded_inputs([ids[row] for row in batch]), share_outputs=True)
            vectors[batch if place is None else place[batch]] = outputs[0]
        finally:
            requests.put(request)  # also after a failure, as other threads wait for requests

    if workers == 1:
        for batch in batches:
            run(batch)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, batches))


@lru_cache(maxsize=4)
def tokenizer_of(source: Path, most_tokens: int | None) -> Any:
    """Return the tokenizer in the folder `source`, with truncation at `most_tokens` (None: without)."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    if most_tokens is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(most_tokens)
    return tokenizer


def _padded_inputs(ids: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max(initial=1)) < lengths[:, None]
    tokens = np.zeros(mask.shape, dtype=np.int64)
    tokens[mask] = np.concatenate(ids)
    return {"input_ids": tokens, "attention_mask": mask.astype(np.int64)}
