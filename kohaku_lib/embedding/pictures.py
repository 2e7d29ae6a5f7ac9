"""Images → vectors in the space of the texts, by a model that has both."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.cached import Vectors, cache_rows
from kohaku_lib.embedding.encoder import check_dim, image_encoder_for
from kohaku_lib.embedding.vectors import normalized, vector_table
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import StageReport

if TYPE_CHECKING:
    from PIL.Image import Image

_IMAGE = ".image"  # behind the SHA-256 of the bytes: the key in the cache of the texts of the same model
_AT_ONCE = 64  # images held in memory, and what a kill can lose


def embed_images_directly(
    images: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the images themselves (DOCUMENT_IMAGES), keyed by storage key.

    They lie in the space of the texts of the same model, so they have its dimensions, cut as these are. Equal images
    are computed once. One that cannot be decoded is left out and listed. Raises ModelError where the model takes no
    images.
    """
    encoder = image_encoder_for(settings)
    check_dim(settings, encoder.dim)
    hashes = list(dict.fromkeys(images["sha256"].to_pylist()))
    row_by_hash = {sha256: row for row, sha256 in enumerate(hashes)}
    vectors = Vectors(len(hashes), settings.model)
    reused = vectors.recall([sha256 + _IMAGE for sha256 in hashes], cache)
    missing = [row for row in _first_rows(images) if not vectors.known[row_by_hash[images["sha256"][row].as_py()]]]
    problems: list[str] = []
    computed = 0
    for rows, decoded in _decoded(images, missing, problems):
        keys = images["sha256"].take(rows).to_pylist()
        found = encoder.image_vectors(decoded, settings.task)
        vectors.put(np.array([row_by_hash[key] for key in keys]), found)
        if cache is not None:
            cache.add_table(cache_rows([key + _IMAGE for key in keys], found))
        computed += len(rows)
    places = np.array([row_by_hash[key] for key in images["sha256"].to_pylist()], dtype=np.int64)
    kept = np.flatnonzero(vectors.known[places])
    matrix = normalized(vectors.matrix(encoder), settings.dim)[places[kept]]
    metrics = {"undecodable_images": float(len(problems))}
    keys = images["storage_key"].take(pa.array(kept)).to_pylist()
    return vector_table(keys, matrix), StageReport(computed, reused, tuple(problems), metrics)


def _first_rows(images: pa.Table) -> list[int]:
    row_by_hash: dict[str, int] = {}
    for row, sha256 in enumerate(images["sha256"].to_pylist()):
        row_by_hash.setdefault(sha256, row)
    return list(row_by_hash.values())


def _decoded(images: pa.Table, rows: Sequence[int], problems: list[str]) -> Iterator[tuple[list[int], list[Image]]]:
    """Yield rows and their images, some at a time; those that cannot be decoded are told to `problems`."""
    for start in range(0, len(rows), _AT_ONCE):
        found: list[tuple[int, Image]] = []
        for row in rows[start : start + _AT_ONCE]:
            try:
                found.append((row, _decode(images["bytes"][row].as_py())))
            except Exception as error:  # each image format raises its own
                key = images["storage_key"][row].as_py()
                problems.append(f"the image {key!r} cannot be decoded and has no vector ({type(error).__name__})")
        if found:
            yield [row for row, _ in found], [image for _, image in found]


def _decode(data: bytes) -> Image:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")
