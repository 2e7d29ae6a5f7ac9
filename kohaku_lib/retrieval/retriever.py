"""Queries → ranked nodes and a packed context."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kohaku_lib.errors import StoreError
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval.channels import QueryRankings, Search, search_channels
from kohaku_lib.retrieval.pack import Packed, pack
from kohaku_lib.retrieval.plan_rows import PlanLike, as_plan
from kohaku_lib.retrieval.prepare import Ask, Prepared, prepare
from kohaku_lib.retrieval.rank import rank_question
from kohaku_lib.retrieval.ranked import Ranked
from kohaku_lib.retrieval.refine import Refined, refine
from kohaku_lib.retrieval.refiner import Asked, Refiner
from kohaku_lib.retrieval.searched import Clock, Searched
from kohaku_lib.settings import LexicalSettings, RetrievalSettings
from kohaku_lib.storage import map_items
from kohaku_lib.tables import Match, RetrievalResult, Snippet

EmbedQueries = Callable[[Sequence[str]], np.ndarray]


class Retriever:
    """Searches one snapshot; query vectors are computed once per text and reused at every depth.

    `embed_queries` maps texts to L2-normalised rows (n, dim). What `where` leaves out is never ranked; a snippet may
    still grow to the paragraph around its match. `refiner` rescores, drops or reorders what is found. Threads may share a
    retriever.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: RetrievalSettings,
        embed_queries: EmbedQueries,
        lexical: LexicalSettings | None = None,
        where: SearchFilter | None = None,
        refiner: Refiner | None = None,
    ) -> None:
        self.snapshot, self.settings = snapshot, settings
        self._allowed = snapshot.allowed(where) if where else None
        self._org_id = where.org_id if where else None
        self.lexical = lexical or LexicalSettings(**snapshot.meta["lexical"])
        self._embed_queries = embed_queries
        self._refiner = refiner or Refiner()
        self._vector_by_query: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    def retrieve(self, plans: Sequence[PlanLike], depth: int | Sequence[int] = 1) -> list[RetrievalResult]:
        """Return one result for each plan, or id with its texts, in order; all queries are searched in one batch.

        `depth` (one for all, or one per plan) multiplies top_k, top_k_final and context_tokens. A plan without queries, or with
        empty ones only, gives an empty result. Raises StoreError where the vectors do not fit the index,
        RetrievalError where every channel fails.
        """
        depths = [depth] * len(plans) if isinstance(depth, int) else list(depth)
        prepared = [prepare(as_plan(plan), self.settings, level) for plan, level in zip(plans, depths, strict=True)]
        found = self._search([ask for one in prepared for _, ask in one.asks])
        return list(map_items(lambda one: self._result(one, found), prepared, self._refiner.workers))

    def _search(self, asks: Sequence[Ask]) -> Searched:
        """Return what each distinct search found; all of the same size are made in one batch."""
        asks = list(dict.fromkeys(asks))
        started = time.perf_counter()
        vectors = dict(zip(asks, self._vectors([ask.text for ask in asks]), strict=True))
        searched = Searched({}, {}, {"embed": (time.perf_counter() - started) * 1000})
        for k in sorted({ask.k for ask in asks}):
            own = [ask for ask in asks if ask.k == k]
            of_own = np.array([vectors[ask] for ask in own])
            texts, limits = [ask.text for ask in own], (self._allowed, self._org_id)
            search = Search(self.snapshot, texts, of_own, k, self.settings, self.lexical, *limits)
            searched.add(own, search_channels(search, [ask.channels for ask in own]))
        return searched

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

    def _result(self, prepared: Prepared, searched: Searched) -> RetrievalResult:
        plan, settings, depth = prepared.plan, prepared.settings, prepared.depth
        rankings = searched.rankings(prepared, prepared.of(is_background=False))
        weights = [prepared.weight(query) for query, _ in prepared.of(is_background=False)]
        clock = Clock(searched.timings_ms)
        ranking = rank_question(self.snapshot, rankings, settings, depth, self._allowed, weights)
        clock.lap("rank")
        question = plan.texts[0] if plan.queries else ""
        asked = Asked(plan.id, question, self._vector_by_query.get(question), depth)
        refined = refine(self.snapshot, ranking, settings, asked, self._refiner)
        clock.lap("refine")
        budget, longest = settings.context_tokens * depth, settings.snippet_tokens
        packed, dropped = pack(self.snapshot, refined.grown, budget, longest)
        clock.lap("pack")
        matches = self._matches(refined.nodes)
        trace = self._trace(refined, rankings, depth, packed, dropped) | searched.trace()
        return RetrievalResult(plan, matches, self._snippets(packed), (), trace, clock.laps_ms)

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
