"""Settings of retrieval: queries, channels, ranking, context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.kinds import CONSENSUS, FUSIONS, RERANKERS
from kohaku_lib.settings.section import (
    AtOnce,
    NonNegativeFloat,
    NonNegativeInt,
    OneOf,
    PositiveFloat,
    PositiveInt,
    Seconds,
    Section,
    ServerUrl,
    Share,
)


class PlannerSettings(Section):
    """How a question becomes search queries."""

    kind: Literal["auto", "rule", "chat"] = Field(
        default="auto", description="auto: chat where llm.provider is a chat model, else rule"
    )
    max_queries: Annotated[int, Field(ge=1, le=8)] = Field(
        default=2, description="queries per question, the question itself included"
    )
    model: str | None = Field(default=None, description="chat model of the planner; llm.model by default")
    style: Literal["queries", "variations", "channels"] = Field(
        default="queries",
        description="what a chat model is asked for: queries that stress one thing each; the question in other words, "
        "joined by rank; or key words, a sentence and weights for each channel",
    )
    hyde: Literal["off", "auto", "always"] = Field(
        default="off",
        description="search by the meaning of a made-up answer, too (chat only); auto: for questions of less than five "
        "words and where the route asks for it",
    )
    step_back: Literal["off", "auto", "always"] = Field(
        default="off",
        description="put background found by a more general question first (chat only); auto: where the route asks for it",
    )
    routing: Literal["off", "rules", "dense_only", "hybrid", "fusion", "two_stage", "hierarchical"] = Field(
        default="off", description="strategy of each question: by its intent and complexity (rules), or always this one"
    )
    classifier: Literal["rule", "chat"] = Field(
        default="rule",
        description="who sorts questions for planner.routing = 'rules'; chat: a chat model, where the rules are unsure",
    )


class RetrievalSettings(Section):
    """How queries become ranked nodes and a context."""

    top_k: PositiveInt = Field(default=60, description="results per query that enter the context")
    top_k_final: NonNegativeInt | None = Field(
        default=None, description="nodes kept after reranking; none or 0 keeps all"
    )
    paragraph_search_mode: Literal["averaged", "full", "both"] = Field(
        default="averaged", description="which paragraph vectors are searched"
    )
    deduplicate: bool = Field(default=True, description="a node counts once; statistics are taken before")
    dedup_first: bool = Field(default=False, description="deduplicate before the statistics, as KohakuRAG did")
    rerank: Annotated[str, OneOf(CONSENSUS)] = Field(
        default="combined", description="consensus over queries; rrf: by their ranks alone"
    )
    fusion: Annotated[str, OneOf(FUSIONS)] = Field(
        default="bounded",
        description="how the channels are joined: by ranks, or by scores that are scaled by the best one found (minmax) "
        "or by the best one possible (bounded)",
    )
    rrf_k: PositiveInt = Field(default=60, description="rank constant of reciprocal rank fusion")
    dense_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.35, description="weight of the dense channel; 0 switches it off"
    )
    lexical_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.65, description="weight of the BM25 channel; 0 switches it off"
    )
    graph_weight: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.1, description="weight of the channel of entities and relations; 0 switches it off"
    )
    graph_hops: Annotated[int, Field(ge=0, le=3)] = Field(
        default=1, description="relations that the graph channel follows from the entities of a query"
    )
    related_share: Annotated[float, Field(ge=0.0, le=0.9)] = Field(
        default=0.2,
        description="share of the context that is kept for paragraphs about what the graph relates to its best ones; "
        "0 keeps none, and so do rerank settings that drop snippets by their scores",
    )
    graph_server: str | None = Field(
        default=None,
        description="Gremlin server that holds the relations, as http://localhost:8182; where it fails, and by default, "
        "those of the snapshot are followed",
    )
    graph_server_timeout_s: Seconds = Field(default=30.0, description="longest wait for one answer of that server")
    title_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.5, description="occurrences in a text that a word in its document's title or id counts as in BM25"
    )
    planned_query_weight: Share = Field(
        default=0.3, description="weight of each further query beside the question itself in the consensus"
    )
    evidence_share: Share = Field(
        default=0.4, description="share of a sentence in the evidence for its paragraph; 0 ranks each node by itself"
    )
    document_weight: Share = Field(
        default=0.0, description="weight of the BM25 of whole documents beside that of their nodes; 0 leaves it out"
    )
    bm25_top_k: NonNegativeInt = Field(default=4, description="BM25 results appended when fusion is 'append'")
    threshold: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.0, description="least cosine of a dense result; the best one always stays"
    )
    rescore: PositiveInt = Field(
        default=4, description="candidates per dense result that are scored exactly, where vectors.* is not exact"
    )
    parent_depth: NonNegativeInt = Field(default=1, description="levels of parents added to a match")
    parent_limit: Literal["paragraph", "section", "document"] = Field(
        default="paragraph", description="highest kind of node that a match grows to"
    )
    child_depth: NonNegativeInt = Field(default=0, description="levels of children added to a match")
    snippet_dedup: Literal["none", "node_id", "tree"] = Field(
        default="tree", description="tree drops every node whose ancestor is present"
    )
    snippet_tokens: Annotated[int, Field(ge=20, le=2**31 - 1)] = Field(
        default=400, description="longest snippet, in estimated tokens; a longer node becomes a window on its match"
    )
    context_tokens: Annotated[int, Field(ge=50, le=2**31 - 1)] = Field(
        default=6000, description="budget of the context, in estimated tokens"
    )
    spelling: bool = Field(
        default=True, description="search for a corrected question, too, where the index lacks one of its words"
    )
    with_images: bool = Field(default=False, description="give the captions of figures in the sections of snippets")
    top_k_images: NonNegativeInt = Field(default=0, description="figures searched for by their vectors, per question")
    channel_timeout_s: Seconds = Field(
        default=30.0,
        description="longest search of one channel, for up to 64 queries; a late one is left out and named",
    )


class RerankSettings(Section):
    """What rescores, drops or reorders the snippets of a ranking before they are packed; all of it off by default."""

    kind: Annotated[str, OneOf(RERANKERS, ("off", "auto"))] = Field(
        default="off",
        description="who says how well a snippet fits the question: a server's /rerank, a chat model's yes or no, a "
        "cross-encoder here; auto: the first of these that is set up and answers; embedding_similarity: the "
        "embedding model, with nothing to download",
    )
    weight: Share | None = Field(
        default=None,
        description="share of a rerank score in the order of snippets, the rest being their score in the ranking; by "
        "default 0.35 for embedding_similarity, else 1",
    )
    top_n: PositiveInt = Field(default=20, description="snippets rescored, judged or reordered per question")
    base_url: ServerUrl | None = Field(
        default=None, description="server whose /rerank is asked, as http://host:8000/v1"
    )
    served_model: str | None = Field(default=None, min_length=1, description="model that this server is asked for")
    api_key_env: str | None = Field(
        default=None, description="environment variable of its key; none is sent by default"
    )
    logits: bool = Field(default=False, description="the server's scores are logits, not between 0 and 1")
    request_texts: PositiveInt = Field(default=64, description="snippets per request, at most")
    call_retries: NonNegativeInt = Field(
        default=2, description="further attempts after 429, 5xx, a dropped connection or a broken reply"
    )
    retry_base_s: NonNegativeFloat = Field(default=1.0, description="first delay between attempts; doubles each time")
    timeout_s: Seconds = Field(
        default=30.0, description="longest attempt, from connecting to the last byte of the reply"
    )
    max_reply_mb: PositiveFloat = Field(
        default=64.0, description="largest reply, decompressed; a larger one is refused"
    )
    chat_model: str | None = Field(
        default=None, description="chat model that judges, also for verify; llm.model by default"
    )
    local_model: str | None = Field(
        default=None, min_length=1, description="cross-encoder: a folder, or a name on the Hugging Face hub"
    )
    max_concurrent: AtOnce = Field(default=5, description="requests in flight per question, and questions at once")
    safety_threshold: Share | None = Field(
        default=None, description="refuse where no rerank score reaches it; 0.6 is usual; none never refuses"
    )
    denoise_alpha: Share | None = Field(
        default=None, description="drop snippets whose rerank score is below this share of the best; 0.5 is usual"
    )
    score_gap: bool = Field(
        default=False, description="drop rerank scores below 0.75 of the best, where the best is at least 0.5"
    )
    conformal: Path | None = Field(
        default=None, description="calibration file; drops what a relevant snippet would seldom score"
    )
    conformal_error: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.1, description="share of relevant snippets that rerank.conformal may drop"
    )
    penalties: dict[Literal["reference", "toc", "footnote", "glossary", "image_credit"], Share] = Field(
        default_factory=dict,
        description="factor on the scores of a kind of content, as {reference = 0.7, toc = 0.5}; lifted where the "
        "question asks for that kind",
    )
    semantic_dedup: Share | None = Field(
        default=None, description="drop a snippet more similar than this to a better one; 0.95 is usual"
    )
    verify: Literal["none", "quick", "standard", "thorough"] = Field(
        default="none",
        description="drop snippets that do not help: by cosine (quick), by a chat model's grades (standard), which "
        "also says what is missing (thorough)",
    )
    verify_cosine: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.35, description="least cosine to the question that passes verify = 'quick'"
    )
    verify_grade: Share = Field(default=0.6, description="least grade, from 0 to 1, that passes a chat model's verify")
    mmr: Share | None = Field(
        default=None, description="weight of relevance against novelty in the order of snippets; 0.7 is usual"
    )
    mmr_k: PositiveInt = Field(default=10, description="snippets that rerank.mmr picks before the rest follow")
