"""Embedding on a CPU by OpenVINO: texts are tokenised once, sorted by length, and run as one batch per core."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.embedding.encoders.interface import (
    LOCAL_ENCODERS,
    Chunk,
    LocalKind,
    Side,
    length_sorted_batches,
    prompt_for,
)
from kohaku_lib.embedding.encoders.openvino_batches import Tokens, run_batches, tokenize, tokenizer_of
from kohaku_lib.embedding.encoders.openvino_model import ConversionError, ConvertedModel, converted_model
from kohaku_lib.embedding.model_folder import model_identity
from kohaku_lib.embedding.windows import Spans, tokenized_windows
from kohaku_lib.errors import ModelError
from kohaku_lib.openvino_runtime import compile_model, has_openvino
from kohaku_lib.settings import EmbeddingSettings

_BATCH_TOKENS = 1024  # larger batches exceed a core's cache, smaller ones have too much overhead
_BATCHES_PER_CHUNK = 16  # a chunk is the work lost with a kill
_WINDOW_TEXTS = 16_384  # sorted together; bounds memory
_LOGGER = logging.getLogger(__name__)
_LOADING = threading.Lock()
_LOADED: dict[tuple[str, bool], OpenvinoEncoder] = {}  # by content and rounding


class OpenvinoEncoder:
    """A converted model, compiled for this processor.

    >>> from kohaku_lib.embedding.model_folder import model_folder
    >>> encoder = load_openvino(model_folder("minilm"), EmbeddingSettings(), "cpu")
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
        """Yield the vectors of all `texts`, longest first within every 16,384; a query is a batch by itself."""
        prompt = prompt_for(self._model.prompts, self._model.default_prompt, side, task)
        for start in range(0, len(texts), _WINDOW_TEXTS):
            window = [prompt + text for text in texts[start : start + _WINDOW_TEXTS]]
            tokens = tokenize(self._model.source, window, self._model.most_tokens)
            lengths = np.array([len(ids) for ids in tokens.ids])
            # in bfloat16 a vector depends on the batch by up to 5e-4, and a question's may not depend on those beside it
            batches = length_sorted_batches(lengths, 1 if side == "query" else _BATCH_TOKENS)
            while chosen := list(islice(batches, _BATCHES_PER_CHUNK)):
                yield self._chunk_of_batches(tokens, chosen, start)

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows within the model's limit, prompt included."""
        prompt = prompt_for(self._model.prompts, self._model.default_prompt, side, task)
        tokenizer = tokenizer_of(self._model.source, None)
        taken = len(tokenizer.encode(prompt).ids)  # including special tokens
        return tokenized_windows(texts, partial(_token_spans, tokenizer), self._model.most_tokens - taken)

    def _chunk_of_batches(self, tokens: Tokens, batches: Sequence[np.ndarray], start: int) -> Chunk:
        rows = np.concatenate(batches)
        place = np.empty(len(tokens.ids), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        vectors = np.empty((len(rows), self.dim), dtype=np.float32)
        with self._running:
            run_batches(self._compiled, tokens.ids, batches, vectors, place)
        return Chunk(rows + start, vectors, int(tokens.was_cut[rows].sum()))


def load_openvino(folder: Path, settings: EmbeddingSettings, device: str) -> OpenvinoEncoder | None:
    """Load the model in `folder` once per process; None off the CPU, and where `settings` leave another way that fits.

    The precision is that in which the model was verified where `settings` leave it open, else float32.

    Raises:
        ModelError: `settings` ask for OpenVINO, which is not installed or does not support the model.

    """
    is_wanted = settings.backend == "openvino"
    if device != "cpu" or not (is_wanted or settings.backend == "auto"):
        return None
    if not has_openvino():
        if not is_wanted:
            return None
        msg = "embedding.backend is 'openvino', but OpenVINO is not installed; install it or set 'auto'"
        raise ModelError(msg)
    try:
        return _load_converted(str(folder), rounds=settings.precision == "auto")
    except ConversionError as error:
        if is_wanted:
            msg = f"embedding.backend is 'openvino', but {error}; set it to 'auto' or 'torch'"
            raise ModelError(msg) from error
        _LOGGER.info("%s; falling back to sentence-transformers", error)
        return None


def _load_converted(name: str, *, rounds: bool) -> OpenvinoEncoder:
    key = model_identity(name), rounds
    with _LOADING:
        if key not in _LOADED:
            model = converted_model(name)
            _LOADED[key] = OpenvinoEncoder(model if rounds else replace(model, precision="float32"))
        return _LOADED[key]


def _token_spans(tokenizer: Any, texts: list[str]) -> list[Spans]:
    return [encoding.offsets for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]


LOCAL_ENCODERS.register(LocalKind("openvino", load_openvino))
