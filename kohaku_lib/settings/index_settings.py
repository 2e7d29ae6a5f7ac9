"""Settings of the index: vectors, BM25, knowledge graph."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from kohaku_lib.settings.section import (
    RETRY_FACTOR,
    AtOnce,
    AttemptSeconds,
    CallRetries,
    KindName,
    NonNegativeFloat,
    PositiveInt,
    ReplyMegabytes,
    RetryBaseSeconds,
    Section,
    ServerUrl,
    Share,
)

_SHORT_NAMES = {"jina": "jinaai/jina-embeddings-v3", "jinav4": "jinaai/jina-embeddings-v4"}  # as KohakuRAG has them


class EmbeddingSettings(Section):
    """The model that turns texts and images into vectors."""

    model: str = Field(
        default="minilm",
        min_length=1,
        description="'minilm' (bundled), a name on the Hugging Face hub, a folder, or 'openai:NAME' for a model on a "
        "server with OpenAI's API; 'jina' and 'jinav4' are Jina's embeddings v3 and v4",
    )
    revision: str | None = Field(
        default=None,
        min_length=1,
        description="branch, tag or commit of a model on the hub; its main branch by default",
    )
    trust_remote_code: bool = Field(
        default=False, description="allow a model to run remote code (Python), such as Jina v3 and v4"
    )
    dim: PositiveInt | None = Field(
        default=None, description="number of leading dimensions (Matryoshka); all by default"
    )
    task: str = Field(
        default="retrieval",
        min_length=1,
        description="task whose prompts or adapter the model applies, if it has any",
    )
    long_texts: Literal["truncate", "window"] = Field(
        default="truncate",
        description="texts over the model's limit: truncated, or embedded as the mean of overlapping windows",
    )
    images: Literal["captions", "direct"] = Field(
        default="captions",
        description="image vectors: of the captions, or of the images, with a model that embeds both in one space",
    )
    paragraph_mode: Literal["averaged", "full", "both"] = Field(
        default="averaged", description="paragraph vectors: means of their sentences, direct ones, or both"
    )
    headings: bool = Field(
        default=True,
        description="embed sentences and paragraphs behind the headings above them; vectors are computed anew",
    )
    weighting: Literal["none", "chars", "tokens"] = Field(
        default="none", description="weight of a child in its parent's mean"
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(default="auto", description="device of the model")
    backend: Annotated[str, KindName("backend", ("auto",))] = Field(
        default="auto", description="auto: OpenVINO on a CPU if it supports the model, else sentence-transformers"
    )
    precision: Literal["auto", "float32"] = Field(
        default="auto",
        description="number format of the model; auto: bfloat16 on a processor that has it, if vectors stay close, and float16 "
        "on a GPU",
    )
    base_url: ServerUrl | None = Field(default=None, description="server of 'openai:NAME'; OpenAI's by default")
    api_key_env: str | None = Field(
        default=None, description="environment variable of the server's API key; OPENAI_API_KEY by default"
    )
    server_dimensions: PositiveInt | None = Field(
        default=None, description="dimensions requested from the server, if the model supports it; all by default"
    )
    input_tokens: PositiveInt = Field(
        default=8191, description="longest text sent to a server, in estimated tokens of 4 bytes"
    )
    batch_size: Annotated[int, Field(ge=1, le=2048)] = Field(default=256, description="texts per request, at most")
    request_tokens: PositiveInt = Field(default=100_000, description="estimated tokens per request, at most")
    max_concurrent: AtOnce = Field(default=4, description="requests in flight")
    call_retries: CallRetries = 5
    retry_base_s: RetryBaseSeconds = 3.0
    timeout_s: AttemptSeconds = 120.0
    max_reply_mb: ReplyMegabytes = 64.0
    usd_per_million_tokens: NonNegativeFloat | None = Field(
        default=None, description="price of the served model; its cost is unknown by default"
    )

    @field_validator("model", mode="after")
    @classmethod
    def _full_name(cls, value: str) -> str:
        if value == "hf_local":
            msg = "a folder or a name on the Hugging Face hub, which is read by sentence-transformers"
            raise ValueError(msg)
        return _SHORT_NAMES.get(value, value)

    @property
    def retry_factor(self) -> float:
        """How many times longer each further delay between attempts is."""
        return RETRY_FACTOR


class VectorsSettings(Section):
    """How vectors are stored and searched."""

    precision: Literal["float32", "float16", "int8"] = Field(
        default="float32", description="of the scanned copy; below float32 the best candidates are rescored exactly"
    )
    ann: Literal["off", "usearch"] = Field(
        default="off",
        description="approximate search for millions of vectors ([ann] extra); filtered searches scan all vectors",
    )


class LexicalSettings(Section):
    """Search by words: the parameters of BM25."""

    k1: NonNegativeFloat = Field(default=0.9, description="BM25 term saturation")
    b: Share = Field(default=0.4, description="BM25 length normalisation")
    stemmer: str = Field(
        default="auto",
        description="Snowball language, 'none', or 'auto': by the language of each document and question",
    )


class GraphSettings(Section):
    """The knowledge graph: names in the documents, and how they are related."""

    enabled: bool = Field(default=True, description="extract entities, their mentions and relations")
    extractor: Literal["rule", "auto", "chat"] = Field(
        default="rule",
        description="chat: a model also reads every paragraph, one call each; auto: chat if a chat model answers",
    )
    model: str | None = Field(
        default=None, min_length=1, description="chat model of the extractor; llm.model by default"
    )
    entity_types: tuple[str, ...] = Field(
        default=(
            "PERSON",
            "ORGANIZATION",
            "PRODUCT",
            "CLAUSE",
            "DATE",
            "MONEY",
            "PERCENTAGE",
            "LOCATION",
            "TECHNICAL_TERM",
            "REGULATION",
        ),
        min_length=1,
        description="types of entities that a chat model names; any other becomes OTHER",
    )
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
        description="predicates of relations; any other becomes RELATED_TO",
    )
    max_tokens: PositiveInt = Field(default=2048, description="longest reply per paragraph, in tokens")
    max_concurrent: AtOnce = Field(default=5, description="concurrent calls")
