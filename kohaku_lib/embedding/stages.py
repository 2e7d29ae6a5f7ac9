"""The stages that embed leaves, paragraphs and image captions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.cached import Embedded, Progress, embed
from kohaku_lib.embedding.encoder import encoder_for
from kohaku_lib.embedding.model_folder import model_folder, stated_dim
from kohaku_lib.embedding.vectors import vector_table
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import StageReport, empty_table, vector_schema


def embed_leaves(
    nodes: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None, progress: Progress | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the searchable leaves of `nodes`: sentences, and paragraphs without sentences.

    The report counts distinct texts, and says how many were longer than the model reads.
    """
    parents = nodes["parent_row"].to_numpy()
    is_leaf = np.ones(nodes.num_rows, dtype=bool)
    is_leaf[parents[parents >= 0]] = False
    return _embed_rows(nodes, "node_id", is_leaf & _searchable(nodes), settings, cache, progress)


def embed_paragraphs(
    nodes: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None, progress: Progress | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the direct vectors of the searchable paragraphs; an empty table in paragraph mode "averaged"."""
    if settings.paragraph_mode == "averaged":
        return empty_table(vector_schema(_dim(settings))), StageReport(0)
    is_paragraph = np.array(nodes["kind"].to_pylist(), dtype=object) == "paragraph"
    return _embed_rows(nodes, "node_id", is_paragraph & _searchable(nodes), settings, cache, progress)


def embed_images(
    captions: pa.Table, settings: EmbeddingSettings, cache: RowCache | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the vectors of the image captions, keyed by storage key; blank captions have none."""
    has_text = np.array([bool(text.strip()) for text in captions["text"].to_pylist()], dtype=bool)
    return _embed_rows(captions, "storage_key", has_text, settings, cache)


def _embed_rows(
    table: pa.Table,
    key: str,
    chosen: np.ndarray,
    settings: EmbeddingSettings,
    cache: RowCache | None,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    if not chosen.any():
        return empty_table(vector_schema(_dim(settings))), StageReport(0)
    rows = table.select([key, "text"]).filter(pa.array(chosen))
    embedded = embed(rows["text"].to_pylist(), settings, cache, "document", progress)
    return vector_table(rows[key].to_pylist(), embedded.vectors), _report(embedded)


def _report(embedded: Embedded) -> StageReport:
    problems: tuple[str, ...] = ()
    if embedded.truncated:
        problems = (
            f"{embedded.truncated} of {embedded.computed} texts are longer than the {embedded.most_tokens} tokens that "
            "the embedding model reads; only their beginning counts",
        )
    metrics = {"truncated_texts": float(embedded.truncated)}
    return StageReport(embedded.computed, embedded.reused, problems, metrics)


def _searchable(nodes: pa.Table) -> np.ndarray:
    return nodes["searchable"].to_numpy()


def _dim(settings: EmbeddingSettings) -> int:
    return settings.dim or stated_dim(model_folder(settings.model)) or encoder_for(settings).dim
