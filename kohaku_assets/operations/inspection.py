"""Inspection of the index and the answers: token counts, a map of the vectors, a check of citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kohaku_assets.operations.comparison_sources import open_source
from kohaku_assets.pipeline.project import Project
from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.evaluation.citation_check import Fault, check_answers, check_documents, check_quotes
from kohaku_lib.evaluation.embedding_map import Method, Point, map_points, sample_rows
from kohaku_lib.evaluation.token_counts import TokenCount, TokenCounter, summarise_counts
from kohaku_lib.index import Snapshot, is_of_tenant, tenant_documents, tenant_node, tenant_nodes
from kohaku_lib.project import open_published_index

Kind = Literal["sentence", "paragraph", "section", "document"]
_COLUMNS = ["node_id", "document_id", "kind", "page", "text"]


@dataclass(frozen=True, slots=True)
class TokenReport:
    """Token counts of all sentences, of the sentences by document, and of the contexts of the current answers."""

    tokenizer: str
    corpus: TokenCount
    documents: Mapping[str, TokenCount]
    contexts: TokenCount | None  # None if no question has a context


def count_tokens(project: Project, tokenizer: str | None = None) -> TokenReport:
    """Count the tokens of the published index; `tokenizer` is that of the embedding model by default."""
    snapshot = open_published_index(project.store)
    model = tokenizer or snapshot.meta["model"]
    counter = TokenCounter(model)
    sentences = tenant_nodes(snapshot, project.settings.corpus.org_id, ["document_id", "kind", "text"])
    rows = [row for row in sentences.to_pylist() if row["kind"] == "sentence"]
    counts = counter.counts(row["text"] for row in rows)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row["document_id"], []).append(place)
    documents = {name: summarise_counts(counts[own]) for name, own in places.items()}
    return TokenReport(model, summarise_counts(counts), documents, _context_tokens(project, counter))


def map_nodes(project: Project, kind: Kind, most: int, method: Method, seed: int = 0) -> list[Point]:
    """Project up to `most` nodes of one kind of the published index onto a plane, sampled by document."""
    snapshot = open_published_index(project.store)
    places = snapshot.space_rows("main")["node_row"].to_numpy()
    is_own = is_of_tenant(snapshot, project.settings.corpus.org_id)[places]
    own = np.flatnonzero(is_own & (np.array(snapshot.column("kind", places), dtype=object) == kind))
    if not own.size:
        msg = f"the index {snapshot.version} has no vectors of the kind {kind!r}; choose sentence or paragraph"
        raise KohakuError(msg)
    own = own[sample_rows(snapshot.column("document_id", places[own]), most, seed)]
    nodes = snapshot.nodes.select(_COLUMNS).take(places[own]).to_pylist()
    return map_points(nodes, np.asarray(snapshot.vectors()[own], np.float32), method, seed)


def check_citations(project: Project, answers: str = "now") -> list[Fault]:
    """Return the faults in the citations of the published index's documents and of some answers.

    `answers` is a source as accepted by 'kohaku compare'. Quotes are checked if the source includes predictions.
    """
    snapshot = open_published_index(project.store)
    own = tenant_documents(snapshot, project.settings.corpus.org_id)
    documents = [row for row in own.to_pylist() if row["status"] == "parsed"]
    source = open_source(project, answers)
    predictions: Sequence[dict[str, Any]] = (
        [] if source.tables.predictions is None else source.tables.predictions.to_pylist()
    )
    return [
        *check_documents(documents),
        *check_answers(source.rows, documents),
        *check_quotes(predictions, _cited_texts(project, snapshot, predictions)),
    ]


def _cited_texts(project: Project, snapshot: Snapshot, predictions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the texts of the cited nodes that exist in the index."""
    node_ids = {one["node_id"] for row in predictions for one in row["citations"] if one["quote_found"]}
    nodes = ((name, tenant_node(snapshot, project.settings.corpus.org_id, name)) for name in node_ids)
    return {name: node["text"] for name, node in nodes if node}


def _context_tokens(project: Project, counter: TokenCounter) -> TokenCount | None:
    try:
        contexts = project.present_table("retrieved_context")
    except StoreError:
        return None
    texts = ["\n".join(snippet["text"] for snippet in row) for row in contexts["snippets"].to_pylist()]
    return summarise_counts(counter.counts(texts)) if texts else None
