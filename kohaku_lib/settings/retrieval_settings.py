"""Settings of retrieval: queries, channels, ranking, context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import (
    RETRY_FACTOR,
    AtOnce,
    AttemptSeconds,
    CallRetries,
    KindName,
    NonNegativeInt,
    PositiveInt,
    ReplyMegabytes,
    RetryBaseSeconds,
    Seconds,
    Section,
    ServerUrl,
    Share,
)


class PlannerSettings(Section):
    """How a question is turned into search queries."""

    kind: Literal["auto", "rule", "chat"] = Field(
        default="auto", description="auto: chat if a chat model answers, else rule"
    )
    max_queries: Annotated[int, Field(ge=1, le=8)] = Field(
        default=2, description="queries per question, the question itself included"
    )
    model: str | None = Field(default=None, description="chat model of the planner; llm.model by default")
    style: Literal["queries", "variations", "channels"] = Field(
        default="queries",
        description="what a chat model plans. queries: one for each aspect of the question; variations: paraphrases of it, "
        "merged by rank; channels: keywords, a sentence, and a weight for each channel",
    )
    hyde: Literal["off", "auto", "always"] = Field(
        default="off",
        description="also search by the embedding of a hypothetical answer (chat only); auto: for questions of less than five "
        "words and if the route requires it",
    )
    step_back: Literal["off", "auto", "always"] = Field(
        default="off",
        description="prepend background found by a more general question (chat only); auto: if the route requires it",
    )
    routing: Literal["off", "rules", "complexity", "dense_only", "hybrid", "fusion", "two_stage", "hierarchical"] = (
        Field(
            default="off",
            description="how the strategy of a search is chosen. off: one for all questions; rules: by the question's intent and "
            "complexity; complexity: by complexity alone, from 5 results of dense search for a simple question to 20 "
            "of every engine with a weight, by several queries, for a complex one. Any other name is that one strategy"
            " for all questions",
        )
    )
    classifier: Literal["rule", "chat"] = Field(
        default="rule",
        description="classifier of planner.routing = 'rules'; chat: a chat model if the rules are not confident",
    )


class RetrievalSettings(Section):
    """How passages are found and ranked, and what goes into the context."""

    top_k: PositiveInt = Field(default=60, description="results per query that enter the context")
    top_k_final: NonNegativeInt | None = Field(
        default=None, description="nodes retained after reranking; none or 0: all"
    )
    paragraph_search_mode: Literal["averaged", "full", "both"] = Field(
        default="averaged", description="which paragraph vectors are searched"
    )
    kinds: Literal["both", "sentence", "paragraph"] = Field(
        default="both", description="kinds of nodes that are searched; of chunks, sentences are the smaller ones"
    )
    candidates: Literal["ranked", "top_k", "top_k_of_all"] = Field(
        default="ranked",
        description="results of a query that are ranked. ranked: at least 100 sentences and 100 paragraphs per channel; top_k:"
        " as many of both kinds together; top_k_of_all: the same, but sections and documents take places among "
        "them in dense search, as in KohakuRAG",
    )
    channel_top_k: Annotated[dict[str, PositiveInt], KindName("channel")] = Field(
        default_factory=dict, description="results per query of single channels, such as {dense = 100, lexical = 50}"
    )
    deduplicate: bool = Field(default=True, description="count a node once; statistics are computed before")
    dedup_first: bool = Field(
        default=False, description="if deduplicate is set: before the statistics, as KohakuRAG did"
    )
    consensus: Annotated[str, KindName("consensus")] = Field(
        default="combined", description="consensus over queries; rrf: by their ranks alone"
    )
    fusion: Annotated[str, KindName("fusion")] = Field(
        default="bounded",
        description="how channels are combined: by ranks, or by scores scaled by the best one found (minmax) "
        "or by the highest possible one (bounded)",
    )
    rrf_k: PositiveInt = Field(default=60, description="rank constant of reciprocal rank fusion")
    rank_lists: Literal["kind", "channel"] = Field(
        default="kind",
        description="ranks that reciprocal rank fusion reads: within each kind of node, or within a whole channel",
    )
    dense_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.35, description="weight of the dense channel; 0 switches it off"
    )
    lexical_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.65, description="weight of the BM25 channel; 0 switches it off"
    )
    graph_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.05, description="weight of the knowledge graph channel; 0 switches it off"
    )
    graph_hops: Annotated[int, Field(ge=0, le=3)] = Field(
        default=1, description="relations that the graph channel follows from the entities of a query"
    )
    raptor_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.0, description="weight of the channel of summaries (raptor.enabled); 0 switches it off"
    )
    lightrag_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.0,
        description="weight of the channel of entities and themes (lightrag.enabled); 0 switches it off",
    )
    late_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.0,
        description="weight of late interaction over what the other channels find (late.enabled); 0 switches it off",
    )
    hop_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=1.0,
        description="weight of the second step of a search: it lifts documents that the question or its best passages name by "
        "title, and passages that share a name with these and hold what they lack. 0 switches it off; it needs the"
        " graph and the BM25 channel",
    )
    related_share: Annotated[float, Field(ge=0.0, le=0.9)] = Field(
        default=0.2,
        description="share of the context reserved for paragraphs that the graph relates to the best ones; "
        "0 reserves none, nor do rerank settings that drop snippets by score",
    )
    graph_server: str | None = Field(
        default=None,
        description="Gremlin server of the relations, such as http://localhost:8182; if it fails, and by default, "
        "those of the snapshot are used",
    )
    graph_server_timeout_s: Seconds = Field(default=30.0, description="time limit of a request to that server")
    title_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.5, description="BM25 weight of a term in the document's title, id or path, in occurrences in the text"
    )
    heading_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=1.0, description="BM25 weight of a term in the headings of the section, in occurrences in the text"
    )
    planned_query_weight: Share = Field(
        default=0.3, description="weight of each further query relative to the question in the consensus"
    )
    evidence_share: Share = Field(
        default=0.4, description="share of a sentence in the evidence for its paragraph; 0 ranks nodes independently"
    )
    document_weight: Share = Field(
        default=0.0,
        description="weight of the BM25 of whole documents relative to that of their nodes; 0 switches it off",
    )
    bm25_top_k: NonNegativeInt = Field(default=4, description="BM25 results appended when fusion is 'append'")
    bm25_order: Literal["round_robin", "query"] = Field(
        default="round_robin",
        description="order of appended results: the next one of each query in turn, or query by query, bm25_top_k of each",
    )
    threshold: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.0, description="minimum cosine of a dense result; the best one is always retained"
    )
    intent_hints: bool = Field(
        default=False,
        description="number of results, diversity (rerank.mmr) and minimum cosine by the question's intent, if "
        "planner.routing has found one",
    )
    rescore: PositiveInt = Field(
        default=4, description="candidates per dense result to rescore exactly, if vectors.* is not exact"
    )
    parent_depth: NonNegativeInt = Field(default=1, description="levels of parents added to a match")
    parent_limit: Literal["paragraph", "section", "document"] = Field(
        default="paragraph", description="highest kind of node that a match is expanded to"
    )
    child_depth: NonNegativeInt = Field(default=0, description="levels of children added to a match")
    snippet_dedup: Literal["none", "node_id", "tree", "tree_in_place"] = Field(
        default="tree",
        description="tree drops every node whose ancestor is present, which takes its best place (tree_in_place: keeps its own)",
    )
    merge_duplicates: bool = Field(
        default=True,
        description="a paragraph with its sentences takes one place in the ranking, and so do near-copies of a passage",
    )
    snippet_tokens: Annotated[int, Field(ge=20, le=2**31 - 1)] = Field(
        default=400,
        description="longest snippet, in estimated tokens; a longer node is cut to a window around its match",
    )
    context_tokens: Annotated[int, Field(ge=50, le=2**31 - 1)] = Field(
        default=6000, description="budget of the context, in estimated tokens"
    )
    spelling: bool = Field(
        default=True, description="also search for a corrected question if the index lacks one of its words"
    )
    statement_words: bool = Field(
        default=True,
        description="also search for the financial statement that a measure in the question is computed from, such as "
        "the balance sheet for a quick ratio",
    )
    with_images: bool = Field(default=False, description="include the captions of figures in the sections of snippets")
    top_k_images: NonNegativeInt = Field(default=0, description="figures to search by vector, per question")
    channel_timeout_s: Seconds = Field(
        default=30.0,
        description="time limit of one channel, for up to 64 queries; a late one is skipped and reported",
    )


class RerankOptions(Section):
    """Sections of single rerankers, by their names: a kind that has settings of its own brings its section along."""


class RerankSettings(Section):
    """A second look at the passages found: rescoring, filtering and reordering; off by default."""

    kind: Annotated[str, KindName("reranker", ("off", "auto"))] = Field(
        default="off",
        description="what scores snippets. served: a server's /rerank; chat: a chat model's yes or no; local: a cross-encoder "
        "on this machine; embedding_similarity: the embedding model, without a download; auto: the first of "
        "served, chat and local that is set up and answers",
    )
    weight: Share | None = Field(
        default=None,
        description="weight of the rerank score against the ranking score; by "
        "default 0.35 for embedding_similarity, else 1",
    )
    top_n: PositiveInt = Field(default=20, description="snippets rescored, judged or reordered per question")
    top_k: PositiveInt | None = Field(
        default=None, description="snippets retained after reranking, filtering and reordering; all by default"
    )
    base_url: ServerUrl | None = Field(default=None, description="server with /rerank, such as http://host:8000/v1")
    served_model: str | None = Field(default=None, min_length=1, description="model of this server")
    api_key_env: str | None = Field(default=None, description="environment variable of its API key; none by default")
    logits: bool = Field(default=False, description="the server's scores are logits rather than in [0, 1]")
    batch_size: PositiveInt = Field(default=64, description="snippets per request, at most")
    call_retries: CallRetries = 2
    retry_base_s: RetryBaseSeconds = 1.0
    timeout_s: AttemptSeconds = 30.0
    max_reply_mb: ReplyMegabytes = 64.0
    chat_model: str | None = Field(
        default=None, description="chat model of the reranker and of verify; llm.model by default"
    )
    local_model: str | None = Field(
        default=None, min_length=1, description="cross-encoder: a folder, or a name on the Hugging Face hub"
    )
    max_concurrent: AtOnce = Field(default=5, description="requests in flight per question, and concurrent questions")
    safety_threshold: Share | None = Field(
        default=None, description="refuse to answer if no rerank score reaches it; 0.6 is usual; none: never"
    )
    denoise_alpha: Share | None = Field(
        default=None, description="drop snippets whose rerank score is below this share of the best; 0.5 is usual"
    )
    score_gap: bool = Field(
        default=False, description="drop rerank scores below 0.75 of the best if the best is at least 0.5"
    )
    conformal: Path | None = Field(
        default=None, description="calibration file; drops scores that are rare among relevant snippets"
    )
    conformal_error: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.1, description="share of relevant snippets that rerank.conformal may drop"
    )
    penalties: dict[Literal["reference", "toc", "footnote", "glossary", "image_credit"], Share] = Field(
        default_factory=dict,
        description="score factors by kind of content, such as {reference = 0.7, toc = 0.5}; ignored if the "
        "question asks for that kind",
    )
    semantic_dedup: Share | None = Field(
        default=None, description="drop a snippet with more than this similarity to a better one; 0.95 is usual"
    )
    verify: Literal["none", "quick", "standard", "thorough"] = Field(
        default="none",
        description="drop irrelevant snippets. quick: by the cosine to the question; standard: by a chat model's grades; "
        "thorough: by grades, with a report of what is missing",
    )
    verify_cosine: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.35, description="minimum cosine to the question for verify = 'quick'"
    )
    verify_grade: Share = Field(default=0.6, description="minimum grade, from 0 to 1, for a chat model's verify")
    mmr: Share | None = Field(
        default=None, description="weight of relevance against novelty in the order of snippets; 0.7 is usual"
    )
    mmr_k: PositiveInt = Field(default=10, description="snippets that rerank.mmr selects before the rest")
    options: RerankOptions = RerankOptions()

    @property
    def retry_factor(self) -> float:
        """How many times longer each further delay between attempts is."""
        return RETRY_FACTOR
