"""The stages that embed leaves, paragraphs and image captions."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.cached import EmbeddingResult, Progress, Vectors, cache_rows, embed
from kohaku_lib.embedding.encoder_selection import check_dim, encoder_for, image_encoder_for
from kohaku_lib.embedding.encoders.interface import Encoder
from kohaku_lib.embedding.model_folder import model_folder, model_kind, stated_dim
from kohaku_lib.embedding.vectors import normalized, vector_table
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import StageReport, empty_table, vector_schema

if TYPE_CHECKING:
    from PIL.Image import Image


_IMAGE = ".image"  # cache key suffix after the SHA-256 of the bytes; texts share the cache
_AT_ONCE = 64  # images in memory; the work lost with a kill


def embed_leaves(
    nodes: pa.Table,
    settings: EmbeddingSettings,
    cache: RowCache | None = None,
    progress: Progress | None = None,
    encoder: Encoder | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the searchable leaves of `nodes`: sentences, and paragraphs without sentences.

    `encoder` overrides the one in `settings`. The report counts distinct texts, and lists how many exceed the model's limit.
    """
    return _embed_rows(nodes, "node_id", embedded_leaves(nodes), settings, cache, progress, encoder)


def embed_paragraphs(
    nodes: pa.Table,
    settings: EmbeddingSettings,
    cache: RowCache | None = None,
    progress: Progress | None = None,
    encoder: Encoder | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the direct vectors of the searchable paragraphs; an empty table in paragraph mode "averaged".

    In mode "both" texts over the model's limit are counted but no problem, as the averaged vectors cover them.
    """
    if settings.paragraph_mode == "averaged":
        return empty_table(vector_schema(_vector_dim(settings))), StageReport(0)
    table, report = _embed_rows(nodes, "node_id", embedded_paragraphs(nodes), settings, cache, progress, encoder)
    return table, replace(report, problems=()) if settings.paragraph_mode == "both" else report


def headed_texts(nodes: pa.Table) -> list[str]:
    """Return the texts of `nodes` behind their headings, as far as these are not the title of the document.

    Needs the columns document_id, kind, title and text, and whole documents.

    >>> columns = {"document_id": ["d", "d"], "kind": ["document", "sentence"], "title": ["Rules", "Deposit"]}
    >>> headed_texts(pa.table(columns | {"text": ["Rules", "Ten euros."]}))
    ['Rules', 'Deposit: Ten euros.']
    """
    columns = (nodes[name].to_pylist() for name in ("document_id", "kind", "title", "text"))
    texts, title_by_id = list[str](), dict[str, str]()
    for document_id, kind, title, text in zip(*columns, strict=True):  # a document comes before what is below it
        if kind == "document":
            title_by_id[document_id] = title
        texts.append(f"{title}: {text}" if title and title != title_by_id.get(document_id) else text)
    return texts


def embedded_leaves(nodes: pa.Table) -> np.ndarray:
    """Return which of `nodes` are searchable leaves, (n,) bool."""
    parents = nodes["parent_row"].to_numpy()
    is_leaf = np.ones(nodes.num_rows, dtype=bool)
    is_leaf[parents[parents >= 0]] = False
    return is_leaf & _searchable_mask(nodes)


def embedded_paragraphs(nodes: pa.Table) -> np.ndarray:
    """Return which of `nodes` are searchable paragraphs, (n,) bool."""
    return (np.array(nodes["kind"].to_pylist(), dtype=object) == "paragraph") & _searchable_mask(nodes)


def embed_images(
    images: pa.Table, captions: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the images or of their captions, keyed by storage key.

    With `settings.images` "captions" those of the non-blank IMAGE_CAPTIONS; with "direct" those of DOCUMENT_IMAGES, see
    `embed_images_directly`.
    """
    if settings.images == "direct":
        if not images.num_rows:
            return empty_table(vector_schema(_vector_dim(settings))), StageReport(0)
        return embed_images_directly(images, settings, cache)
    has_text = np.array([bool(text.strip()) for text in captions["text"].to_pylist()], dtype=bool)
    return _embed_rows(captions, "storage_key", has_text, settings, cache)


def _embed_rows(
    table: pa.Table,
    key: str,
    chosen: np.ndarray,
    settings: EmbeddingSettings,
    cache: RowCache | None,
    progress: Progress | None = None,
    encoder: Encoder | None = None,
) -> tuple[pa.Table, StageReport]:
    if not chosen.any():
        return empty_table(vector_schema(_vector_dim(settings))), StageReport(0)
    rows = table.select([key]).filter(pa.array(chosen))
    is_headed = "title" in table.column_names and settings.headings
    texts = headed_texts(table) if is_headed else table["text"].to_pylist()
    embedded = embed(list(compress(texts, chosen)), settings, cache, "document", progress, encoder)
    return vector_table(rows[key].to_pylist(), embedded.vectors), _embedding_report(embedded, settings)


def _embedding_report(embedded: EmbeddingResult, settings: EmbeddingSettings) -> StageReport:
    cost = embedded.cost
    problems: tuple[str, ...] = ()
    if cost.truncated:
        problems = (
            f"{cost.truncated} of {cost.computed + embedded.reused} texts exceed the embedding model's "
            f"limit of {embedded.most_tokens} tokens and are truncated",
        )
    metrics = {"truncated_texts": cost.truncated, "windowed_texts": cost.windowed, "windows": cost.windows}
    if model_kind(settings.model) == "server" and cost.billed_tokens is not None:
        metrics |= {"billed_tokens": cost.billed_tokens}
        if settings.usd_per_million_tokens is not None:
            metrics |= {"cost_usd": cost.billed_tokens * settings.usd_per_million_tokens / 1e6}
    return StageReport(
        cost.computed, embedded.reused, problems, {name: float(value) for name, value in metrics.items()}
    )


def _searchable_mask(nodes: pa.Table) -> np.ndarray:
    return nodes["searchable"].to_numpy()


def _vector_dim(settings: EmbeddingSettings) -> int:
    if settings.dim is not None:
        return settings.dim
    is_served = model_kind(settings.model) == "server"
    stated = None if is_served else stated_dim(model_folder(settings.model, settings.revision))
    return stated or encoder_for(settings).dim


def embed_images_directly(
    images: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the images themselves (DOCUMENT_IMAGES), keyed by storage key.

    They share the space and the dimensions of the model's texts. Equal images are computed once. An image that cannot be
    decoded is skipped and reported.

    Raises:
        ModelError: The model does not support images, or has fewer dimensions than `settings.dim`.

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
    for rows, decoded in _decode_batches(images, missing, problems):
        keys = images["sha256"].take(rows).to_pylist()
        computed_vectors = encoder.image_vectors(decoded, settings.task)
        vectors.put(np.array([row_by_hash[key] for key in keys]), computed_vectors)
        if cache is not None:
            cache.add_table(cache_rows([key + _IMAGE for key in keys], computed_vectors))
        computed += len(rows)
    places = np.array([row_by_hash[key] for key in images["sha256"].to_pylist()], dtype=np.int64)
    present = np.flatnonzero(vectors.known[places])
    matrix = normalized(vectors.matrix(encoder), settings.dim)[places[present]]
    metrics = {"undecodable_images": float(len(problems))}
    keys = images["storage_key"].take(pa.array(present)).to_pylist()
    return vector_table(keys, matrix), StageReport(computed, reused, tuple(problems), metrics)


def _first_rows(images: pa.Table) -> list[int]:
    row_by_hash: dict[str, int] = {}
    for row, sha256 in enumerate(images["sha256"].to_pylist()):
        row_by_hash.setdefault(sha256, row)
    return list(row_by_hash.values())


def _decode_batches(
    images: pa.Table, rows: Sequence[int], problems: list[str]
) -> Iterator[tuple[list[int], list[Image]]]:
    """Yield rows and their images in batches; those that cannot be decoded are appended to `problems`."""
    for start in range(0, len(rows), _AT_ONCE):
        batch: list[tuple[int, Image]] = []
        for row in rows[start : start + _AT_ONCE]:
            try:
                batch.append((row, _decode_image(images["bytes"][row].as_py())))
            except Exception as error:  # each image format raises its own errors
                key = images["storage_key"][row].as_py()
                problems.append(f"the image {key!r} cannot be decoded and has no vector ({type(error).__name__})")
        if batch:
            yield [row for row, _ in batch], [image for _, image in batch]


def _decode_image(data: bytes) -> Image:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")
