"""What every embedding model looks like to the rest of the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

Side = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Vectors (rows, dim) of the texts at `rows`, and how many of these texts were cut at the model's limit."""

    rows: np.ndarray
    vectors: np.ndarray
    truncated: int
    billed_tokens: int | None = 0  # by a server; None where it did not say


class Encoder(Protocol):
    """A loaded model that turns texts into vectors."""

    @property
    def dim(self) -> int:
        """Return the number of components of a vector."""
        ...

    @property
    def most_tokens(self) -> int | None:
        """Return the longest text that the model reads, in its tokens; None where nobody knows."""
        ...

    @property
    def precision(self) -> str:
        """Return the number format in which the model multiplies: float32, float16, bfloat16, or "served"."""
        ...

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, each once, a chunk at a time: what a kill can lose."""
        ...

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Return each text in windows that the model reads whole; a text that fits is its own only window."""
        ...


class ImageEncoder(Protocol):
    """A loaded model that turns images into vectors of the space of its texts."""

    @property
    def dim(self) -> int:
        """Return the number of components of a vector."""
        ...

    def image_vectors(self, images: Sequence[Image], task: str) -> np.ndarray:
        """Return the vectors (n, dim) of decoded images."""
        ...


def prompt_for(prompts: Mapping[str, str], default: str | None, side: Side, task: str) -> str:
    """Return the text that a model wants before a text of this side and task; "" where it names none.

    A prompt of the task goes before the side's own, that before the model's default.

    >>> prompts = {"query": "Q: ", "code_query": "C: ", "document": ""}
    >>> prompt_for(prompts, None, "query", "code"), prompt_for(prompts, None, "query", "retrieval")
    ('C: ', 'Q: ')
    """
    sides = ("query",) if side == "query" else ("document", "passage", "corpus")
    named = [f"{task}{mark}{name}" for mark in "._" for name in sides]
    found = next((name for name in (*named, *sides, default or "") if prompts.get(name)), None)
    return prompts[found] if found else ""


def length_sorted_batches(lengths: np.ndarray, most_tokens: int) -> Iterator[np.ndarray]:
    """Yield the rows of `lengths`, longest first, in batches of at most `most_tokens` padded tokens.

    A text that is longer than the budget is a batch of its own.

    >>> [batch.tolist() for batch in length_sorted_batches(np.array([3, 9, 4, 4]), 8)]
    [[1], [2, 3], [0]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, most_tokens // max(1, int(lengths[order[start]])))
        yield order[start : start + size]
        start += size
