"""A cache of the vectors of texts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from cachetools import LRUCache

Embed = Callable[[Sequence[str]], np.ndarray]  # n texts to rows of length 1, (n, dim)


class VectorCache:
    """An LRU cache of up to `most` vectors computed by `embed`. Thread-safe.

    Example:
        >>> vectors = VectorCache(lambda texts: np.ones((len(texts), 2)), most=10)
        >>> vectors.of(["cat", "dog", "cat"]).shape
        (3, 2)

    """

    def __init__(self, embed: Embed, most: int) -> None:
        self._embed = embed
        self._known: LRUCache[str, np.ndarray] = LRUCache(most)
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of `texts` (n, dim), in order; missing ones are embedded in one call."""
        with self._lock:
            vector_by_text = {text: self._known[text] for text in texts if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in vector_by_text]
        if missing:
            vectors = dict(zip(missing, self._embed(missing), strict=True))
            vector_by_text |= vectors
            with self._lock:
                self._known.update(vectors)
        return np.array([vector_by_text[text] for text in texts])
