"""Describe images with a pluggable describer, once per content, with a cache."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.llm import ProviderUnavailableError
from kohaku_lib.parallel import ActorCrew, map_items
from kohaku_lib.storage import RowCache

IMAGE_TEXT_ROW_CACHE_SCHEMA = pa.schema([pa.field("text", pa.string(), nullable=False)])
_MOST_FAILURES = 3


Described = tuple[str | None, str]  # the text of an image and "", or None and the reason of the failure
DescribeCrew = ActorCrew[Mapping[str, Any], Described]


class Describer(Protocol):
    """Produces texts for images; called from up to `workers` threads."""

    @property
    def crew(self) -> DescribeCrew | None:
        """Return the actors that describe images in place of this process; None if it does."""
        ...

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
    texts = dict(known)
    failures: list[str] = []
    for image, (text, failure) in zip(missing, _describe(missing, describer), strict=True):
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


def _describe(images: Sequence[Mapping[str, Any]], describer: Describer) -> Iterator[Described]:
    if describer.crew is None:
        guarded = GuardedDescriber(describer, min(_MOST_FAILURES, len(images)))
        yield from map_items(guarded.describe, images, describer.workers)
    else:
        yield from describer.crew.in_order(images)
        describer.crew.end()  # descriptions and OCR take turns


def _cached_texts(cache: RowCache | None, key_by_hash: Mapping[str, str]) -> dict[str, str]:
    if cache is None:
        return {}
    text_by_key = {row["key"]: row["text"] for row in cache.get_many(key_by_hash.values()).to_pylist()}
    return {sha256: text_by_key[key] for sha256, key in key_by_hash.items() if key in text_by_key}


class GuardedDescriber:
    """Describer wrapper that gives up after `limit` failures without any success; thread-safe."""

    def __init__(self, describer: Describer, limit: int = _MOST_FAILURES) -> None:
        self._describer = describer
        self._limit = limit
        self._lock = threading.Lock()
        self._alive = False
        self._failures = 0

    def describe(self, image: Mapping[str, Any]) -> Described:
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
