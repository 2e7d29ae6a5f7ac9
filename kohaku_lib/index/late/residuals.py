"""Token vectors as the nearest centroid and two bits a dimension of what is left (ColBERTv2, PLAID)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kohaku_lib.embedding import normalized

SAMPLE = 2**16  # token vectors that centroids are fitted on
MOST_CENTROIDS = 2048
STEPS = 4
LEVELS = 4  # of a residual's component: two bits, four components a byte
AT_ONCE = 2**13
_FILE = "residuals.npz"
_SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class ResidualCodec:
    """The centroids, and the bounds and values of the four levels of a residual's component."""

    centroids: np.ndarray  # (centroids, dim) float32
    bounds: np.ndarray  # (3,) float32
    values: np.ndarray  # (4,) float32

    @classmethod
    def fitted(cls, sample: np.ndarray) -> ResidualCodec:
        """Return a codec for vectors like `sample` (n, dim), rows of length 1.

        There are about 4 √n centroids, by spherical k-means from rows at equal distances in the sample. Levels are
        quantiles of all components, after Santhanam et al., "ColBERTv2" (2022), https://arxiv.org/abs/2112.01488
        """
        count = min(MOST_CENTROIDS, max(1, int(4 * np.sqrt(len(sample)))), max(1, len(sample)))
        centroids = sample[np.linspace(0, len(sample) - 1, count).astype(np.int64)].astype(np.float32)
        for _ in range(STEPS):
            nearest = nearest_rows(sample, centroids)
            sums = np.zeros_like(centroids)
            np.add.at(sums, nearest, sample)
            is_used = np.bincount(nearest, minlength=count) > 0
            centroids = np.where(is_used[:, None], normalized(sums), centroids)
        left = sample - centroids[nearest_rows(sample, centroids)]
        bounds = np.quantile(left, np.arange(1, LEVELS) / LEVELS).astype(np.float32)
        values = np.quantile(left, (np.arange(LEVELS) + 0.5) / LEVELS).astype(np.float32)
        return cls(centroids, bounds, values)

    @property
    def width(self) -> int:
        """Bytes of a vector: two of its centroid, and a quarter of its dimensions."""
        return 2 + -(-self.centroids.shape[1] // 4)

    def encode(self, vectors: np.ndarray) -> np.ndarray:
        """Return the codes (n, width) uint8 of `vectors` (n, dim), rows of length 1."""
        nearest = nearest_rows(vectors, self.centroids)
        levels = np.searchsorted(self.bounds, vectors - self.centroids[nearest]).astype(np.uint8)
        padded = np.pad(levels, ((0, 0), (0, -levels.shape[1] % 4)))
        packed = np.bitwise_or.reduce(padded.reshape(len(vectors), -1, 4) << _SHIFTS, axis=2)
        return np.hstack([nearest.astype("<u2")[:, None].view(np.uint8), packed])

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the vectors (n, dim) of `codes` (n, width), of about length 1."""
        nearest = np.ascontiguousarray(codes[:, :2]).view("<u2")[:, 0]
        levels = (codes[:, 2:, None] >> _SHIFTS) & (LEVELS - 1)
        left = self.values[levels.reshape(len(codes), -1)[:, : self.centroids.shape[1]]]
        return self.centroids[nearest] + left

    def save(self, folder: Path) -> None:
        """Write the codec into `folder`."""
        np.savez(folder / _FILE, centroids=self.centroids, bounds=self.bounds, values=self.values)

    @classmethod
    def load(cls, folder: Path) -> ResidualCodec:
        """Read the codec in `folder`."""
        with np.load(folder / _FILE, allow_pickle=False) as arrays:
            return cls(arrays["centroids"], arrays["bounds"], arrays["values"])


def nearest_rows(vectors: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """Return for each of `vectors` (n, dim) the centroid with the largest dot product.

    >>> nearest_rows(np.array([[0.9, 0.1], [0.2, 0.8]]), np.eye(2)).tolist()
    [0, 1]
    """
    found = np.empty(len(vectors), np.int64)
    for low in range(0, len(vectors), AT_ONCE):
        found[low : low + AT_ONCE] = np.argmax(vectors[low : low + AT_ONCE] @ centroids.T, axis=1)
    return found
