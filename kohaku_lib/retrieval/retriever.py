"""Queries → ranked nodes and a packed context."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kohaku_lib.errors import StoreError
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval.channels import QueryRankings, Search, search_channels
from kohaku_lib.retrieval.pack import Packed, pack
from kohaku_lib.retrieval.rank import rank_question
from kohaku_lib.retrieval.ranked import Ranked
from kohaku_lib.retrieval.refine import Asked, Refined, refine
from kohaku_lib.settings import LexicalSettings, RetrievalSettings
from kohaku_lib.tables import Match, RetrievalResult, Snippet

EmbedQueries = Callable[[Sequence[str]], np.ndarray]
# Results per query, channel and kind that are ranked, however few enter the context. The scale of a score depends on
# it, so it stays the same while it can: a deeper attempt then extends the context and does not reorder it.
LEAST_RANKED = 100


class Retriever:
    """Searches one snapshot; query vectors are computed once per text and reused at every depth.

    `embed_queries` maps texts to L2-normalised rows (n, dim). What `where` leaves out is never ranked; a snippet may
    still grow to the paragraph around its match. Threads may share a retriever.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: RetrievalSettings,
        embed_queries: EmbedQueries,
        lexical: LexicalSettings | None = None,
        where: SearchFilter | None = None,
    ) -> None:
        self.snapshot, self.settings = snapshot, settings
        self._allowed = snapshot.allowed(where) if where else None
        self.lexical = lexical or LexicalSettings(**snapshot.meta["lexical"])
        self._embed_queries = embed_queries
        self._vector_by_query: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    def retrieve(
        self, plans: Sequence[tuple[str, Sequence[str]]], depth: int | Sequence[int] = 1
    ) -> list[RetrievalResult]:
        """Return one result for each plan (id, queries), in order; all queries are searched in one batch.

        `depth` (one for all, or one per plan) multiplies top_k, top_k_final and context_tokens. A plan without queries, or with
        empty ones only, gives an empty result. Raises StoreError where the vectors do not fit the index.
        """
        depths = [depth] * len(plans) if isinstance(depth, int) else list(depth)
        queries = list(dict.fromkeys(query for _, texts in plans for query in texts if query.strip()))
        # Sentences and paragraphs are ranked apart, so k of each give at least 2k nodes.
        k = max(self.settings.top_k * max(depths, default=1) // 2 + 1, LEAST_RANKED)
        vectors = self._vectors(queries)
        search = Search(self.snapshot, queries, vectors, k, self.settings, self.lexical, self._allowed)
        found = search_channels(search)
        by_query = dict(zip(queries, found, strict=True))
        return [
            self._result(plan_id, texts, by_query, level) for (plan_id, texts), level in zip(plans, depths, strict=True)
        ]

    def _vectors(self, queries: Sequence[str]) -> np.ndarray:
        with self._lock:
            missing = [query for query in queries if query not in self._vector_by_query]
            if missing:
                self._vector_by_query.update(zip(missing, self._checked(self._embed_queries(missing)), strict=True))
            found = [self._vector_by_query[query] for query in queries]
        return np.array(found, np.float32).reshape(len(queries), self.snapshot.meta["dim"])

    def _checked(self, vectors: np.ndarray) -> np.ndarray:
        dim = self.snapshot.meta["dim"]
        if vectors.shape[1] != dim:
            msg = (
                f"the index {self.snapshot.version!r} has vectors of {dim} dimensions, the queries have "
                f"{vectors.shape[1]}; set embedding.model and embedding.dim as they were when it was built"
            )
            raise StoreError(msg)
        return vectors

    def _result(
        self, plan_id: str, queries: Sequence[str], by_query: Mapping[str, QueryRankings], depth: int
    ) -> RetrievalResult:
        rankings = [by_query[query] for query in queries if query in by_query]
        ranking = rank_question(self.snapshot, rankings, self.settings, depth, self._allowed)
        question = queries[0] if queries else ""
        asked = Asked(plan_id, question, self._vector_by_query.get(question), depth)
        refined = refine(self.snapshot, ranking, self.settings, asked)
        budget, longest = self.settings.context_tokens * depth, self.settings.snippet_tokens
        packed, dropped = pack(self.snapshot, refined.grown, budget, longest)
        matches = self._matches(refined.nodes)
        trace = self._trace(refined, rankings, depth, packed, dropped)
        return RetrievalResult(plan_id, tuple(queries), matches, self._snippets(packed), trace)

    def _matches(self, nodes: Ranked) -> tuple[Match, ...]:
        rows = self.snapshot.search_rows[nodes.rows]
        columns = (self.snapshot.column(name, rows) for name in ("node_id", "document_id", "kind"))
        return tuple(map(Match, *columns, nodes.scores.tolist()))

    def _snippets(self, packed: Sequence[Packed]) -> tuple[Snippet, ...]:
        rows, match_rows = [item.node.row for item in packed], [item.node.match_row for item in packed]
        node_ids, document_ids = (self.snapshot.column(name, rows) for name in ("node_id", "document_id"))
        pages = self.snapshot.column("page", match_rows)
        titles = self.snapshot.document_titles
        return tuple(
            Snippet(node_id, document_id, titles.get(document_id, ""), page, item.text, item.node.rank, item.node.score)
            for node_id, document_id, page, item in zip(node_ids, document_ids, pages, packed, strict=True)
        )

    def _trace(
        self,
        refined: Refined,
        rankings: Sequence[QueryRankings],
        depth: int,
        packed: Sequence[Packed],
        dropped: list[int],
    ) -> dict[str, Any]:
        unpacked = self.snapshot.column("node_id", dropped)
        return {
            "depth": depth,
            "index_version": self.snapshot.version,
            "channels": [rank.trace(self.snapshot) for rank in rankings],
            "tokens": sum(item.tokens for item in packed),
            "dropped": [*refined.dropped, *({"node_id": node, "why": "budget"} for node in unpacked)],
            **refined.trace,
        }
