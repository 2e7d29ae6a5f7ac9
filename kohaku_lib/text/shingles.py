"""Sketches of texts, from which the share of their shingles in common is estimated."""

from __future__ import annotations

import zlib

import numpy as np

from kohaku_lib.text.tokens import WORD

_WORDS = 5  # of a shingle
_MOST = 256  # hashes of a sketch: the estimate of 0.9 has a standard error of 0.02
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of SplitMix64


def sketch_of(text: str) -> np.ndarray:
    """Return the 256 smallest hashes of the shingles of `text`, ascending, fewer of a short text.

    A shingle is five words in a row, whatever their case; a text of fewer words is one, without words it has none.

    >>> len(sketch_of("a b c d e f")), len(sketch_of("Amber")), len(sketch_of(" "))
    (2, 1, 0)
    """
    words = [zlib.crc32(found[0].casefold().encode("utf-8", "replace")) for found in WORD.finditer(text)]
    if not words:
        return np.zeros(0, np.uint64)
    hashes = np.array(words, np.uint64)
    width = min(_WORDS, len(words))
    shingles = np.zeros(len(words) - width + 1, np.uint64)
    for start in range(width):
        shingles = shingles * _ODD + hashes[start : start + len(shingles)]
    for shift, factor in zip((30, 27), _MIX, strict=True):
        shingles = (shingles ^ (shingles >> np.uint64(shift))) * factor
    return np.unique(shingles ^ (shingles >> np.uint64(31)))[:_MOST]


def shared_share(one: np.ndarray, other: np.ndarray) -> float:
    """Return the Jaccard index of two texts' shingles by their sketches, exact up to 256 shingles together.

    >>> words = [f"word{number}" for number in range(44)]
    >>> shared_share(sketch_of(" ".join(words)), sketch_of(" ".join(words[4:])))
    0.9
    >>> shared_share(sketch_of(""), sketch_of(""))
    0.0
    """
    union = np.union1d(one, other)[:_MOST]
    shared = np.intersect1d(one, other, assume_unique=True)
    return float(np.isin(union, shared).sum() / len(union)) if len(union) else 0.0
