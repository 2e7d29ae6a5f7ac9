"""Extraction of entity mentions from the leaves and titles of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from kohaku_lib.index.graph.entities import Entity, entity_of
from kohaku_lib.index.graph.links import LinkedMention
from kohaku_lib.index.graph.names import DocumentNames
from kohaku_lib.index.graph.relation_words import with_links
from kohaku_lib.settings import GraphSettings
from kohaku_lib.storage import StagePart
from kohaku_lib.tables import MENTIONS, StageReport, empty_table

GRAPH_COLUMNS = ("node_id", "org_id", "document_id", "title", "text", "parent_row", "searchable", "content_type")


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The result of an extractor, by the row of each leaf in its input table."""

    by_row: Mapping[int, Sequence[LinkedMention]] = field(default_factory=dict)
    reused: int = 0
    problems: tuple[str, ...] = ()
    incomplete: str | None = None


class Extractor(Protocol):
    """A source of mentions in addition to the rules."""

    def extract(self, nodes: pa.Table, leaves: Sequence[int]) -> ExtractionResult:
        """Return the mentions and relations of the leaves at these rows of `nodes`."""
        ...


def extract_mentions(
    nodes: pa.Table, settings: GraphSettings, extractor: Extractor | None = None
) -> tuple[pa.Table, StageReport]:
    """Return the mentions (MENTIONS) of the searchable leaves of `nodes`, in their order; empty if disabled.

    Rules find acronyms and their definitions, runs of Title Case, names of models such as GPT-3, figures with units, dates,
    money and percentages, type each name by all that its document says of it, and find the relations that the words between
    two names state; `extractor` adds its own. A document's title is a mention in the document's node if its text starts with
    it. Entities are equal if tenant, type and canonical name agree, the type being that which the name tells by itself;
    `name` is the first spelling. Bibliographies are skipped. `rows_computed` counts the leaves that were read.
    """
    if not settings.enabled or not nodes.num_rows:
        return empty_table(MENTIONS), StageReport(0)
    leaves = np.flatnonzero(_is_leaf(nodes)).tolist()
    extracted = extractor.extract(nodes, leaves) if extractor is not None else ExtractionResult()
    table = _MentionColumns(nodes)
    for found in _mentions_by_node(nodes, leaves, extracted.by_row):
        table.add(*found)
    metrics = {"entities": float(len(table.names)), "mentions": float(len(table.columns["node_id"]))}
    report = StageReport(
        len(leaves) - extracted.reused, extracted.reused, extracted.problems, metrics, extracted.incomplete
    )
    return pa.table(table.columns, schema=MENTIONS), report


def with_first_names(parts: Iterable[StagePart]) -> Iterator[StagePart]:
    """Unify entity names over separately extracted `parts` (MENTIONS), and report their metrics as a whole."""
    names: dict[str, str] = {}
    mentions = 0
    for part in parts:
        ids, spans = (part.table[column].to_pylist() for column in ("entity_id", "name"))
        found = pa.array([names.setdefault(*pair) for pair in zip(ids, spans, strict=True)], pa.string())
        at = MENTIONS.get_field_index("name")
        table = part.table.set_column(at, MENTIONS.field(at), found)
        mentions += table.num_rows
        yield StagePart(table, replace(part.report, metrics={}), part.pieces)
    metrics = {"entities": float(len(names)), "mentions": float(mentions)}
    yield StagePart(empty_table(MENTIONS), StageReport(0, metrics=metrics))


def _mentions_by_node(
    nodes: pa.Table, leaves: Sequence[int], extracted: Mapping[int, Sequence[LinkedMention]]
) -> Iterator[tuple[int, LinkedMention]]:
    """Yield the row of a node with each of its mentions, in the order of the nodes."""
    roots = np.flatnonzero(nodes["parent_row"].to_numpy() < 0).tolist()
    ends = np.searchsorted(leaves, [*roots[1:], nodes.num_rows]).tolist()
    start = 0
    for root, end in zip(roots, ends, strict=True):
        rows, start = leaves[start:end], end
        title, own = nodes["title"][root].as_py(), nodes["text"][root].as_py()
        texts = nodes["text"].take(pa.array(rows, pa.int64())).to_pylist()
        names = DocumentNames(title, texts)
        name = names.of_title() if names.title and own.startswith(names.title) else None
        if name is not None:
            yield root, LinkedMention(name)
        for row, text in zip(rows, texts, strict=True):
            named = names.mentions(text)
            by_model = extracted.get(row, ())
            by_rule = list(map(LinkedMention, named)) if by_model else with_links(text, named, name)
            yield from ((row, found) for found in _merge_mentions(by_rule, by_model))


def _merge_mentions(by_rule: Sequence[LinkedMention], extracted: Sequence[LinkedMention]) -> list[LinkedMention]:
    """Merge both from left to right; mentions by the extractor replace overlapping ones by rules."""
    free = [
        found
        for found in by_rule
        if all(
            found.named.mention.end <= other.named.mention.start or other.named.mention.end <= found.named.mention.start
            for other in extracted
        )
    ]
    return sorted([*free, *extracted], key=lambda found: found.named.mention.start)


class _MentionColumns:
    """Builder of the columns of MENTIONS."""

    def __init__(self, nodes: pa.Table) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in MENTIONS.names}
        self.names: dict[str, str] = {}
        self._entities: dict[tuple[str, str, str, str | None], Entity] = {}
        self._ids, self._orgs, self._documents = (
            nodes[name].to_pylist() for name in ("node_id", "org_id", "document_id")
        )

    def add(self, row: int, found: LinkedMention) -> None:
        mention, org_id = found.named.mention, self._orgs[row]
        entity = self._entity(org_id, mention.entity_type, found.named.name, found.named.own_type)
        links = [
            {
                "target_id": self._entity(org_id, link.entity_type, link.name, link.own_type).entity_id,
                "relation_type": link.relation_type,
                "confidence": link.confidence,
            }
            for link in found.links
        ]
        name = self.names.setdefault(entity.entity_id, entity.name)
        identity = (entity.entity_id, entity.entity_type, name, entity.canonical_name)
        place = (mention.text, mention.start, mention.end, mention.confidence)
        values = (*identity, self._ids[row], self._documents[row], *place, links)
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)

    def _entity(self, org_id: str, entity_type: str, name: str, own_type: str | None) -> Entity:
        key = (org_id, entity_type, name, own_type)
        if key not in self._entities:
            self._entities[key] = entity_of(*key)
        return self._entities[key]


def _is_leaf(nodes: pa.Table) -> np.ndarray:
    parents = nodes["parent_row"].to_numpy()
    leaf = nodes["searchable"].to_numpy().copy()
    leaf[parents[parents >= 0]] = False
    return leaf & (np.array(nodes["content_type"].to_pylist(), dtype=object) != "reference")
