"""Every setting, one frozen model per stage; what each means, what it may be, and its measured default."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

PositiveInt = Annotated[int, Field(ge=1)]
NonNegativeInt = Annotated[int, Field(ge=0)]
NonNegativeFloat = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Section(BaseModel):
    """A frozen group of settings in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CorpusSettings(Section):
    """Where the material lies. The content behind a path changes results, the path does not."""

    documents: Path | None = Field(default=None, description="folder of documents, read recursively")
    metadata: Path | None = Field(default=None, description="CSV with id, type, title, year, citation, url")
    questions: Path | None = Field(default=None, description="CSV with id and question; truth in answer_value")
    org_id: str = Field(default="default", min_length=1, description="tenant that the documents belong to")
    use_citations: bool = Field(
        default=False, description="index rows of the metadata that have no file by their citation, else title, else id"
    )


class DocumentsSettings(Section):
    """How files become document payloads."""

    parser: Literal["auto", "blocks", "layout"] = Field(
        default="auto",
        description="PDF pages by lines and rules (blocks), also by PyMuPDF's layout model (layout: far slower), "
        "or so only where tables look wrong (auto)",
    )
    sections: Literal["headings", "pages"] = Field(
        default="headings", description="sections from headings, or one per page"
    )
    ocr: Literal["auto", "off", "rapidocr", "tesseract"] = Field(
        default="auto",
        description="reads images and pages without usable text; auto: rapidocr ([ocr] extra), else tesseract, else off",
    )
    ocr_language: str = Field(default="eng", pattern=r"^\w+(\+\w+)*$", description="tesseract's, as 'eng' or 'deu+fra'")
    ocr_dpi: Annotated[int, Field(ge=50, le=600)] = Field(default=300, description="resolution at which pages are read")
    ocr_confidence: Share = Field(default=0.6, description="what reads with less is read again, larger, then marked")
    ocr_retries: Annotated[int, Field(ge=0, le=2)] = Field(
        default=2, description="further readings of a doubtful image"
    )
    tiling: Literal["auto", "always", "off"] = Field(
        default="auto",
        description="read images over the threshold in overlapping tiles; auto: where their text is small",
    )
    tile_threshold: PositiveInt = Field(default=2048, description="side, in pixels, over which an image is tiled")
    tile_size: Annotated[int, Field(ge=64)] = Field(default=1024, description="side of a tile, in pixels")
    tile_overlap: NonNegativeInt = Field(default=128, description="pixels that neighbouring tiles share")
    max_tiles: PositiveInt = Field(default=16, description="tiles per image; beyond, they grow")
    merge_strategy: Literal["fuzzy", "concat", "vote"] = Field(
        default="fuzzy", description="lines of two tiles: keep the first, keep all, or keep the more confident tile's"
    )
    fuzzy_ratio: Share = Field(default=0.8, description="similarity from which two lines count as one")
    min_image_size: NonNegativeInt = Field(default=50, description="images with a shorter side, in pixels, are ignored")
    time_limit_s: Annotated[float, Field(gt=0)] = Field(
        default=120.0, description="seconds that parsing one file may take"
    )
    memory_limit_mb: Annotated[int, Field(ge=256)] = Field(
        default=4096, description="memory that parsing one file may take, in MiB; three times that with OCR"
    )


class ImagesSettings(Section):
    """How figures are stored and described."""

    max_side_px: PositiveInt = Field(
        default=1024, description="longer side of a stored image, in pixels; never enlarged"
    )
    quality: Annotated[int, Field(ge=1, le=100)] = Field(default=95, description="WebP quality")
    captions: Literal["page", "vision"] = Field(
        default="page",
        description="page: what is printed beside and within a figure; vision: also a model's description",
    )
    caption_model: str | None = Field(default=None, description="vision model of the captions; llm.model by default")
    caption_max_tokens: PositiveInt = Field(default=300, description="longest description, in tokens")
    caption_concurrent: PositiveInt = Field(default=5, description="descriptions asked for at once")


