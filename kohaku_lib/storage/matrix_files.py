"""Matrices as .npy files: written in blocks, read through a memory map that processes share."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kohaku_lib.errors import StoreError

BLOCK_ROWS = 2**15
LEAST_MAPPED_BYTES = 4096  # an empty file cannot be mapped
_MAGIC = b"\x93NUMPY\x01\x00"
_HEAD = re.compile(rb"\{'descr': '([<>|][a-zA-Z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n")


def write_matrix(
    path: Path, shape: tuple[int, ...], dtype: type[np.generic], rows: Callable[[int, int], np.ndarray]
) -> None:
    """Write a matrix of `shape` block by block; `rows(low, high)` returns the rows of one block."""
    if 0 in shape:
        np.save(path, np.empty(shape, dtype))
        return
    target = np.lib.format.open_memmap(path, "w+", dtype, shape)
    for low in range(0, shape[0], BLOCK_ROWS):
        high = min(low + BLOCK_ROWS, shape[0])
        target[low:high] = rows(low, high)
    target.flush()


def scatter_matrix(path: Path, shape: tuple[int, int], blocks: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
    """Write a float32 matrix of `shape` from `blocks` of (row numbers, rows); other rows are zero.

    Writes without a memory map, whose pages would count as memory of this process.
    """
    with path.open("wb") as stream:
        head = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(stream, head)
        start, width = stream.tell(), 4 * shape[1]
        stream.truncate(start + shape[0] * width)
        for rows, vectors in blocks:
            order = np.argsort(rows, kind="stable")
            for run in np.split(order, np.flatnonzero(np.diff(rows[order]) != 1) + 1) if len(order) else ():
                stream.seek(start + int(rows[run[0]]) * width)
                stream.write(np.ascontiguousarray(vectors[run], "<f4").data)


def matrix_blocks(path: Path, rows: int) -> Iterator[np.ndarray]:
    """Yield the rows of a .npy file in order, at most `rows` at a time, without a memory map.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_matrix(Path(folder, "a.npy"), (3, 1), np.int8, lambda low, high: np.arange(low, high)[:, None])
    ...     [block.tolist() for block in matrix_blocks(Path(folder, "a.npy"), 2)]
    [[[0], [1]], [[2]]]
    """
    with path.open("rb") as stream:
        dtype, shape = _read_header(stream)
        width = math.prod(shape[1:]) * dtype.itemsize
        for low in range(0, shape[0], rows):
            count = min(rows, shape[0] - low)
            yield np.frombuffer(stream.read(count * width), dtype).reshape(count, *shape[1:])


def map_matrix(path: Path) -> np.ndarray:
    """Memory-map the array of a .npy file.

    The map is copy-on-write, so writes never reach the file: torch warns about read-only arrays, and unmodified pages are
    shared either way.

    Raises:
        StoreError: The file is unreadable, no .npy file in C order, or has the wrong size.

    """
    try:
        with path.open("rb") as stream:
            return _map_stream(stream)
    except (OSError, ValueError, TypeError) as error:
        msg = f"the array in {str(path)!r} cannot be read ({error}); run 'kohaku doctor'"
        raise StoreError(msg) from error


def _map_stream(stream: BinaryIO) -> np.ndarray:
    dtype, shape = _read_header(stream)
    start, wanted = stream.tell(), math.prod(shape) * dtype.itemsize
    size = os.fstat(stream.fileno()).st_size
    if size != start + wanted:
        msg = f"{size} bytes instead of {start + wanted}"
        raise ValueError(msg)
    if size < LEAST_MAPPED_BYTES:
        return np.frombuffer(bytearray(stream.read()), dtype).reshape(shape)
    # A plain view: slicing numpy's memmap class itself costs more than a short search.
    return np.asarray(np.memmap(stream, dtype, "c", start, shape))  # pyright: ignore[reportCallIssue, reportArgumentType]


def _read_header(stream: BinaryIO) -> tuple[np.dtype, tuple[int, ...]]:
    """Parse the header of a .npy file in C order.

    NumPy's own reader evaluates the header as Python, which can fail when several threads do so at once:
    https://github.com/python/cpython/issues/106905
    """
    magic, length = stream.read(8), int.from_bytes(stream.read(2), "little")
    match = _HEAD.fullmatch(stream.read(length)) if magic == _MAGIC else None
    if match is None:
        msg = "not a .npy file"
        raise ValueError(msg)
    kind, sizes = match.group(1).decode(), match.group(2).decode()
    return np.dtype(kind), tuple(int(size) for size in sizes.split(",") if size.strip())
