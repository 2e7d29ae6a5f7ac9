"""Brute-force scans of a vector matrix in float32, float16 or int8."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import numpy as np

from kohaku_lib.index.snapshots.snapshot_files import scan_path
from kohaku_lib.index.vectors.top_rows import ScoreTile
from kohaku_lib.storage.matrix_files import map_matrix, write_matrix

Precision = Literal["float32", "float16", "int8"]
FEW = 4  # queries up to which one pass per query beats a matrix product
CACHED_ROWS = 512  # rows that fit into the L2 cache
SPARE = 8  # extra candidates of a matrix product, whose last bits depend on the batch shape
INT8_LIMIT = 127
HALF_BIAS = np.float32(2.0**112)  # difference of the exponent biases of float32 (127) and float16 (15)
_HALF_BITS = np.array(0x8FFFE000, np.uint32).view(np.int32)  # mask of a shifted half's sign, exponent and fraction


class Scan(Protocol):
    """Scores rows, exactly (like `dot_products`) or approximately."""

    def candidates(self, queries: int, k: int, rescore: int) -> int:
        """Return how many candidates to rescore for the best `k`; 0 if the scores are exact."""
        ...

    def scorer(self, queries: np.ndarray) -> ScoreTile:
        """Return a function that scores `queries` (n, dim) against a range of rows."""
        ...


class Float32Scan:
    """Exact scan: one pass per query for few queries, a matrix product for many."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._vectors = vectors

    def candidates(self, queries: int, k: int, rescore: int) -> int:
        """Return 0 for few queries, else `k` plus a margin."""
        return 0 if queries <= FEW else k + SPARE

    def scorer(self, queries: np.ndarray) -> ScoreTile:
        """Return a function that scores `queries` (n, dim) against a range of rows."""
        if len(queries) <= FEW:
            return lambda low, high: dot_products(self._vectors[low:high], queries)
        return lambda low, high: queries @ self._vectors[low:high].T


class Float16Scan:
    """Half-precision scan: multiplied as float16 for few queries, converted to float32 per tile for many."""

    def __init__(self, halves: np.ndarray) -> None:
        self._halves = halves  # (n, dim) float16

    def candidates(self, queries: int, k: int, rescore: int) -> int:
        """Return `rescore` times `k`."""
        return k * rescore

    def scorer(self, queries: np.ndarray) -> ScoreTile:
        """Return a function that scores `queries` (n, dim) against a range of rows."""
        if len(queries) > FEW:
            biased = queries * HALF_BIAS
            return lambda low, high: biased @ biased_floats(self._halves[low:high]).T
        import torch

        few = torch.from_numpy(queries.astype(np.float16))
        return lambda low, high: torch.mm(few, torch.from_numpy(self._halves[low:high]).T).float().numpy()


class Int8Scan:
    """int8 scan: codes from -127 to 127 with one scale per vector, and an integer matrix product."""

    def __init__(self, codes: np.ndarray, scales: np.ndarray) -> None:
        self._codes, self._scales = codes, scales  # (n, dim) int8, (n,) float32

    def candidates(self, queries: int, k: int, rescore: int) -> int:
        """Return `rescore` times `k`."""
        return k * rescore

    def scorer(self, queries: np.ndarray) -> ScoreTile:
        """Return a function that scores `queries` (n, dim) against a range of rows."""
        import torch

        codes, scales = quantised(queries)
        columns = torch.from_numpy(np.ascontiguousarray(codes.T))

        def score(low: int, high: int) -> np.ndarray:
            products = torch._int_mm(torch.from_numpy(self._codes[low:high]), columns).numpy()  # pyright: ignore[reportPrivateImportUsage]
            scores = np.multiply(products.T, self._scales[low:high], dtype=np.float32, order="C")
            return np.multiply(scores, scales[:, None], out=scores)

        return score


def dot_products(vectors: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the product of each of `queries` (m, dim) with each of `vectors` (n, dim), (m, n) float32.

    Sums run in a fixed order, so equal rows get equal scores in any batch. A single thread saturates the memory bandwidth: a
    product per row is twice as fast as einsum, and steadier than BLAS on the whole matrix, whose threads wait for each other
    on a busy machine.

    >>> dot_products(np.array([[0.6, 0.8], [0.0, 1.0]], np.float32), np.array([[1.0, 0.5]], np.float32)).tolist()
    [[1.0, 0.5]]
    """
    products = np.empty((len(queries), len(vectors)), np.float32)
    for low in range(0, len(vectors), CACHED_ROWS):
        tile = vectors[None, low : low + CACHED_ROWS]
        np.vecdot(tile, queries[:, None], out=products[:, low : low + CACHED_ROWS])
    return products


def biased_floats(halves: np.ndarray) -> np.ndarray:
    """Return finite float16 numbers (n, dim) as float32 divided by HALF_BIAS.

    Shifting the bits is exact and four times as fast as NumPy's conversion.

    >>> (biased_floats(np.array([[0.5, -1.0, 0.0]], np.float16)) * HALF_BIAS).tolist()
    [[0.5, -1.0, 0.0]]
    """
    bits = halves.view(np.int16).astype(np.int32)
    np.left_shift(bits, 13, out=bits)
    return np.bitwise_and(bits, _HALF_BITS, out=bits).view(np.float32)


def quantised(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 codes (n, dim) and scales (n,) with codes · scale ≈ vectors; zeros have scale 0.

    >>> codes, scales = quantised(np.array([[0.5, -1.0], [0.0, 0.0]], np.float32))
    >>> codes.tolist(), (scales * INT8_LIMIT).tolist()
    ([[64, -127], [0, 0]], [1.0, 0.0])
    """
    scales = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float32) / INT8_LIMIT
    divisors = np.where(scales > 0, scales, 1.0)[:, None]
    return np.rint(vectors / divisors).astype(np.int8), scales


def write_scan(folder: Path, space: str, vectors: np.ndarray, precision: Precision) -> None:
    """Write the quantised copy of `vectors` (n, dim) for a scan of `precision`; nothing for float32."""
    rows, dim = vectors.shape
    if precision == "float16":
        write_matrix(scan_path(folder, space, "float16"), (rows, dim), np.float16, lambda low, high: vectors[low:high])
    elif precision == "int8":
        write_matrix(
            scan_path(folder, space, "int8"), (rows, dim), np.int8, lambda low, high: quantised(vectors[low:high])[0]
        )
        write_matrix(
            scan_path(folder, space, "scale"), (rows,), np.float32, lambda low, high: quantised(vectors[low:high])[1]
        )


def open_scan(folder: Path, space: str, vectors: np.ndarray, precision: Precision) -> Scan:
    """Open the scan that `write_scan` wrote, memory-mapped."""
    if precision == "float16":
        return Float16Scan(map_matrix(scan_path(folder, space, "float16")))
    if precision == "int8":
        return Int8Scan(map_matrix(scan_path(folder, space, "int8")), map_matrix(scan_path(folder, space, "scale")))
    return Float32Scan(vectors)
