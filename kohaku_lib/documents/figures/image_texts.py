"""Describe images with a pluggable describer, once per content, with a cache."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.llm import ProviderUnavailableError
from kohaku_lib.parallel import map_items
from kohaku_lib.storage import RowCache

IMAGE_TEXT_ROW_CACHE_SCHEMA = pa.schema([pa.field("text", pa.string(), nullable=False)])
_MOST_FAILURES = 3


class Describer(Protocol):
    """Produces texts for images; called from up to `workers` threads."""

    @property
    def workers(self) -> int:
        """Return the number of images to describe concurrently."""
        ...

    def key(self, sha256: str) -> str:
        """Return the cache key of the text of an image."""
        ...

    def text(self, image: Mapping[str, Any]) -> str:
        """Return the text of an image, a row of DOCUMENT_IMAGES; "" if it has none."""
        ...


@dataclass(frozen=True, slots=True)
class ImageTexts:
    """The texts by image hash; `reused` are those from the cache."""

    texts: dict[str, str]
    reused: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    incomplete: str | None = None


def image_texts(images: Sequence[Mapping[str, Any]], describer: Describer, cache: RowCache | None) -> ImageTexts:
    """Return the text of every image; equal images are described once, cached ones not at all.

    A failure affects its image only. If the first three calls find the server unavailable, the others are skipped.
    """
    by_hash = {image["sha256"]: image for image in reversed(images)}
    key_by_hash = {sha256: describer.key(sha256) for sha256 in by_hash}
    known = _cached_texts(cache, key_by_hash)
    missing = [by_hash[sha256] for sha256 in sorted(by_hash.keys() - known.keys())]
    guarded = _GuardedDescriber(describer, min(_MOST_FAILURES, len(missing)))
    texts = dict(known)
    failures: list[str] = []
    for image, (text, failure) in zip(missing, map_items(guarded.describe, missing, describer.workers), strict=True):
        if text is None:
            failures.append(f"image {image['storage_key']!r} has no text: {failure}")
            continue
        texts[image["sha256"]] = text
        if cache is not None:
            cache.add(key_by_hash[image["sha256"]], {"text": text})
    if cache is not None:
        cache.flush()
    gaps = f"{len(failures)} of {len(by_hash)} images were not described; the next refresh tries them again"
    return ImageTexts(texts, frozenset(known), tuple(failures), gaps if failures else None)


def _cached_texts(cache: RowCache | None, key_by_hash: Mapping[str, str]) -> dict[str, str]:
    if cache is None:
        return {}
    text_by_key = {row["key"]: row["text"] for row in cache.get_many(key_by_hash.values()).to_pylist()}
    return {sha256: text_by_key[key] for sha256, key in key_by_hash.items() if key in text_by_key}


class _GuardedDescriber:
    """Describer wrapper that gives up after `limit` failures without any success; thread-safe."""

    def __init__(self, describer: Describer, limit: int) -> None:
        self._describer = describer
        self._limit = limit
        self._lock = threading.Lock()
        self._alive = False
        self._failures = 0

    def describe(self, image: Mapping[str, Any]) -> tuple[str | None, str]:
        """Return the text of an image and "", or None and the reason of the failure."""
        if not self._alive and self._failures >= self._limit:
            return None, "skipped because the server is unavailable"
        try:
            text = self._describer.text(image)
        except StoreError:
            raise
        except Exception as error:  # one image must not stop the others
            if isinstance(error, ProviderUnavailableError):
                with self._lock:
                    self._failures += 1
            return None, str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
        self._alive = True
        return text, ""
