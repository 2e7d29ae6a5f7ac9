"""Plans → ranked nodes and a packed context, for one question or a batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

import numpy as np

from kohaku_lib.embedding import embed_queries, embed_tokens
from kohaku_lib.errors import StoreError
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.parallel import map_items
from kohaku_lib.retrieval.channels.interface import EmbedTokens, Search
from kohaku_lib.retrieval.fusion.interface import TRACED
from kohaku_lib.retrieval.fusion.rank import rank_question
from kohaku_lib.retrieval.hops.follow import follow_hops
from kohaku_lib.retrieval.hops.sources import HopQuestion
from kohaku_lib.retrieval.packing.hierarchy import by_document
from kohaku_lib.retrieval.packing.images import ImageFinder
from kohaku_lib.retrieval.packing.pack import PackedSnippet, pack
from kohaku_lib.retrieval.packing.page_starts import page_starts
from kohaku_lib.retrieval.packing.related import pack_with_related
from kohaku_lib.retrieval.planning.intent_hints import hints_for
from kohaku_lib.retrieval.planning.plan_rows import PlanLike, as_plan
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.planning.spelling import IndexWords
from kohaku_lib.retrieval.refine.dependencies import RefineDependencies, RefinementQuestion
from kohaku_lib.retrieval.refine.one_place import one_place_each
from kohaku_lib.retrieval.refine.refine import RefinedRanking, refine
from kohaku_lib.retrieval.refine.second_stage import reranked_from_more
from kohaku_lib.retrieval.rerank.vector_cache import VectorCache
from kohaku_lib.retrieval.search.prepare import PreparedPlan, SearchRequest, prepare
from kohaku_lib.retrieval.search.results import Clock, SearchResults
from kohaku_lib.retrieval.search.search_channels import search_channels
from kohaku_lib.retrieval.tracing import lift_trace, trace_result
from kohaku_lib.settings import LexicalSettings, RetrievalSettings, Settings
from kohaku_lib.tables import ImageMatch, Match, RetrievalResult, Snippet

EmbedQueries = Callable[[Sequence[str]], np.ndarray]
MOST_VECTORS = 4096  # query vectors kept
BACKGROUND = 3  # maximum snippets from step-back questions


class Retriever:
    """Searches one snapshot; query vectors are reused at every depth, the last 4,096 are kept. Thread-safe.

    `embed_queries` maps texts to L2-normalised rows (n, dim). Nodes that `where` excludes are never ranked, nor are
    their words used for spelling correction; a snippet may still expand to the paragraph around its match. A ranking is
    refined with `refine_dependencies` before it is packed; not at all by default. The trace contains the ranks of the first
    `explained` nodes. Late interaction, if it has any weight, needs `embed_tokens`.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: RetrievalSettings,
        embed_queries: EmbedQueries,
        where: SearchFilter | None = None,
        refine_dependencies: RefineDependencies | None = None,
        explained: int = TRACED,
        embed_tokens: EmbedTokens | None = None,
    ) -> None:
        self.snapshot, self.settings = snapshot, settings
        self.lexical = LexicalSettings(**snapshot.meta["lexical"])
        if settings.kinds != "both" and not (where and where.kinds):
            where = replace(where or SearchFilter(), kinds=(settings.kinds,))
        self._allowed = snapshot.allowed(where) if where else None
        self._org_id = where.org_id if where else None
        self._refine_dependencies, self._explained = refine_dependencies or RefineDependencies(), explained
        self._words = IndexWords(snapshot, self.lexical, self._allowed) if settings.spelling else None
        self._finder = ImageFinder(snapshot, self._allowed)
        self._vectors = VectorCache(lambda texts: self._check_dim(embed_queries(texts)), MOST_VECTORS)
        self._embed_tokens = embed_tokens

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
        prepared_plans = [
            prepare(as_plan(plan), self.settings, level, self._words) for plan, level in zip(plans, depths, strict=True)
        ]
        prepare_ms = (time.perf_counter() - started) * 1000
        search_results = self._search([request for one in prepared_plans for _, request in one.requests], prepare_ms)
        finish = partial(self._retrieval_result, search_results=search_results)
        return list(map_items(finish, prepared_plans, self._refine_dependencies.workers))

    def _search(self, requests: Sequence[SearchRequest], prepare_ms: float) -> SearchResults:
        """Return the results of the distinct requests; requests of the same size form one batch."""
        requests = list(dict.fromkeys(requests))
        started = time.perf_counter()
        vectors = dict(zip(requests, self._query_vectors([request.text for request in requests]), strict=True))
        embed_ms = (time.perf_counter() - started) * 1000
        by_text = {request.text: vector for request, vector in vectors.items()}
        search_results = SearchResults({}, {}, {"prepare": prepare_ms, "embed": embed_ms}, by_text)
        for k in sorted({request.k for request in requests}):
            own = [request for request in requests if request.k == k]
            texts, of_own = [request.text for request in own], np.array([vectors[request] for request in own])
            limits = (self._allowed, self._org_id, self._embed_tokens)
            search = Search(self.snapshot, texts, of_own, k, self.settings, self.lexical, *limits)
            search_results.add(own, search_channels(search, [request.channels for request in own]))
        return search_results

    def _query_vectors(self, queries: Sequence[str]) -> np.ndarray:
        return np.asarray(self._vectors.of(queries), np.float32).reshape(len(queries), self.snapshot.meta["dim"])

    def _check_dim(self, vectors: np.ndarray) -> np.ndarray:
        dim = self.snapshot.meta["dim"]
        if vectors.shape[1] != dim:
            msg = (
                f"the index {self.snapshot.version!r} has vectors of {dim} dimensions, the queries have "
                f"{vectors.shape[1]}; set embedding.model and embedding.dim as they were when it was built"
            )
            raise StoreError(msg)
        return vectors

    def _retrieval_result(self, prepared_plan: PreparedPlan, search_results: SearchResults) -> RetrievalResult:
        clock = Clock(search_results.timings_ms)
        ranking = self._refine_ranking(prepared_plan, search_results, is_background=False)
        clock.lap("rank")
        of_matches, related, dropped = self._pack_ranking(
            prepared_plan, ranking, has_graph="graph" not in search_results.failures
        )
        snippets = [*of_matches, *related]
        background = self._background_snippets(prepared_plan, search_results, {item.node.row for item in snippets})
        all_snippets = (
            *self._make_snippets(background, {}, is_background=True),
            *self._make_snippets(snippets, ranking.also_in),
        )
        images = self._find_images(prepared_plan, [item.node.row for item in (*background, *snippets)])
        clock.lap("pack")
        trace = trace_result(self.snapshot, prepared_plan, search_results, ranking, snippets, dropped, self._explained)
        if related:
            trace["related"] = self.snapshot.column("node_id", [item.node.row for item in related])
        return RetrievalResult(
            prepared_plan.plan, self._make_matches(ranking), all_snippets, images, trace, clock.laps_ms
        )

    def _pack_ranking(
        self, prepared_plan: PreparedPlan, ranking: RefinedRanking, *, has_graph: bool
    ) -> tuple[list[PackedSnippet], list[PackedSnippet], list[int]]:
        """Return the snippets of the matches, those of related paragraphs, and the rows that did not fit."""
        settings, budget = prepared_plan.settings, prepared_plan.settings.context_tokens * prepared_plan.depth
        if not (has_graph and self._refine_dependencies.admits_unseen):
            snippets, dropped = pack(self.snapshot, ranking.expanded, budget, settings.snippet_tokens)
            return snippets, [], dropped
        unwanted = {str(dropped["node_id"]) for dropped in ranking.dropped}
        limits = self._org_id, self._allowed, unwanted
        return pack_with_related(self.snapshot, ranking.expanded, budget, settings, *limits)

    def _refine_ranking(
        self, prepared_plan: PreparedPlan, search_results: SearchResults, *, is_background: bool
    ) -> RefinedRanking:
        plan, settings, depth = prepared_plan.plan, prepared_plan.settings, prepared_plan.depth
        requests = prepared_plan.of(is_background=is_background)
        rankings = search_results.rankings(prepared_plan, requests)
        weights = [prepared_plan.weight(query) for query, _ in requests]
        dependencies = self._dependencies_for(prepared_plan)
        if plan.strategy == "two_stage":
            settings, dependencies = reranked_from_more(settings, dependencies)
        ranking = rank_question(self.snapshot, rankings, settings, depth, self._allowed, weights)
        if requests and {"graph", "lexical"} <= rankings[0].lists.keys():
            start = HopQuestion(requests[0][0].text, self.lexical, self._allowed, self._org_id)
            ranking = follow_hops(self.snapshot, ranking, start, settings)
        if plan.strategy == "hierarchical":
            ranking = replace(ranking, context=by_document(self.snapshot, ranking.context))
        question = requests[0][0].text if requests else ""
        vector = search_results.vectors.get(question)
        if vector is None and question:
            vector = self._query_vectors([question])[0]
        about = RefinementQuestion(plan.id, question, vector, depth)
        refined = refine(self.snapshot, ranking, settings, about, dependencies)
        if settings.merge_duplicates:
            refined = one_place_each(self.snapshot, refined)
        return replace(refined, trace=lift_trace(self.snapshot, ranking) | refined.trace)

    def _dependencies_for(self, prepared_plan: PreparedPlan) -> RefineDependencies:
        """Return what refinement depends on, with the diversity that the intent of the question suggests."""
        hints = hints_for(prepared_plan.plan.intent) if prepared_plan.settings.intent_hints else None
        if hints is None:
            return self._refine_dependencies
        settings = self._refine_dependencies.settings.model_copy(update={"mmr": hints.mmr})
        return replace(self._refine_dependencies, settings=settings)

    def _background_snippets(
        self, prepared_plan: PreparedPlan, search_results: SearchResults, present: Set[int]
    ) -> list[PackedSnippet]:
        """Return up to three snippets for the step-back questions that are not already in the context."""
        if not prepared_plan.of(is_background=True):
            return []
        expanded = self._refine_ranking(prepared_plan, search_results, is_background=True).expanded
        new_nodes = [node for node in expanded if node.row not in present][:BACKGROUND]
        longest = prepared_plan.settings.snippet_tokens
        return pack(self.snapshot, new_nodes, BACKGROUND * longest, longest)[0]

    def _find_images(self, prepared_plan: PreparedPlan, rows: Sequence[int]) -> tuple[ImageMatch, ...]:
        """Return the figures found by search, then those next to the snippets, without duplicates."""
        top_k = prepared_plan.settings.top_k_images * prepared_plan.depth
        images: list[ImageMatch] = []
        if top_k:
            texts = [query.text for query, _ in prepared_plan.of(is_background=False)]
            images = self._finder.search(self._query_vectors(texts), top_k)
        found_keys = {image.storage_key for image in images}
        beside = self._finder.beside(rows) if prepared_plan.settings.with_images else []
        return (*images, *(image for image in beside if image.storage_key not in found_keys))

    def _make_matches(self, ranking: RefinedRanking) -> tuple[Match, ...]:
        rows = self.snapshot.search_rows[ranking.nodes.rows]
        node_ids, document_ids, kinds = (
            self.snapshot.column(name, rows) for name in ("node_id", "document_id", "kind")
        )
        sentences = self.snapshot.search_rows[list(ranking.best_sentences.values())]
        sentence_ids = dict(zip(ranking.best_sentences, self.snapshot.column("node_id", sentences), strict=True))
        best = [sentence_ids.get(row) for row in ranking.nodes.rows.tolist()]
        also_in = [ranking.also_in.get(node_id, ()) for node_id in node_ids]
        return tuple(map(Match, node_ids, document_ids, kinds, ranking.nodes.scores.tolist(), best, also_in))

    def _make_snippets(
        self, snippets: Sequence[PackedSnippet], also_in: Mapping[str, tuple[str, ...]], *, is_background: bool = False
    ) -> list[Snippet]:
        rows, match_rows = [item.node.row for item in snippets], [item.node.match_row for item in snippets]
        node_ids, document_ids = (self.snapshot.column(name, rows) for name in ("node_id", "document_id"))
        pages = self.snapshot.column("page", match_rows)
        titles, paths = self.snapshot.document_titles, self.snapshot.document_paths
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
                heading,
                page_starts(self.snapshot, item.node.row, item.text),
                paths.get(document_id, ""),
            )
            for node_id, document_id, page, heading, item in zip(
                node_ids, document_ids, pages, self.snapshot.headings(match_rows), snippets, strict=True
            )
        ]


def retrieve(question: str, snapshot: Snapshot, settings: Settings | None = None) -> RetrievalResult:
    """Return the ranked nodes and the context for `question`, planned by rule; the id of the result is the question.

    For several questions, create one `Retriever`. `settings` are the built-in defaults if None.
    """
    settings = settings or Settings()
    queries = plan_by_rule(question, settings.planner.max_queries)
    embed = partial(embed_queries, settings=settings.embedding)
    tokens = partial(embed_tokens, settings=settings.embedding)
    retriever = Retriever(snapshot, settings.retrieval, embed, embed_tokens=tokens)
    return retriever.retrieve([(question, queries)])[0]
