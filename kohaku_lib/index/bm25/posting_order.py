"""External sort of postings by term, in bounded memory and linear time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

AT_ONCE = 2**19  # postings sorted in memory at a time, 12 bytes each
POSTING = np.dtype([("text", "<i4"), ("term", "<i4"), ("count", "<i4")])


def by_term(blocks: Iterable[np.ndarray], in_texts: np.ndarray, folder: Path) -> Iterator[np.ndarray]:
    """Yield the postings (POSTING) of `blocks` sorted by term, then text, one range of terms at a time.

    `in_texts` (terms,) is the document frequency of each term. Partitions go to an anonymous file in `folder`.

    >>> block = np.array([(0, 1, 5), (1, 0, 6), (0, 0, 7)], POSTING)
    >>> [part.tolist() for part in by_term([block], np.array([2, 1]), Path())]
    [[(0, 0, 7), (1, 0, 6), (0, 1, 5)]]
    """
    bounds, starts = _ranges(in_texts)
    with tempfile.TemporaryFile(dir=folder) as stream:
        _partition(blocks, np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), starts, stream)
        stream.seek(0)
        for size in np.diff(starts).tolist():
            found = np.frombuffer(stream.read(size * POSTING.itemsize), POSTING)
            yield found[np.argsort(found["term"].astype(np.int64) << 32 | found["text"], kind="stable")]


def _ranges(in_texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of term ranges with about `AT_ONCE` postings each, and the number of postings before each."""
    before = np.concatenate([[0], np.cumsum(in_texts)])
    bounds = [0]
    while bounds[-1] < len(in_texts):
        most = int(np.searchsorted(before, before[bounds[-1]] + AT_ONCE, "right")) - 1
        bounds.append(max(bounds[-1] + 1, most))
    return np.array(bounds), before[bounds]


def _partition(blocks: Iterable[np.ndarray], range_of_term: np.ndarray, starts: np.ndarray, stream: IO[bytes]) -> None:
    """Write the postings of each range contiguously to `stream`, at the offsets `starts`."""
    ends = starts.copy()
    for block in blocks:
        ranges = range_of_term[block["term"]]
        order = np.argsort(ranges, kind="stable")
        here, first = np.unique(ranges[order], return_index=True)
        for at, found in zip(here.tolist(), np.split(block[order], first[1:]), strict=True):
            stream.seek(int(ends[at]) * POSTING.itemsize)
            stream.write(found.data)
            ends[at] += len(found)
