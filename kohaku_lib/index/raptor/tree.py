"""The tree of summaries: paragraphs are clustered and summarised, then the summaries, level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.raptor.clustering import clusters_of
from kohaku_lib.index.summaries import Cluster, EmbeddedPassage, Summariser
from kohaku_lib.settings import RaptorSettings
from kohaku_lib.tables import StageReport, summaries_schema

RAPTOR_COLUMNS = ("node_id", "org_id", "parent_row", "kind", "searchable", "text")
Embed = Callable[[Sequence[str]], np.ndarray]  # texts → (n, dim), rows of length 1


@dataclass(frozen=True, slots=True)
class _Item:
    """A paragraph or a summary, with its id."""

    id: str
    passage: EmbeddedPassage


def summarise_nodes(
    nodes: pa.Table, vectors: pa.Table, settings: RaptorSettings, summariser: Summariser, embed: Embed
) -> tuple[pa.Table, StageReport]:
    """Return the tree of summaries (summaries_schema) above the searchable paragraphs of `nodes`, level by level.

    A level ends the tree if it has one summary or is the last that is set. The paragraphs of each tenant have their own
    tree. `vectors` are those of the nodes; nodes without one are left out. A summary's vector is that of its text. The
    tree is incomplete if a chat model has failed. After Sarthi et al., "RAPTOR" (2024), https://arxiv.org/abs/2401.18059
    """
    dim = vectors.schema.field("vector").type.list_size
    rows: list[dict[str, object]] = []
    problems: list[str] = []
    for org_id, paragraphs in _paragraphs_by_tenant(nodes, vectors).items():
        items = paragraphs
        for level in range(1, settings.levels + 1):
            if len(items) < 2:
                break
            items, groups, found = _next_level(items, org_id, level, settings, summariser, embed)
            problems += found
            rows.extend(
                {
                    "summary_id": item.id,
                    "org_id": org_id,
                    "level": level,
                    "text": item.passage.text,
                    "child_ids": children,
                    "vector": item.passage.vector,
                }
                for item, children in zip(items, groups, strict=True)
            )
    gaps = f"{len(problems)} of {len(rows)} summaries are not the model's; the next refresh retries them"
    metrics = {"summaries": float(len(rows)), "levels": float(max((int(str(row["level"])) for row in rows), default=0))}
    report = StageReport(len(rows), 0, tuple(problems), metrics, gaps if problems else None)
    return pa.Table.from_pylist(rows, schema=summaries_schema(dim)), report


def _next_level(
    items: Sequence[_Item], org_id: str, level: int, settings: RaptorSettings, summariser: Summariser, embed: Embed
) -> tuple[list[_Item], list[list[str]], tuple[str, ...]]:
    """Return the summaries of a level, the ids that each is of, and problems."""
    found = clusters_of(np.array([item.passage.vector for item in items]), settings.cluster_size)
    groups = [[items[row].id for row in rows.tolist()] for rows in found]
    ids = [f"summary:{level}:{digest([org_id, group])[:16]}" for group in groups]
    clusters = [Cluster(name, tuple(items[row].passage for row in rows)) for name, rows in zip(ids, found, strict=True)]
    report = summariser.summarise(clusters)
    texts = [" ".join(sentences) for sentences in report.sentences]
    vectors = embed(texts)
    sentence_vectors = _vectors_of_each(report.sentences, embed)
    passages = map(EmbeddedPassage, texts, vectors, report.sentences, sentence_vectors)
    return [_Item(*pair) for pair in zip(ids, passages, strict=True)], groups, report.problems


def _vectors_of_each(groups: Sequence[Sequence[str]], embed: Embed) -> list[np.ndarray]:
    """Return the vectors of the texts of each group."""
    flat = embed([text for group in groups for text in group])
    return np.split(flat, np.cumsum([len(group) for group in groups])[:-1])


def _paragraphs_by_tenant(nodes: pa.Table, vectors: pa.Table) -> dict[str, list[_Item]]:
    found: dict[str, list[_Item]] = {}
    for org_id, item in _paragraphs(nodes, vectors):
        found.setdefault(org_id, []).append(item)
    return found


def _paragraphs(nodes: pa.Table, vectors: pa.Table) -> Iterator[tuple[str, _Item]]:
    """Yield the tenant of each searchable paragraph and the paragraph, which is its only sentence if it has none."""
    matrix = vector_matrix(vectors)
    vector_row = {name: row for row, name in enumerate(vectors["node_id"].to_pylist()) if matrix[row].any()}
    columns = {name: nodes[name].to_pylist() for name in RAPTOR_COLUMNS}
    sentences: dict[int, list[int]] = {}
    for row, (parent, is_searched, name) in enumerate(
        zip(columns["parent_row"], columns["searchable"], columns["node_id"], strict=True)
    ):
        if columns["kind"][row] == "sentence" and is_searched and name in vector_row:
            sentences.setdefault(parent, []).append(row)
    for row, (kind, is_searched, name) in enumerate(
        zip(columns["kind"], columns["searchable"], columns["node_id"], strict=True)
    ):
        if kind == "paragraph" and is_searched and name in vector_row:
            own = sentences.get(row, [row])
            texts = tuple(columns["text"][at] for at in own)
            own_vectors = matrix[[vector_row[columns["node_id"][at]] for at in own]]
            yield (
                columns["org_id"][row],
                _Item(name, EmbeddedPassage(columns["text"][row], matrix[vector_row[name]], texts, own_vectors)),
            )
