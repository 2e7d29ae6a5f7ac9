"""The model that reads: where in a passage the answer to a question lies, and whether it is there."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any, Protocol

import numpy as np
from cachetools import LRUCache

from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.openvino_runtime import (
    compile_model,
    convert,
    converted_once,
    has_openvino,
    import_openvino,
)
from kohaku_lib.parallel import available_cores

_LOG = logging.getLogger("kohaku")
WEIGHTS = Path(__file__).parent / "weights" / "reader.safetensors"
MOST_TOKENS, SPAN_TOKENS = 384, 30  # of question and passage, of an answer
MOST_SPANS = 4  # of a passage
MOST_QUESTION_TOKENS = 128  # the other half is the passage's
_REMEMBERED = 20_000  # passages with their questions
_VERSION = "reader.v3"
_LOWEST = -1e9  # a logit


# Maps ids, kinds and mask, (batch, tokens) int64, to logits of starts and of ends. A batch holds one
# passage: in bfloat16 what is found in a passage would depend on those beside it, and those that are remembered are not.
Infer = Callable[[Mapping[str, np.ndarray]], tuple[np.ndarray, np.ndarray]]


class Text(Protocol):
    """What is read: a text, and the parts of it (sentences, cells) within one of which an answer must lie."""

    @property
    def text(self) -> str:
        """All of the text."""
        ...

    @property
    def answer_areas(self) -> Sequence[tuple[int, int]]:
        """The offsets of the parts, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Span:
    """The offsets of a possible answer, and its probability among all spans of the passage."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model finds in one passage: its likeliest spans, best first, and whether it answers the question.

    `over_none` is the logit of the likeliest span less that of no answer, `areas` the probability that the answer lies in
    each of the passage's answer areas.
    """

    spans: tuple[Span, ...]
    areas: tuple[float, ...]
    over_none: float


class SpanModel:
    """A reader compiled for this processor; thread-safe.

    It remembers what it last read: deeper contexts and the cells of a sweep repeat most passages.
    """

    def __init__(self, infer: Infer, tokenizer: Any) -> None:
        self._infer = infer
        self._tokenizer = tokenizer
        self._whole = type(tokenizer).from_str(tokenizer.to_str())
        self._whole.no_truncation()
        self._known: LRUCache[tuple[str, str, tuple[tuple[int, int], ...]], Reading] = LRUCache(_REMEMBERED)
        self._lock = Lock()

    def read(self, question: str, passages: Sequence[Text]) -> list[Reading]:
        """Return what is found in each passage; of a long question the end is read, where what is asked for stands."""
        question = self._end_of(question)
        keys = [(question, passage.text, tuple(passage.answer_areas)) for passage in passages]
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        new = {key: passage for key, passage in zip(keys, passages, strict=True) if key not in known}
        read = dict(zip(new, self._read(question, list(new.values())), strict=True))
        with self._lock:
            self._known.update(read)
        return [known.get(key) or read[key] for key in keys]

    def _end_of(self, question: str) -> str:
        offsets = self._whole.encode(question, add_special_tokens=False).offsets
        if len(offsets) <= MOST_QUESTION_TOKENS:
            return question
        _LOG.warning(
            "the question has %d tokens, of which the reader reads the last %d", len(offsets), MOST_QUESTION_TOKENS
        )
        return question[offsets[-MOST_QUESTION_TOKENS][0] :]

    def _read(self, question: str, passages: Sequence[Text]) -> list[Reading]:
        if not passages:
            return []
        encoded = self._tokenizer.encode_batch([(question, passage.text) for passage in passages])

        def found_in(encoding: Any, passage: Text) -> Reading:
            starts, ends = self._infer(_inputs(encoding))
            return _reading(encoding, starts[0], ends[0], passage.answer_areas)

        with ThreadPoolExecutor(available_cores()) as pool:
            return list(pool.map(found_in, encoded, passages))


@cache
def load_model(weights: Path = WEIGHTS) -> SpanModel:
    """Return the reader with these weights; with OpenVINO its graph is made once per machine."""
    source = model_folder("minilm")
    infer = _openvino_inference(weights, source) if has_openvino() else torch_inference(weights, source)
    return SpanModel(infer, reading_tokenizer())


