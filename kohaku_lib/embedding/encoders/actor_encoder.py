"""An encoder on Ray actors, each of which loads the model once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.encoders.interface import Chunk, Encoder, Side
from kohaku_lib.parallel.actors import map_on_actors
from kohaku_lib.settings import EmbeddingSettings

_TEXTS_PER_TASK = 512  # the work lost with a killed actor


class ActorEncoder:
    """The encoder of `settings` on up to `workers` actors; chunks are yielded in order of completion."""

    def __init__(self, settings: EmbeddingSettings, workers: int = 0) -> None:
        self._settings, self._workers = settings, workers

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._local_encoder.dim

    @property
    def most_tokens(self) -> int | None:
        """The model's limit in tokens; None if unknown."""
        return self._local_encoder.most_tokens

    @property
    def precision(self) -> str:
        """The number format of the model's computation."""
        return self._local_encoder.precision

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows within the model's limit, in this process."""
        return self._local_encoder.windows(texts, side, task)

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`; texts of similar length share a task."""
        order = np.array(sorted(range(len(texts)), key=lambda row: -len(texts[row])), dtype=np.int64)
        tasks = [order[start : start + _TEXTS_PER_TASK] for start in range(0, len(order), _TEXTS_PER_TASK)]
        make = partial(_load_encode, self._settings, side, task)
        all_texts = list(texts)
        parts = [[all_texts[row] for row in rows.tolist()] for rows in tasks]
        for number, task_chunks in map_on_actors(make, parts, self._workers):
            for chunk in task_chunks:
                yield Chunk(tasks[number][chunk.rows], chunk.vectors, chunk.truncated, chunk.billed_tokens)

    @property
    def _local_encoder(self) -> Encoder:
        return encoder_for(self._settings)


def _load_encode(settings: EmbeddingSettings, side: Side, task: str) -> Callable[[list[str]], list[Chunk]]:
    encoder = encoder_for(settings)
    return lambda texts: list(encoder.chunks(texts, side, task))
