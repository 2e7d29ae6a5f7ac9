"""The interface of embedding models, and the registries of those in folders and those that are served."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from kohaku_lib.registry import Registry
from kohaku_lib.settings import EmbeddingSettings

if TYPE_CHECKING:
    from PIL.Image import Image

Side = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Vectors (rows, dim) of the texts at `rows`, and how many of the texts were truncated at the model's limit."""

    rows: np.ndarray
    vectors: np.ndarray
    truncated: int
    billed_tokens: int | None = 0  # by a server; None if not reported


class Encoder(Protocol):
    """A loaded text embedding model."""

    @property
    def dim(self) -> int:
        """Return the number of components of a vector."""
        ...

    @property
    def most_tokens(self) -> int | None:
        """The model's limit in tokens; None if unknown."""
        ...

    @property
    def precision(self) -> str:
        """The number format of the model's computation: float32, float16, bfloat16, or "served"."""
        ...

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts` in chunks; a kill loses at most one chunk."""
        ...

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows within the model's limit; a text that fits is its only window."""
        ...


class ImageEncoder(Protocol):
    """A loaded model that embeds images into the space of its texts."""

    @property
    def dim(self) -> int:
        """Return the number of components of a vector."""
        ...

    def image_vectors(self, images: Sequence[Image], task: str) -> np.ndarray:
        """Return the vectors (n, dim) of decoded images."""
        ...


@dataclass(frozen=True, slots=True)
class LocalKind:
    """A way to run a model in a folder on a device; of those that run it, the first is taken.

    `load` and `load_for_images` return None for a model, setting or device that is none of theirs. `check` rejects
    settings by the name of the model, before a large download.
    """

    name: str
    load: Callable[[Path, EmbeddingSettings, str], Encoder | None]
    load_for_images: Callable[[Path, EmbeddingSettings, str], ImageEncoder | None] = lambda folder, settings, device: (
        None
    )
    check: Callable[[EmbeddingSettings], None] = lambda settings: None
    is_backend: bool = True  # embedding.backend may name it
    order: int = 100  # in which kinds are listed and tried


LOCAL_ENCODERS: Registry[LocalKind] = Registry("backend", folder=__package__)


@dataclass(frozen=True, slots=True)
class ServedKind:
    """Models without a folder, which `embedding.model` names as "NAME:MODEL".

    `settings_keys` are the fields of EmbeddingSettings that vectors depend on, beside name, `dim`, `task` and `long_texts`.
    """

    name: str
    load: Callable[[EmbeddingSettings], Encoder]  # sends nothing
    settings_keys: tuple[str, ...] = ()


SERVED_ENCODERS: Registry[ServedKind] = Registry("embedding server", folder=__package__)


def served_kind(model: str) -> ServedKind | None:
    """Return the kind of a model without a folder; None for a model in one.

    >>> served_kind("openai:text-embedding-3-small").name, served_kind("BAAI/bge-base-en-v1.5")
    ('openai', None)
    """
    name, colon, _ = model.partition(":")
    return SERVED_ENCODERS.get(name) if colon and name in SERVED_ENCODERS else None


def prompt_for(prompts: Mapping[str, str], default: str | None, side: Side, task: str) -> str:
    """Return the prompt of a model for a side and task; "" if it has none.

    A prompt of the task takes precedence over one of the side, and that over the model's default.

    >>> prompts = {"query": "Q: ", "code_query": "C: ", "document": ""}
    >>> prompt_for(prompts, None, "query", "code"), prompt_for(prompts, None, "query", "retrieval")
    ('C: ', 'Q: ')
    """
    sides = ("query",) if side == "query" else ("document", "passage", "corpus")
    named = [f"{task}{mark}{name}" for mark in "._" for name in sides]
    prompt_name = next((name for name in (*named, *sides, default or "") if prompts.get(name)), None)
    return prompts[prompt_name] if prompt_name else ""


def token_sum(*counts: int | None) -> int | None:
    """Return the sum of `counts`; None if one of them is unknown.

    >>> token_sum(3, 4), token_sum(3, None)
    (7, None)
    """
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def length_sorted_batches(lengths: np.ndarray, most_tokens: int) -> Iterator[np.ndarray]:
    """Yield the rows of `lengths`, longest first, in batches of at most `most_tokens` padded tokens.

    A text over the budget is a batch by itself.

    >>> [batch.tolist() for batch in length_sorted_batches(np.array([3, 9, 4, 4]), 8)]
    [[1], [2, 3], [0]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, most_tokens // max(1, int(lengths[order[start]])))
        yield order[start : start + size]
        start += size
