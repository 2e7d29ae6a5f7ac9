"""Where the row of a key stands, for millions of keys in 24 bytes each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

_DIGEST_BYTES = 16
_KIND = np.dtype(f"S{_DIGEST_BYTES}")


class KeyIndex:
    """Maps string keys to places (int); the first place that a key was given stays.

    Keys are kept as 16 bytes of their BLAKE2b, so that two of them would have to be sought for 2⁶⁴ times to be mixed up.

    >>> index = KeyIndex()
    >>> index.add(["b", "a", "b"], [7, 8, 9])
    >>> index.places(["a", "x", "b"]).tolist(), len(index)
    ([8, -1, 7], 2)
    """

    def __init__(self) -> None:
        self._keys = np.empty(0, _KIND)
        self._places = np.empty(0, np.int64)
        self._recent: dict[bytes, int] = {}

    def __len__(self) -> int:
        self._settle()
        return len(self._keys)

    def __contains__(self, key: str) -> bool:
        return bool(self.places([key])[0] >= 0)

    def add(self, keys: Iterable[str], places: Iterable[int]) -> None:
        """Note where the rows of `keys` stand."""
        for key, place in zip(keys, places, strict=True):
            self._recent.setdefault(_digest(key), place)

    def places(self, keys: Iterable[str]) -> np.ndarray:
        """Return the place of each of `keys`, int64; -1 for an unknown one."""
        self._settle()
        asked = np.array([_digest(key) for key in keys], _KIND)
        if not len(self._keys):
            return np.full(len(asked), -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, asked), len(self._keys) - 1)
        return np.where(self._keys[at] == asked, self._places[at], -1)

    def forget(self, low: int, high: int) -> None:
        """Drop all keys whose place is at least `low` and below `high`."""
        self._settle()
        kept = (self._places < low) | (self._places >= high)
        self._keys, self._places = self._keys[kept], self._places[kept]

    def _settle(self) -> None:
        """Sort what was added lately in among the others."""
        if not self._recent:
            return
        keys = np.concatenate([self._keys, np.array(list(self._recent), _KIND)])
        places = np.concatenate([self._places, np.fromiter(self._recent.values(), np.int64)])
        self._recent = {}
        self._keys, first = np.unique(keys, return_index=True)
        self._places = places[first]


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
