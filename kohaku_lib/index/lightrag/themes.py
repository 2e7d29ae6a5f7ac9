"""The themes of a knowledge graph: what the texts of a relation, or of a community of entities, have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.embedding import normalized
from kohaku_lib.embedding.stages import embedded_leaves
from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.lightrag.relations import Pair, RelationGraph, strongest_relations
from kohaku_lib.index.summaries import Cluster, EmbeddedPassage, Summariser
from kohaku_lib.settings import LightragSettings
from kohaku_lib.tables import StageReport, themes_schema

THEME_COLUMNS = ("node_id", "org_id", "parent_row", "searchable", "text")
MOST_TEXTS = 50  # of a community that are summarised: those nearest to their mean
Embed = Callable[[Sequence[str]], np.ndarray]  # texts → (n, dim), rows of length 1


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The texts that the graph is from, by id."""

    org_ids: Mapping[str, str]
    texts: Mapping[str, str]
    vectors: Mapping[str, np.ndarray]

    def passages(self, ids: Sequence[str]) -> tuple[EmbeddedPassage, ...]:
        """Return the texts `ids` that are nearest to their mean, at most MOST_TEXTS, in their order."""
        vectors = np.array([self.vectors[one] for one in ids])
        nearest = np.argsort(-(vectors @ normalized(vectors.mean(axis=0)[None])[0]), kind="stable")[:MOST_TEXTS]
        chosen = [ids[int(at)] for at in np.sort(nearest)]
        return tuple(
            EmbeddedPassage(self.texts[n], self.vectors[n], (self.texts[n],), self.vectors[n][None]) for n in chosen
        )


def find_themes(
    nodes: pa.Table,
    vectors: pa.Table,
    mentions: pa.Table,
    settings: LightragSettings,
    summariser: Summariser,
    embed: Embed,
) -> tuple[pa.Table, StageReport]:
    """Return the themes (themes_schema) of the graph `mentions` (MENTIONS) over `nodes` with their `vectors`.

    The vector of a relation's theme is the mean of its texts, its text their most central sentence. Communities are those of
    Louvain's method over the relations; their theme is a summary of the texts of these, and its vector that of the summary.
    The themes are incomplete if a chat model has failed. After Guo et al., "LightRAG" (2024), https://arxiv.org/abs/2410.05779,
    whose themes are key words by a model.
    """
    leaves = _leaves(nodes, vectors)
    graph = strongest_relations(mentions, leaves.texts, settings.relations_per_entity)
    communities = _communities(graph, settings.min_community)
    rows = [_relation_row(pair, graph, leaves) for pair in graph.texts]
    clusters = [Cluster(name, leaves.passages(texts)) for name, _, texts in communities]
    report = summariser.summarise(clusters)
    summaries = [" ".join(sentences) for sentences in report.sentences]
    for (name, members, texts), summary, vector in zip(communities, summaries, embed(summaries), strict=True):
        rows.append(_row(name, "community", summary, members, texts, vector, leaves))
    problems = report.problems
    gaps = (
        f"{len(problems)} of {len(communities)} communities have no summary by the model; the next refresh retries them"
    )
    metrics = {"relations": float(len(graph.texts)), "communities": float(len(communities))}
    table = pa.Table.from_pylist(rows, schema=themes_schema(vectors.schema.field("vector").type.list_size))
    return table, StageReport(len(rows), 0, problems, metrics, gaps if problems else None)


def _leaves(nodes: pa.Table, vectors: pa.Table) -> _Leaves:
    """Return the searchable leaves of `nodes` that have a vector."""
    matrix = vector_matrix(vectors)
    vector_of = {name: matrix[row] for row, name in enumerate(vectors["node_id"].to_pylist()) if matrix[row].any()}
    chosen = nodes.filter(pa.array(embedded_leaves(nodes))).select(["node_id", "org_id", "text"]).to_pylist()
    chosen = [row for row in chosen if row["node_id"] in vector_of]
    org_ids, texts = ({row["node_id"]: row[name] for row in chosen} for name in ("org_id", "text"))
    return _Leaves(org_ids, texts, vector_of)


def _relation_row(pair: Pair, graph: RelationGraph, leaves: _Leaves) -> dict[str, Any]:
    texts = graph.texts[pair]
    vectors = np.array([leaves.vectors[name] for name in texts])
    mean = normalized(vectors.mean(axis=0)[None])[0]
    central = leaves.texts[texts[int(np.argmax(vectors @ mean))]]
    theme = f"{' – '.join(graph.names[entity] for entity in pair)}: {central}"
    return _row(f"relation:{digest(pair)[:16]}", "relation", theme, pair, texts, mean, leaves)


def _row(
    name: str,
    kind: str,
    text: str,
    entity_ids: Sequence[str],
    node_ids: Sequence[str],
    vector: np.ndarray,
    leaves: _Leaves,
) -> dict[str, Any]:
    return {
        "theme_id": name,
        "org_id": leaves.org_ids[node_ids[0]],
        "kind": kind,
        "text": text,
        "entity_ids": list(entity_ids),
        "node_ids": list(node_ids),
        "vector": vector,
    }


def _communities(graph: RelationGraph, least: int) -> list[tuple[str, list[str], list[str]]]:
    """Return id, entities and texts of each community of at least `least` entities, by its smallest entity."""
    import networkx

    network = networkx.Graph()
    network.add_weighted_edges_from((*pair, graph.strengths[pair]) for pair in graph.texts if graph.strengths[pair] > 0)
    found = networkx.community.louvain_communities(network, weight="weight", seed=0)
    members = sorted(sorted(own) for own in found if len(own) >= least)
    community_of = {entity: number for number, own in enumerate(members) for entity in own}
    texts: list[dict[str, None]] = [{} for _ in members]
    for (one, other), own in graph.texts.items():
        number = community_of.get(one)
        if number is not None and number == community_of.get(other):
            texts[number] |= dict.fromkeys(own)
    return [
        (f"community:{digest(own)[:16]}", own, list(of_own))
        for own, of_own in zip(members, texts, strict=True)
        if of_own
    ]
