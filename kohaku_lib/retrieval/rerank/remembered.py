"""Vectors of texts that come again and again, kept in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

Embed = Callable[[Sequence[str]], np.ndarray]  # n texts to rows of length 1, (n, dim)


class RememberedVectors:
    """Vectors by `embed`, of which the `most` that were asked for last are kept; threads may share it.

    >>> vectors = RememberedVectors(lambda texts: np.ones((len(texts), 2)), most=10)
    >>> vectors.of(["cat", "dog", "cat"]).shape
    (3, 2)
    """

    def __init__(self, embed: Embed, most: int) -> None:
        self._embed, self._most = embed, most
        self._known: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of `texts` (n, dim), in their order; those that are not known are embedded in one call."""
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, self._embed(missing), strict=True))
        self._keep(found)
        return np.array([found[text] for text in texts])

    def _keep(self, found: dict[str, np.ndarray]) -> None:
        with self._lock:
            for text, vector in found.items():
                self._known[text] = vector
                self._known.move_to_end(text)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