class TreeSettings(Section):
    """How payloads become nodes."""

    view: Literal["hierarchy", "parent_child"] = Field(
        default="hierarchy",
        description="hierarchy: paragraphs and sentences as written; parent_child: chunks of about equal size, cut into "
        "chunks that overlap",
    )
    parent_tokens: PositiveInt = Field(default=1000, description="longest parent chunk, in estimated tokens")
    child_tokens: PositiveInt = Field(default=200, description="longest child chunk, in estimated tokens")
    child_overlap_tokens: NonNegativeInt = Field(
        default=50, description="what neighbouring child chunks share at most, in estimated tokens"
    )
    resegment: bool = Field(
        default=True, description="rebuild paragraphs and sentences where a paragraph is a whole page"
    )
    sentence_splitter: Literal["guarded", "regex"] = Field(
        default="guarded", description="guarded survives 'et al.', 'Fig. 3'"
    )
    min_sentence_chars: NonNegativeInt = Field(
        default=20, description="shorter pieces join their neighbour (guarded only)"
    )
    id_base: Literal[0, 1] = Field(default=1, description="number of the first section, paragraph and sentence")
    id_scope: Literal["parent", "document"] = Field(
        default="parent", description="counters start anew per parent or per document"
    )


class EmbeddingSettings(Section):
    """How texts become vectors."""

    model: str = Field(
        default="minilm",
        min_length=1,
        description="'minilm' (bundled), a name on the Hugging Face hub, a folder, or 'openai:NAME' for a model on a "
        "server of that protocol",
    )
    revision: str | None = Field(
        default=None,
        min_length=1,
        description="branch, tag or commit of a model on the hub; its main branch by default",
    )
    trust_remote_code: bool = Field(
        default=False, description="let a model run Python code of its own; the Jina models v3 and v4 may in any case"
    )
    dim: PositiveInt | None = Field(default=None, description="leading dimensions kept (Matryoshka); all by default")
    task: str = Field(
        default="retrieval",
        min_length=1,
        description="task whose prompts or adapter the model applies, where it has any",
    )
    long_texts: Literal["truncate", "window"] = Field(
        default="truncate",
        description="texts longer than the model reads: their beginning, or the mean of overlapping windows",
    )
    images: Literal["captions", "direct"] = Field(
        default="captions",
        description="image vectors: of the captions, or of the images, by a model that has both in one space",
    )
    paragraph_mode: Literal["averaged", "full", "both"] = Field(
        default="averaged", description="paragraph vectors: from sentences, direct, or both"
    )
    weighting: Literal["none", "chars", "tokens"] = Field(
        default="none", description="weight of a child in its parent's mean"
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(default="auto", description="where the model runs")
    backend: Literal["auto", "openvino", "torch"] = Field(
        default="auto", description="auto: OpenVINO on a CPU where it takes the model, else sentence-transformers"
    )
    base_url: str | None = Field(default=None, description="server of 'openai:NAME'; OpenAI's by default")
    api_key_env: str | None = Field(
        default=None, description="environment variable that holds the server's key; OPENAI_API_KEY by default"
    )
    server_dimensions: PositiveInt | None = Field(
        default=None, description="dimensions asked of the server, where the model has a choice; all by default"
    )
    input_tokens: PositiveInt = Field(
        default=8191, description="longest text sent to a server, in tokens of an estimated 4 bytes"
    )
    request_texts: Annotated[int, Field(ge=1, le=2048)] = Field(default=256, description="texts per request, at most")
    request_tokens: PositiveInt = Field(default=100_000, description="estimated tokens per request, at most")
    max_concurrent: PositiveInt = Field(default=4, description="requests in flight")
    call_retries: NonNegativeInt = Field(
        default=5, description="further attempts after 429, 5xx, a dropped connection or a broken reply"
    )
    retry_base_s: NonNegativeFloat = Field(default=3.0, description="first delay between attempts; doubles each time")
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=120.0, description="per attempt")
    usd_per_million_tokens: NonNegativeFloat | None = Field(
        default=None, description="price of the served model; its cost is unknown by default"
    )


