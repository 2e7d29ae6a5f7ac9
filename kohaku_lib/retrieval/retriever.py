"""Plans → ranked nodes and a packed context, for one question or a batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial

import numpy as np

from kohaku_lib.embedding import embed_queries
from kohaku_lib.errors import StoreError
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval.fusion.rank import FusedRanking, rank_question
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.packing.hierarchy import by_document
from kohaku_lib.retrieval.packing.images import ImageFinder
from kohaku_lib.retrieval.packing.pack import PackedSnippet, pack
from kohaku_lib.retrieval.packing.related import pack_with_related
from kohaku_lib.retrieval.planning.plan_rows import PlanLike, as_plan
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.planning.spelling import IndexWords
from kohaku_lib.retrieval.refine.refine import RefinedRanking, refine
from kohaku_lib.retrieval.refine.refiner import RefinementQuestion, Refiner
from kohaku_lib.retrieval.search.channels import TRACED, Search, search_channels
from kohaku_lib.retrieval.search.prepare import PreparedPlan, SearchRequest, prepare
from kohaku_lib.retrieval.search.results import Clock, SearchResults
from kohaku_lib.retrieval.tracing import trace_result
from kohaku_lib.settings import LexicalSettings, RetrievalSettings, Settings
from kohaku_lib.storage import map_items
from kohaku_lib.tables import ImageMatch, Match, RetrievalResult, Snippet

EmbedQueries = Callable[[Sequence[str]], np.ndarray]
BACKGROUND = 3  # maximum snippets from step-back questions


class Retriever:
    """Searches one snapshot; query vectors are computed once per text and reused at every depth. Thread-safe.

    `embed_queries` maps texts to L2-normalised rows (n, dim). Nodes that `where` excludes are never ranked, nor are
    their words used for spelling correction; a snippet may still expand to the paragraph around its match. `refiner`
    refines a ranking before it is packed; none by default. The trace contains the ranks of the first `explained` nodes.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: RetrievalSettings,
        embed_queries: EmbedQueries,
        lexical: LexicalSettings | None = None,
        where: SearchFilter | None = None,
        refiner: Refiner | None = None,
        explained: int = TRACED,
    ) -> None:
        self.snapshot, self.settings = snapshot, settings
        self.lexical = lexical or LexicalSettings(**snapshot.meta["lexical"])
        self._allowed = snapshot.allowed(where) if where else None
        self._org_id = where.org_id if where else None
        self._refiner, self._explained = refiner or Refiner(), explained
        self._words = IndexWords(snapshot, self.lexical, self._allowed) if settings.spelling else None
        self._finder = ImageFinder(snapshot, self._allowed)
        self._embed_queries = embed_queries
        self._vector_by_query: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    def retrieve(self, plans: Sequence[PlanLike], depth: int | Sequence[int] = 1) -> list[RetrievalResult]:
        """Return one result per plan (or id with texts), in order; all queries are searched in one batch.

        `depth` (one for all, or one per plan) multiplies top_k, top_k_final, top_k_images and context_tokens. A plan
        without non-empty queries has an empty result.

        Raises:
            StoreError: The dimensions of the vectors and the index differ.
            RetrievalError: Every channel fails.
        """
        depths = [depth] * len(plans) if isinstance(depth, int) else list(depth)
        started = time.perf_counter()
        prepared = [
            prepare(as_plan(plan), self.settings, level, self._words) for plan, level in zip(plans, depths, strict=True)
        ]
        prepare_ms = (time.perf_counter() - started) * 1000
        found = self._search([request for one in prepared for _, request in one.requests], prepare_ms)
        return list(map_items(partial(self._retrieval_result, searched=found), prepared, self._refiner.workers))

    def _search(self, requests: Sequence[SearchRequest], prepare_ms: float) -> SearchResults:
        """Return the results of the distinct requests; requests of the same size form one batch."""
        requests = list(dict.fromkeys(requests))
        started = time.perf_counter()
        vectors = dict(zip(requests, self._query_vectors([request.text for request in requests]), strict=True))
        embed_ms = (time.perf_counter() - started) * 1000
        searched = SearchResults({}, {}, {"prepare": prepare_ms, "embed": embed_ms})
        for k in sorted({request.k for request in requests}):
            own = [request for request in requests if request.k == k]
            texts, of_own = [request.text for request in own], np.array([vectors[request] for request in own])
            limits = (self._allowed, self._org_id)
            search = Search(self.snapshot, texts, of_own, k, self.settings, self.lexical, *limits)
            searched.add(own, search_channels(search, [request.channels for request in own]))
        return searched

    def _query_vectors(self, queries: Sequence[str]) -> np.ndarray:
        with self._lock:
            missing = list(dict.fromkeys(query for query in queries if query not in self._vector_by_query))
            if missing:
                self._vector_by_query.update(zip(missing, self._check_dim(self._embed_queries(missing)), strict=True))
            found = [self._vector_by_query[query] for query in queries]
        return np.array(found, np.float32).reshape(len(queries), self.snapshot.meta["dim"])

    def _check_dim(self, vectors: np.ndarray) -> np.ndarray:
        dim = self.snapshot.meta["dim"]
        if vectors.shape[1] != dim:
            msg = (
                f"the index {self.snapshot.version!r} has vectors of {dim} dimensions, the queries have "
                f"{vectors.shape[1]}; set embedding.model and embedding.dim as they were when it was built"
            )
            raise StoreError(msg)
        return vectors

    def _retrieval_result(self, prepared: PreparedPlan, searched: SearchResults) -> RetrievalResult:
        clock = Clock(searched.timings_ms)
        refined = self._refine_ranking(prepared, searched, is_background=False)
        clock.lap("rank")
        of_matches, related, dropped = self._pack_ranking(prepared, refined, has_graph="graph" not in searched.failures)
        packed = [*of_matches, *related]
        background = self._background_snippets(prepared, searched, {item.node.row for item in packed})
        snippets = (
            *self._snippet_rows(background, {}, is_background=True),
            *self._snippet_rows(packed, refined.also_in),
        )
        images = self._find_images(prepared, [item.node.row for item in (*background, *packed)])
        clock.lap("pack")
        trace = trace_result(self.snapshot, prepared, searched, refined, packed, dropped, self._explained)
        if related:
            trace["related"] = self.snapshot.column("node_id", [item.node.row for item in related])
        return RetrievalResult(prepared.plan, self._match_rows(refined.nodes), snippets, images, trace, clock.laps_ms)

    def _pack_ranking(
        self, prepared: PreparedPlan, refined: RefinedRanking, *, has_graph: bool
    ) -> tuple[list[PackedSnippet], list[PackedSnippet], list[int]]:
        """Return the snippets of the matches, those of related paragraphs, and the rows that did not fit."""
        settings, budget = prepared.settings, prepared.settings.context_tokens * prepared.depth
        if not (has_graph and self._refiner.admits_unseen):
            packed, dropped = pack(self.snapshot, refined.expanded, budget, settings.snippet_tokens)
            return packed, [], dropped
        unwanted = {str(dropped["node_id"]) for dropped in refined.dropped}
        limits = self._org_id, self._allowed, unwanted
        return pack_with_related(self.snapshot, refined.expanded, budget, settings, *limits)

    def _refine_ranking(
        self, prepared: PreparedPlan, searched: SearchResults, *, is_background: bool
    ) -> RefinedRanking:
        plan, settings, depth = prepared.plan, prepared.settings, prepared.depth
        requests = prepared.of(is_background=is_background)
        rankings = searched.rankings(prepared, requests)
        weights = [prepared.weight(query) for query, _ in requests]
        ranking = rank_question(self.snapshot, rankings, settings, depth, self._allowed, weights)
        if plan.strategy == "hierarchical":
            ranking = FusedRanking(ranking.nodes, by_document(self.snapshot, ranking.context))
        question = requests[0][0].text if requests else ""
        about = RefinementQuestion(plan.id, question, self._vector_by_query.get(question), depth)
        return refine(self.snapshot, ranking, settings, about, self._refiner)

    def _background_snippets(
        self, prepared: PreparedPlan, searched: SearchResults, present: Set[int]
    ) -> list[PackedSnippet]:
        """Return up to three snippets for the step-back questions that are not already in the context."""
        if not prepared.of(is_background=True):
            return []
        expanded = self._refine_ranking(prepared, searched, is_background=True).expanded
        fresh = [node for node in expanded if node.row not in present][:BACKGROUND]
        longest = prepared.settings.snippet_tokens
        return pack(self.snapshot, fresh, BACKGROUND * longest, longest)[0]

    def _find_images(self, prepared: PreparedPlan, rows: Sequence[int]) -> tuple[ImageMatch, ...]:
        """Return the figures found by search, then those next to the snippets, without duplicates."""
        top_k = prepared.settings.top_k_images * prepared.depth
        found: list[ImageMatch] = []
        if top_k:
            texts = [query.text for query, _ in prepared.of(is_background=False)]
            found = self._finder.search(self._query_vectors(texts), top_k)
        known = {image.storage_key for image in found}
        beside = self._finder.beside(rows) if prepared.settings.with_images else []
        return (*found, *(image for image in beside if image.storage_key not in known))

    def _match_rows(self, nodes: ScoredRows) -> tuple[Match, ...]:
        rows = self.snapshot.search_rows[nodes.rows]
        columns = (self.snapshot.column(name, rows) for name in ("node_id", "document_id", "kind"))
        return tuple(map(Match, *columns, nodes.scores.tolist()))

    def _snippet_rows(
        self, packed: Sequence[PackedSnippet], also_in: Mapping[str, tuple[str, ...]], *, is_background: bool = False
    ) -> list[Snippet]:
        rows, match_rows = [item.node.row for item in packed], [item.node.match_row for item in packed]
        node_ids, document_ids = (self.snapshot.column(name, rows) for name in ("node_id", "document_id"))
        pages = self.snapshot.column("page", match_rows)
        titles = self.snapshot.document_titles
        return [
            Snippet(
                node_id,
                document_id,
                titles.get(document_id, ""),
                page,
                item.text,
                item.node.rank,
                item.node.score,
                is_background,
                also_in.get(node_id, ()),
            )
            for node_id, document_id, page, item in zip(node_ids, document_ids, pages, packed, strict=True)
        ]


def retrieve(question: str, snapshot: Snapshot, settings: Settings | None = None) -> RetrievalResult:
    """Return the ranked nodes and the context for `question`, planned by rule; the id of the result is the question.

    For several questions, create one `Retriever`. `settings` are the built-in defaults if None.
    """
    settings = settings or Settings()
    queries = plan_by_rule(question, settings.planner.max_queries)
    retriever = Retriever(snapshot, settings.retrieval, partial(embed_queries, settings=settings.embedding))
    return retriever.retrieve([(question, queries)])[0]
