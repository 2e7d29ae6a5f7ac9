"""Matrices as .npy files: written block by block, read through a memory map that all processes share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from kohaku_lib.errors import StoreError

BLOCK_ROWS = 2**15
LEAST_MAPPED_BYTES = 4096  # an empty file cannot be mapped


def write_matrix(
    path: Path, shape: tuple[int, ...], dtype: type[np.generic], rows: Callable[[int, int], np.ndarray]
) -> None:
    """Write a matrix of `shape` whose rows from low to high `rows` gives; no more than a block is held in memory."""
    if 0 in shape:
        np.save(path, np.empty(shape, dtype))
        return
    target = np.lib.format.open_memmap(path, "w+", dtype, shape)
    for low in range(0, shape[0], BLOCK_ROWS):
        high = min(low + BLOCK_ROWS, shape[0])
        target[low:high] = rows(low, high)
    target.flush()


def map_matrix(path: Path) -> np.ndarray:
    """Return the matrix of a .npy file, memory-mapped; raises StoreError where it cannot be read.

    Nothing written to it would reach the file. (It is mapped as copy-on-write because torch warns of read-only
    arrays; pages nobody writes to are shared all the same.)
    """
    try:
        small = path.stat().st_size < LEAST_MAPPED_BYTES
        # A plain view: slicing numpy's memmap class itself costs more than a short search.
        return np.asarray(np.load(path, mmap_mode=None if small else "c"))
    except (OSError, ValueError, EOFError) as error:
        msg = f"the vectors in {str(path)!r} cannot be read ({error}); run 'kohaku refresh vector_tables --force'"
        raise StoreError(msg) from error