def reading_tokenizer() -> Any:
    """Return the tokenizer of question and passage, which cuts the passage to the model's limit."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder("minilm") / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="only_second")
    return tokenizer


def best_spans(
    encoding: Any, starts: np.ndarray, ends: np.ndarray, areas: Sequence[tuple[int, int]]
) -> tuple[Span, ...]:
    """Return the likeliest spans of at most 30 tokens that lie within one of `areas`, best first.

    Starts and ends, logits (tokens,), are taken as independent; probabilities are among all such spans. Spans that
    overlap a better one are left out.
    """
    return _spread(encoding, starts, ends, areas).best_spans(encoding.offsets)


def _reading(encoding: Any, starts: np.ndarray, ends: np.ndarray, areas: Sequence[tuple[int, int]]) -> Reading:
    spread = _spread(encoding, starts, ends, areas)
    over_none = spread.best_logit - float(starts[0] + ends[0])
    return Reading(spread.best_spans(encoding.offsets), spread.of_areas(len(areas)), over_none)


@dataclass(frozen=True, slots=True)
class _Spread:
    """The probability of each span, (places, places), over the tokens at `places`, and the area of each of them.

    `best_logit` is that of the likeliest span.
    """

    places: np.ndarray
    areas: np.ndarray
    probabilities: np.ndarray
    best_logit: float

    def best_spans(self, offsets: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
        found: list[Span] = []
        for flat in np.argsort(-self.probabilities, axis=None)[: 16 * MOST_SPANS]:
            first, last = divmod(int(flat), len(self.places))
            probability = float(self.probabilities[first, last])
            span = Span(offsets[self.places[first]][0], offsets[self.places[last]][1], probability)
            if probability > 0 and not any(span.start < one.end and one.start < span.end for one in found):
                found.append(span)
            if len(found) == MOST_SPANS:
                break
        return tuple(found)

    def of_areas(self, count: int) -> tuple[float, ...]:
        return tuple(np.bincount(self.areas, self.probabilities.sum(axis=1), minlength=count).tolist())


def _spread(encoding: Any, starts: np.ndarray, ends: np.ndarray, areas: Sequence[tuple[int, int]]) -> _Spread:
    area_of = _areas_of_tokens(encoding, areas)
    places = np.flatnonzero(area_of >= 0)
    own = area_of[places]
    rank = np.arange(len(places))
    length = rank[None, :] - rank[:, None]
    joint = starts[places, None] + ends[None, places]
    allowed = (length >= 0) & (length < SPAN_TOKENS) & (own[:, None] == own[None, :])
    best = float(joint.max(where=allowed, initial=_LOWEST))
    weights = np.where(allowed, np.exp(np.minimum(joint - best, 0.0)), 0.0)
    return _Spread(places, own, weights / weights.sum() if len(places) else weights, best)


def _areas_of_tokens(encoding: Any, areas: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return the area that holds each token of the passage, -1 for others."""
    area_of = np.full(len(encoding.ids), -1)
    area = 0
    for place, (kind, (start, end)) in enumerate(zip(encoding.type_ids, encoding.offsets, strict=True)):
        if kind != 1 or end <= start:
            continue
        while area < len(areas) and areas[area][1] <= start:
            area += 1
        if area < len(areas) and areas[area][0] <= start:
            area_of[place] = area
    return area_of


def _inputs(encoding: Any) -> dict[str, np.ndarray]:
    rows = {"ids": encoding.ids, "kinds": encoding.type_ids, "mask": [1] * len(encoding.ids)}
    return {name: np.array([row], np.int64) for name, row in rows.items()}


def _openvino_inference(weights: Path, source: Path) -> Infer:
    compiled = compile_model(_graph_file(weights, source), "float32")  # the same answers on every processor
    requests: SimpleQueue[Any] = SimpleQueue()
    for _ in range(available_cores()):
        requests.put(compiled.create_infer_request())

    def infer(inputs: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        request = requests.get()
        try:
            results = request.infer(dict(inputs))
            return results[0], results[1]
        finally:
            requests.put(request)

    return infer


def torch_inference(weights: Path, source: Path) -> Infer:
    """Return inference by PyTorch in float32, for machines without OpenVINO; `source` holds the embedding model."""
    import torch

    network = _network(weights, source)

    def infer(inputs: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        with torch.inference_mode():
            starts, ends = network(**{name: torch.from_numpy(rows) for name, rows in inputs.items()})
        return starts.numpy(), ends.numpy()

    return infer


def _graph_file(weights: Path, source: Path) -> Path:
    """Return the graph of the reader for OpenVINO, converted once per machine."""
    key = digest([_VERSION, import_openvino().__version__, file_sha256(weights)])
    doing = "preparing the reader for this processor"
    return converted_once(key, "model.xml", doing, lambda target: _convert_into(target, weights, source)) / "model.xml"


def _convert_into(target: Path, weights: Path, source: Path) -> None:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about branches on shapes that are constant here
        example = {name: torch.ones(2, 16, dtype=torch.long) for name in ("ids", "kinds", "mask")}
        graph = convert(_network(weights, source), example)
        import_openvino().save_model(graph, target / "model.xml", compress_to_fp16=False)


def _network(weights: Path, source: Path) -> Any:
    from safetensors.torch import load_file

    from kohaku_lib.answering.extractive.reader.network import reading_network

    network = reading_network(source)
    network.load_state_dict({name: weight.float() for name, weight in load_file(weights).items()}, strict=False)
    return network.eval()
