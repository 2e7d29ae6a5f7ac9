"""Row positions by key, for millions of keys in 24 bytes each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

_DIGEST_BYTES = 16
_KIND = np.dtype(f"S{_DIGEST_BYTES}")


class KeyIndex:
    """Maps string keys to positions (int); the first position of a key wins.

    Keys are stored as 16 bytes of their BLAKE2b digest: a collision takes about 2⁶⁴ keys.

    >>> index = KeyIndex()
    >>> index.add(["b", "a", "b"], 7)
    >>> index.places(["a", "x", "b"]).tolist(), len(index)
    ([8, -1, 7], 2)
    """

    def __init__(self) -> None:
        self._keys = np.empty(0, _KIND)
        self._places = np.empty(0, np.int64)
        self._recent: list[tuple[np.ndarray, np.ndarray]] = []

    def __len__(self) -> int:
        self._merge_recent()
        return len(self._keys)

    def __contains__(self, key: str) -> bool:
        return bool(self.places([key])[0] >= 0)

    def add(self, keys: Sequence[str], place: int) -> None:
        """Map `keys` to consecutive positions from `place` on."""
        self._recent.append((_key_digests(keys), np.arange(place, place + len(keys))))

    def places(self, keys: Iterable[str]) -> np.ndarray:
        """Return the position of each of `keys`, int64; -1 if unknown."""
        self._merge_recent()
        digests = _key_digests(keys)
        if not len(self._keys):
            return np.full(len(digests), -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, digests), len(self._keys) - 1)
        return np.where(self._keys[at] == digests, self._places[at], -1)

    def forget(self, low: int, high: int) -> None:
        """Drop all keys whose position is at least `low` and below `high`."""
        self._merge_recent()
        remains = (self._places < low) | (self._places >= high)
        self._keys, self._places = self._keys[remains], self._places[remains]

    def _merge_recent(self) -> None:
        """Merge recently added keys into the sorted arrays."""
        if not self._recent:
            return
        digests, places = map(np.concatenate, zip(*self._recent, strict=True))
        self._recent = []
        digests, first = np.unique(digests, return_index=True)
        at = np.searchsorted(self._keys, digests)
        is_new = np.append(self._keys, b"")[at] != digests
        self._keys = np.insert(self._keys, at[is_new], digests[is_new])
        self._places = np.insert(self._places, at[is_new], places[first[is_new]])


def _key_digests(keys: Iterable[str]) -> np.ndarray:
    digests = (
        hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest() for key in keys
    )
    return np.fromiter(digests, _KIND)
