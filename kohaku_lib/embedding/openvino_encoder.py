"""Texts to vectors on a CPU: tokenised once, sorted by length, a batch per core at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from kohaku_lib.embedding.openvino_model import ConvertedModel, converted_model
from kohaku_lib.embedding.openvino_runtime import compile_model
from kohaku_lib.embedding.port import Chunk, Side, length_sorted_batches, prompt_for
from kohaku_lib.embedding.windows import Spans, tokenized_windows
from kohaku_lib.storage import available_cores

_BATCH_TOKENS = 1024  # more leave a core's cache, fewer pay too much per call
_BATCHES_PER_CHUNK = 16  # a chunk is what a kill can lose
_WINDOW_TEXTS = 16_384  # sorted together; bounds what is held at once
_TOKENIZED_AT_ONCE = 512  # texts; what a tokenizer makes of one may take a hundred times the numbers that are kept
_LOADING = threading.Lock()
_LOADED: dict[Path, OpenvinoEncoder] = {}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids per text, cut at the model's limit, and which texts were cut."""

    ids: list[np.ndarray]
    was_cut: np.ndarray


class OpenvinoEncoder:
    """A converted model, compiled for this processor.

    >>> encoder = load_openvino("minilm")
    >>> encoder.dim, encoder.most_tokens
    (384, 256)
    """

    def __init__(self, model: ConvertedModel) -> None:
        self.dim: int = model.dim
        self.most_tokens: int | None = model.most_tokens
        self.precision: str = model.precision
        self._model = model
        self._compiled = compile_model(model.folder / "model.xml", model.precision)
        self._running = threading.Lock()

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, the longest of every 16,384 first."""
        prompt = prompt_for(self._model.prompts, self._model.default_prompt, side, task)
        for start in range(0, len(texts), _WINDOW_TEXTS):
            window = [prompt + text for text in texts[start : start + _WINDOW_TEXTS]]
            tokens = tokenized(self._model.source, window, self._model.most_tokens)
            lengths = np.array([len(ids) for ids in tokens.ids])
            batches = length_sorted_batches(lengths, _BATCH_TOKENS)
            while chosen := list(islice(batches, _BATCHES_PER_CHUNK)):
                yield self._chunk(tokens, chosen, start)

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Return each text in windows that the model reads whole with its prompt."""
        prompt = prompt_for(self._model.prompts, self._model.default_prompt, side, task)
        tokenizer = _tokenizer(self._model.source, None)
        taken = len(tokenizer.encode(prompt).ids)  # its special tokens included
        return tokenized_windows(texts, partial(_spans, tokenizer), self._model.most_tokens - taken)

    def _chunk(self, tokens: Tokens, batches: Sequence[np.ndarray], start: int) -> Chunk:
        rows = np.concatenate(batches)
        place = np.empty(len(tokens.ids), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        vectors = np.empty((len(rows), self.dim), dtype=np.float32)
        with self._running:
            run_batches(self._compiled, tokens.ids, batches, vectors, place)
        return Chunk(rows + start, vectors, int(tokens.was_cut[rows].sum()))


def load_openvino(name: str) -> OpenvinoEncoder:
    """Return the model `name` ready to run, loaded once per process; raises as `converted_model`."""
    model = converted_model(name)
    with _LOADING:
        if model.folder not in _LOADED:
            _LOADED[model.folder] = OpenvinoEncoder(model)
        return _LOADED[model.folder]


def tokenized(source: Path, texts: Sequence[str], most_tokens: int) -> Tokens:
    """Return the tokens of `texts`, special ones included, at most `most_tokens` of each."""
    tokenizer = _tokenizer(source, most_tokens)
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


def _padded(ids: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max(initial=1)) < lengths[:, None]
    tokens = np.zeros(mask.shape, dtype=np.int64)
    tokens[mask] = np.concatenate(ids)
    return {"input_ids": tokens, "attention_mask": mask.astype(np.int64)}


def _spans(tokenizer: Any, texts: list[str]) -> list[Spans]:
    return [encoding.offsets for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]


@lru_cache(maxsize=4)
def _tokenizer(source: Path, most_tokens: int | None) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    if most_tokens is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(most_tokens)
    return tokenizer
