"""Token ids and vectors of texts by a compiled OpenVINO model, a batch per core at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from kohaku_lib.storage import available_cores

_TOKENIZED_AT_ONCE = 512  # texts; what a tokenizer makes of one may take a hundred times the numbers that are kept


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids per text, cut at the model's limit, and which texts were cut."""

    ids: list[np.ndarray]
    was_cut: np.ndarray


def tokenized(source: Path, texts: Sequence[str], most_tokens: int) -> Tokens:
    """Return the tokens of `texts`, special ones included, at most `most_tokens` of each."""
    tokenizer = tokenizer_of(source, most_tokens)
    ids: list[np.ndarray] = []
    was_cut: list[bool] = []
    for start in range(0, len(texts), _TOKENIZED_AT_ONCE):
        found = tokenizer.encode_batch_fast(list(texts[start : start + _TOKENIZED_AT_ONCE]))
        ids += [np.array(encoding.ids, dtype=np.int64) for encoding in found]
        was_cut += [bool(encoding.overflowing) for encoding in found]
    return Tokens(ids, np.array(was_cut, dtype=bool))


def run_batches(
    compiled: Any,
    ids: Sequence[np.ndarray],
    batches: Sequence[np.ndarray],
    vectors: np.ndarray,
    place: np.ndarray | None = None,
) -> None:
    """Write the vector of every text in `batches` to its row of `vectors` (through `place` where that is given).

    As many batches run at once as the processor has cores, each in a thread of ours: callbacks from threads of
    OpenVINO can lock up with the interpreter when a model is freed.
    """
    requests: SimpleQueue[Any] = SimpleQueue()
    workers = min(available_cores(), len(batches))
    for _ in range(workers):
        requests.put(compiled.create_infer_request())

    def run(batch: np.ndarray) -> None:
        request = requests.get()
        try:
            found = request.infer(_padded([ids[row] for row in batch]), share_outputs=True)
            vectors[batch if place is None else place[batch]] = found[0]
        finally:
            requests.put(request)  # else, where all fail, the threads wait for requests that nobody returns

    if workers == 1:
        for batch in batches:
            run(batch)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, batches))


@lru_cache(maxsize=4)
def tokenizer_of(source: Path, most_tokens: int | None) -> Any:
    """Return the tokenizer in the folder `source`, which cuts texts at `most_tokens`; None never cuts."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    if most_tokens is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(most_tokens)
    return tokenizer


def _padded(ids: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max(initial=1)) < lengths[:, None]
    tokens = np.zeros(mask.shape, dtype=np.int64)
    tokens[mask] = np.concatenate(ids)
    return {"input_ids": tokens, "attention_mask": mask.astype(np.int64)}
