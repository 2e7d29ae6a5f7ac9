"""The relations of a knowledge graph that have a theme: pairs of names that several texts share, or that one states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

MENTION_COLUMNS = ("entity_id", "entity_type", "name", "canonical_name", "node_id", "relations")
MOST_NAMES = 12  # in a text that relates them; one with more is a list
LEAST_TEXTS = 2  # of a relation that no text states: the theme of one text is that text
_UNNAMED = frozenset({"DATE", "MONEY", "PERCENTAGE", "CLAUSE"})

Pair = tuple[str, str]  # ids of entities, the smaller first


@dataclass(frozen=True, slots=True)
class RelationGraph:
    """The strongest relations by pair, with the ids of the texts of each and its strength from 0 to 1."""

    names: Mapping[str, str]  # by entity id
    texts: Mapping[Pair, Sequence[str]]
    strengths: Mapping[Pair, float]


def strongest_relations(mentions: pa.Table, leaves: Iterable[str], per_entity: int) -> RelationGraph:
    """Return the `per_entity` strongest relations of each entity of `mentions` (MENTIONS) in the texts `leaves`.

    Entities are related if two texts or more name both, or if one states a relation. The strength is the normalised
    pointwise mutual information of the names (Bouma 2009) times n / (n + 1) with n common texts, at least 0; 1 if stated.
    Figures, dates and clauses are no entities here.
    """
    known, names = set(leaves), {}
    entities: dict[str, dict[str, None]] = {}
    stated: dict[Pair, dict[str, None]] = {}
    for row in mentions.select(list(MENTION_COLUMNS)).to_pylist():
        if row["node_id"] in known and _is_named(row["entity_type"], row["canonical_name"]):
            names.setdefault(row["entity_id"], row["name"])
            entities.setdefault(row["node_id"], {})[row["entity_id"]] = None
            for relation in row["relations"]:
                stated.setdefault(_pair(row["entity_id"], relation["target_id"]), {})[row["node_id"]] = None
    texts: dict[Pair, dict[str, None]] = {}
    for node_id, own in entities.items():
        for pair in combinations(sorted(own), 2) if len(own) <= MOST_NAMES else ():
            texts.setdefault(pair, {})[node_id] = None
    shared = {pair: own for pair, own in texts.items() if len(own) >= LEAST_TEXTS}
    certain = {pair: own for pair, own in stated.items() if set(pair) <= names.keys() and pair[0] != pair[1]}
    strengths = _strengths(shared, entities) | dict.fromkeys(certain, 1.0)
    kept = set(_strongest(strengths, per_entity))
    found = {pair: list({**shared.get(pair, {}), **certain.get(pair, {})}) for pair in sorted(kept)}
    return RelationGraph(names, found, {pair: strengths[pair] for pair in found})


def _strengths(shared: Mapping[Pair, Mapping[str, None]], entities: Mapping[str, Iterable[str]]) -> dict[Pair, float]:
    counts: dict[str, int] = {}
    for own in entities.values():
        for entity in own:
            counts[entity] = counts.get(entity, 0) + 1
    total = max(len(entities), 2)
    return {pair: _strength(len(own), counts[pair[0]], counts[pair[1]], total) for pair, own in shared.items()}


def _strength(common: int, one: int, other: int, total: int) -> float:
    if common >= total:
        return 0.0
    information = np.log(common * total / (one * other)) / np.log(total / common)
    return float(np.clip(information, 0.0, 1.0)) * common / (common + 1)


def _strongest(strengths: Mapping[Pair, float], per_entity: int) -> Iterator[Pair]:
    """Yield the pairs that are among the strongest of either entity; ties by id."""
    by_entity: dict[str, list[Pair]] = {}
    for pair in strengths:
        for entity in pair:
            by_entity.setdefault(entity, []).append(pair)
    for own in by_entity.values():
        yield from sorted(own, key=lambda pair: (-strengths[pair], pair))[:per_entity]


def _is_named(kind: str, name: str) -> bool:
    return kind not in _UNNAMED and not (kind == "TECHNICAL_TERM" and name[:1].isdigit())


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one <= other else (other, one)
