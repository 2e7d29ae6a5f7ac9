"""The model that reads: where in a passage the answer to a question lies, and whether it is there."""

from __future__ import annotations

import tempfile
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.embedding.encoders.openvino_runtime import compile_model, convert, import_openvino, processor_precisions
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.parallel import available_cores
from kohaku_lib.storage import awaited_lock, user_cache_folder

MOST_TOKENS, SPAN_TOKENS = 256, 30  # of question and passage, of an answer
BATCH = 16  # passages
_VERSION = "reader.v1"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model finds in one passage: the offsets of the best span, its share, and that of being answered.

    `share` is the probability of the span among all of the passage, `has_answer` the probability that the passage
    answers the question at all.
    """

    start: int
    end: int
    share: float
    has_answer: float


class SpanModel:
    """A reader compiled for this processor; thread-safe."""

    def __init__(self, graph: Path, tokenizer: Any) -> None:
        self._compiled = compile_model(graph, processor_precisions()[0])
        self._tokenizer = tokenizer
        self._lock = threading.Lock()

    def read(self, question: str, passages: Sequence[tuple[str, int]]) -> list[Reading]:
        """Return what is found in each passage, a text and the offset from which on a span may lie."""
        encoded = self._tokenizer.encode_batch([(question, text) for text, _ in passages])
        order = sorted(range(len(encoded)), key=lambda row: len(encoded[row].ids))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        found: dict[int, Reading] = {}

        def run(rows: Sequence[int]) -> None:
            starts, ends, has = self._infer([encoded[row] for row in rows])
            for place, row in enumerate(rows):
                found[row] = _best(encoded[row], starts[place], ends[place], has[place], passages[row][1])

        with ThreadPoolExecutor(min(available_cores(), max(1, len(batches)))) as pool:
            list(pool.map(run, batches))
        return [found[row] for row in range(len(encoded))]

    def _infer(self, encoded: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        longest = max(len(one.ids) for one in encoded)
        inputs = {name: np.zeros((len(encoded), longest), np.int64) for name in ("ids", "kinds", "mask")}
        for row, one in enumerate(encoded):
            inputs["ids"][row, : len(one.ids)] = one.ids
            inputs["kinds"][row, : len(one.ids)] = one.type_ids
            inputs["mask"][row, : len(one.ids)] = 1
        with self._lock:
            request = self._compiled.create_infer_request()
        results = request.infer(inputs)
        return results[0], results[1], results[2]


def load_model(weights: Path) -> SpanModel:
    """Return the reader with these weights (see train_reader.py); its graph is made once per machine."""
    from tokenizers import Tokenizer

    source = model_folder("minilm")
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="only_second")
    return SpanModel(_graph_file(weights, source), tokenizer)


def best_span(starts: np.ndarray, ends: np.ndarray) -> tuple[int, int, float]:
    """Return the first and last token of the likeliest span of at most 30 tokens, and its probability.

    `starts` and `ends` are probabilities (tokens,), taken as independent.

    >>> best_span(np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    (1, 1, 0.375)
    """
    joint = np.tril(np.triu(np.outer(starts, ends)), SPAN_TOKENS - 1)
    first, last = divmod(int(joint.argmax()), len(ends))
    return first, last, float(joint[first, last])


def _best(encoding: Any, starts: np.ndarray, ends: np.ndarray, has_answer: float, body: int) -> Reading:
    """Return the best span among the tokens of the passage from the offset `body` on."""
    places = [
        place
        for place, (kind, (start, end)) in enumerate(zip(encoding.type_ids, encoding.offsets, strict=True))
        if kind == 1 and body <= start < end
    ]
    if not places:
        return Reading(body, body, 0.0, 0.0)
    first, last, share = best_span(_softmax(starts[places]), _softmax(ends[places]))
    span = encoding.offsets[places[first]][0], encoding.offsets[places[last]][1]
    return Reading(*span, share, float(1.0 / (1.0 + np.exp(-has_answer))))


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def _graph_file(weights: Path, source: Path) -> Path:
    """Return the graph of the reader for OpenVINO, converted once per machine."""
    key = digest([_VERSION, import_openvino().__version__, file_sha256(weights)])
    folder = user_cache_folder("openvino", key)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with awaited_lock(Path(f"{folder}.lock"), "preparing the reader for this processor"):
            if not folder.exists():
                _convert_into(folder, weights, source)
    return folder / "model.xml"


def _convert_into(folder: Path, weights: Path, source: Path) -> None:
    import torch
    from reader_network import reading_network
    from safetensors.torch import load_file

    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about branches on shapes that are constant here
        network = reading_network(source)
        network.load_state_dict({name: weight.float() for name, weight in load_file(weights).items()}, strict=False)
        example = {name: torch.ones(2, 16, dtype=torch.long) for name in ("ids", "kinds", "mask")}
        target = Path(temporary) / "converted"
        target.mkdir()
        import_openvino().save_model(convert(network.eval(), example), target / "model.xml", compress_to_fp16=False)
        target.rename(folder)