class VectorsSettings(Section):
    """How vectors are stored and searched."""

    precision: Literal["float32", "float16", "int8"] = Field(
        default="float32", description="of the copy that is scanned; below float32 the best are scored again exactly"
    )
    ann: Literal["off", "usearch", "vss"] = Field(
        default="off",
        description="approximate search for millions of vectors ([ann] extra, or DuckDB's vss if installed); filters scan all",
    )


class LexicalSettings(Section):
    """How BM25 sees a text."""

    k1: NonNegativeFloat = Field(default=0.9, description="BM25 term saturation")
    b: Share = Field(default=0.4, description="BM25 length normalisation")
    stemmer: str = Field(default="english", description="Snowball language, or 'none'")


class GraphSettings(Section):
    """The knowledge graph of entities and mentions."""

    enabled: bool = Field(default=True, description="find entities, their mentions and relations")
    extractor: Literal["rule", "auto", "chat"] = Field(
        default="rule",
        description="chat: a model also reads every paragraph, a call each; auto: where llm.provider is a chat model",
    )
    model: str | None = Field(default=None, min_length=1, description="chat model that reads; llm.model by default")
    relation_types: tuple[str, ...] = Field(
        default=(
            "OWNS",
            "EMPLOYS",
            "LOCATED_IN",
            "PART_OF",
            "REFERENCES",
            "DEPENDS_ON",
            "CREATED_BY",
            "DATED",
            "VALUED_AT",
            "REGULATES",
            "IMPLEMENTS",
            "SUPERSEDES",
            "RELATED_TO",
        ),
        min_length=1,
        description="predicates that the model may use; any other becomes RELATED_TO",
    )
    max_tokens: PositiveInt = Field(default=2048, description="longest reply about a paragraph, in tokens")
    max_concurrent: PositiveInt = Field(default=5, description="paragraphs read at once")


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
    rerank: Literal["frequency", "score", "combined", "rrf", "none"] = Field(
        default="combined", description="consensus over queries; rrf: by their ranks alone"
    )
    fusion: Literal["append", "rrf", "weighted_rrf", "minmax", "bounded"] = Field(
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
    graph_server: str | None = Field(
        default=None,
        description="Gremlin server that holds the relations, as http://localhost:8182; where it fails, and by default, "
        "those of the snapshot are followed",
    )
    graph_server_timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=30.0, description="longest wait for one answer of that server"
    )
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
    snippet_tokens: Annotated[int, Field(ge=20)] = Field(
        default=400, description="longest snippet, in estimated tokens; a longer node becomes a window on its match"
    )
    context_tokens: Annotated[int, Field(ge=50)] = Field(
        default=6000, description="budget of the context, in estimated tokens"
    )
    spelling: bool = Field(
        default=True, description="search for a corrected question, too, where the index lacks one of its words"
    )
    with_images: bool = Field(default=False, description="give the captions of figures in the sections of snippets")
    top_k_images: NonNegativeInt = Field(default=0, description="figures searched for by their vectors, per question")
    channel_timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=30.0,
        description="longest search of one channel, for up to 64 queries; a late one is left out and named",
    )


class RerankSettings(Section):
    """What rescores, drops or reorders the snippets of a ranking before they are packed; all of it off by default."""

    kind: Literal["off", "auto", "served", "chat", "local"] = Field(
        default="off",
        description="who says how well a snippet fits the question: a server's /rerank, a chat model's yes or no, a "
        "cross-encoder here; auto: the first of these that is set up and answers",
    )
    top_n: PositiveInt = Field(default=20, description="snippets rescored, judged or reordered per question")
    base_url: str | None = Field(default=None, description="server whose /rerank is asked, as http://host:8000/v1")
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
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="per attempt")
    chat_model: str | None = Field(
        default=None, description="chat model that judges, also for verify; llm.model by default"
    )
    local_model: str | None = Field(
        default=None, min_length=1, description="cross-encoder: a folder, or a name on the Hugging Face hub"
    )
    max_concurrent: PositiveInt = Field(default=5, description="requests in flight per question, and questions at once")
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


