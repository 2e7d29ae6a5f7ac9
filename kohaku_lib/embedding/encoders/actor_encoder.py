"""An encoder whose work is done by Ray actors, each with the model loaded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from kohaku_lib.embedding.encoder import encoder_for
from kohaku_lib.embedding.encoders.port import Chunk, Encoder, Side
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage.actors import map_on_actors

_TEXTS_PER_TASK = 512  # what a killed actor loses


class ActorEncoder:
    """The encoder that `settings` name, on up to `workers` actors; chunks come in the order in which they are ready."""

    def __init__(self, settings: EmbeddingSettings, workers: int = 0) -> None:
        self._settings, self._workers = settings, workers

    @property
    def dim(self) -> int:
        """Return the number of components of a vector."""
        return self._own.dim

    @property
    def most_tokens(self) -> int | None:
        """Return the longest text that the model reads, in its tokens; None where nobody knows."""
        return self._own.most_tokens

    @property
    def precision(self) -> str:
        """Return the number format in which the model multiplies."""
        return self._own.precision

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Return each text in windows that the model reads whole, cut in this process."""
        return self._own.windows(texts, side, task)

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, each once; texts of like length go to one actor."""
        order = np.array(sorted(range(len(texts)), key=lambda row: -len(texts[row])), dtype=np.int64)
        tasks = [order[start : start + _TEXTS_PER_TASK] for start in range(0, len(order), _TEXTS_PER_TASK)]
        make = partial(_loaded, self._settings, side, task)
        held = list(texts)
        parts = [[held[row] for row in rows.tolist()] for rows in tasks]
        for number, found in map_on_actors(make, parts, self._workers):
            for chunk in found:
                yield Chunk(tasks[number][chunk.rows], chunk.vectors, chunk.truncated, chunk.billed_tokens)

    @property
    def _own(self) -> Encoder:
        return encoder_for(self._settings)


def _loaded(settings: EmbeddingSettings, side: Side, task: str) -> Callable[[list[str]], list[Chunk]]:
    encoder = encoder_for(settings)
    return lambda texts: list(encoder.chunks(texts, side, task))