class Price(Section):
    """What a model costs."""

    input_usd_per_million: NonNegativeFloat = Field(description="per million input tokens")
    output_usd_per_million: NonNegativeFloat = Field(description="per million output tokens")
    cached_input_usd_per_million: NonNegativeFloat | None = Field(
        default=None, description="per million input tokens that the server had cached; the full price by default"
    )


class FallbackSettings(Section):
    """Who answers while the chat model's server is down."""

    provider: Literal["openai", "openrouter"] | None = Field(
        default=None, description="asked while the first server is down; none by default"
    )
    model: str | None = Field(default=None, min_length=1, description="its chat model; llm.model by default")
    base_url: str | None = Field(default=None, description="any OpenAI-compatible server")
    api_key_env: str | None = Field(default=None, description="environment variable that holds its key")


class LlmSettings(Section):
    """Who answers."""

    provider: Literal["extractive", "openai", "openrouter", "local", "replay"] = Field(
        default="extractive",
        description="extractive needs no key and no network; local runs llm.model by transformers on this machine",
    )
    model: str = Field(
        default="openai/gpt-4o-mini", min_length=1, description="chat model; of 'local', a folder or a name on the hub"
    )
    dtype: Literal["auto", "bf16", "4bit"] = Field(
        default="auto", description="numbers of a local model: its own, bfloat16, or 4 bits (GPU and bitsandbytes)"
    )
    base_url: str | None = Field(
        default=None, description="any OpenAI-compatible server; the provider's own by default"
    )
    api_key_env: str | None = Field(
        default=None, description="environment variable that holds the key; the provider's own by default"
    )
    max_concurrent: PositiveInt = Field(default=8, description="calls in flight")
    call_retries: NonNegativeInt = Field(
        default=5, description="further attempts after 429, 5xx, a dropped connection or an empty reply"
    )
    retry_base_s: NonNegativeFloat = Field(default=3.0, description="first delay between attempts; doubles each time")
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=120.0, description="per attempt")
    requests_per_minute: PositiveInt | None = Field(
        default=None, description="calls begun per minute, evenly spaced; as many as come by default"
    )
    tokens_per_minute: PositiveInt | None = Field(
        default=None, description="tokens per minute, those of the reply included; as many as come by default"
    )
    max_cost_usd: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="what the calls of one run may cost; needs the model's price; no limit by default"
    )
    fallback: FallbackSettings = FallbackSettings()
    max_tokens: PositiveInt = Field(default=1024, description="longest reply, in tokens")
    prices: dict[str, Price] = Field(
        default_factory=dict, description="model name to price; unknown models cost 'unknown'"
    )


class AnswerSettings(Section):
    """How a context becomes an answer."""

    context_first: bool = Field(default=True, description="context before the question in the prompt (C→Q)")
    max_retries: NonNegativeInt = Field(default=2, description="deeper attempts after a blank answer")
    deepening: Literal["linear", "geometric"] = Field(
        default="linear", description="top_k × (attempt + 1), or × 2^attempt"
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = Field(default=0.2, description="of chat models")
    seed: NonNegativeInt = Field(default=0, description="seed of the first run; run i uses seed + i")


class ReplaySettings(Section):
    """Recorded answers, for llm.provider = 'replay'."""

    runs: tuple[Path, ...] = Field(default=(), description="CSV files, one per ensemble run")


class EnsembleSettings(Section):
    """How several runs become one answer."""

    runs: Annotated[int, Field(ge=1, le=99)] = Field(
        default=1, description="answers per question (replay: the number of files)"
    )
    ref_mode: Literal[
        "expected_score",
        "independent",
        "ref_priority",
        "answer_priority",
        "union",
        "intersection",
        "majority_all_refs",
        "first_non_blank",
    ] = Field(
        default="expected_score",
        description="how values and references are voted together; expected_score weighs members, blanks and ties itself",
    )
    tie_break: Literal["first", "blank", "random"] = Field(default="first", description="who wins among equals")
    ignore_blank: bool = Field(default=True, description="blank votes count only when all are blank")
    seed: NonNegativeInt = Field(default=0, description="of tie_break = 'random'")


class FetchSettings(Section):
    """How the documents that metadata.csv names are fetched; changes no result."""

    max_concurrent: PositiveInt = Field(default=8, description="documents fetched at once")
    per_host: PositiveInt = Field(default=2, description="of these, from one host")
    retries: NonNegativeInt = Field(default=3, description="further attempts after 429, 5xx or a broken connection")
    retry_base_s: NonNegativeFloat = Field(default=1.0, description="first delay between attempts; doubles each time")
    max_mb: PositiveInt = Field(default=200, description="largest file, in millions of bytes")
    user_agent: str = Field(
        default="kohaku (document fetcher)", min_length=1, description="what servers are told; add an address for them"
    )


class ReleaseSettings(Section):
    """What holds a new index back from taking the place of the published one."""

    gate: bool = Field(default=True, description="hold back an index whose scores are significantly worse")
    retrieval_metric: str = Field(
        default="document_recall@5", min_length=1, description="metric of retrieval_scores that must not fall"
    )
    answer_metric: Literal["wattbot", "kohaku", "fork"] = Field(
        default="wattbot", description="metric of scores that must not fall"
    )
    level: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.05, description="p-value of the paired permutation test below which a fall is no chance"
    )


Plain = str | int | float | bool


class SweepSettings(Section):
    """An experiment: every value of one setting with every value of another, some runs of each."""

    line: str = Field(min_length=1, description="setting whose values are the lines of the plot")
    line_values: tuple[Plain, ...] = Field(min_length=1, description="values of that setting")
    x: str = Field(min_length=1, description="setting whose values stand along the plot")
    x_values: tuple[Plain, ...] = Field(min_length=1, description="values of that setting")
    base: dict[str, Plain] = Field(default_factory=dict, description="settings that hold in every cell")
    runs: PositiveInt = Field(default=3, description="ensemble runs of each cell, each with a seed of its own")
    of: Literal["runs", "ensemble"] = Field(
        default="runs", description="whose answers count: those of each run, or the vote of all"
    )
    metric: str = Field(
        default="wattbot", min_length=1, description="metric that is drawn and that the best is best in"
    )
    search: Literal["grid", "random"] = Field(default="grid", description="all cells, or some drawn at random")
    samples: PositiveInt = Field(default=8, description="cells that search = 'random' draws")
    seed: NonNegativeInt = Field(default=0, description="of that draw")
    held_out: Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        default=0.3, description="share of the questions that have no say in which cell is best"
    )


class EngineSettings(Section):
    """How work is spread; changes no result."""

    kind: Literal["threads", "ray"] = Field(
        default="threads",
        description="where texts are embedded and questions answered: in this process, or by actors of a Ray cluster",
    )
    workers: NonNegativeInt = Field(
        default=0, description="threads or processes for documents and questions; 0: one per core"
    )
    keep_snapshots: PositiveInt = Field(default=3, description="index versions kept")


class Settings(Section):
    """Everything that a project's kohaku.toml may say."""

    profile: Literal["kohaku", "local", "triple_hybrid", "assistant", "wattbot", "fast"] | None = Field(
        default=None, description="a named set of values beneath the file's own"
    )
    store: Path = Field(default=Path("data/store"), description="folder of everything that is computed")
    corpus: CorpusSettings = CorpusSettings()
    documents: DocumentsSettings = DocumentsSettings()
    images: ImagesSettings = ImagesSettings()
    tree: TreeSettings = TreeSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    vectors: VectorsSettings = VectorsSettings()
    lexical: LexicalSettings = LexicalSettings()
    graph: GraphSettings = GraphSettings()
    planner: PlannerSettings = PlannerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()
    answer: AnswerSettings = AnswerSettings()
    replay: ReplaySettings = ReplaySettings()
    ensemble: EnsembleSettings = EnsembleSettings()
    release: ReleaseSettings = ReleaseSettings()
    fetch: FetchSettings = FetchSettings()
    sweep: dict[str, SweepSettings] = Field(default_factory=dict, description="experiments by name")
    engine: EngineSettings = EngineSettings()
