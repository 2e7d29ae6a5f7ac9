"""Settings of the optional engines of retrieval, as far as they shape the index: RAPTOR, late interaction, LightRAG."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import AtOnce, PositiveInt, Section

Summariser = Annotated[
    Literal["extractive", "chat"],
    Field(description="writes summaries: the sentences nearest to the centroid, or a chat model, one call each"),
]
SummaryTokens = Annotated[
    int,
    Field(ge=20, le=2**31 - 1, description="longest summary, in estimated tokens; the embedding model reads no more"),
]


class RaptorSettings(Section):
    """RAPTOR: paragraphs are clustered and summarised level by level (Sarthi et al. 2024)."""

    enabled: bool = Field(
        default=False, description="build the tree of summaries, which retrieval.raptor_weight searches"
    )
    cluster_size: Annotated[int, Field(ge=2, le=1000)] = Field(
        default=8, description="most paragraphs, or summaries of the level below, in one summary"
    )
    levels: Annotated[int, Field(ge=1, le=20)] = Field(
        default=4, description="most levels of summaries above the paragraphs"
    )
    summariser: Summariser = "extractive"
    summary_tokens: SummaryTokens = 200
    model: str | None = Field(default=None, min_length=1, description="chat model of summaries; llm.model by default")
    max_concurrent: AtOnce = Field(default=5, description="concurrent calls")


class LateSettings(Section):
    """Late interaction: a vector for each word piece, compared with those of a query (Khattab, Zaharia 2020)."""

    enabled: bool = Field(default=False, description="store the token vectors, which retrieval.late_weight compares")
    compression: Literal["int8", "residuals"] = Field(
        default="int8",
        description="of token vectors: one byte a dimension, or the nearest centroid and two bits a dimension, as PLAID does",
    )


class LightragSettings(Section):
    """LightRAG's high level: themes of the relations and communities of the knowledge graph (Guo et al. 2024)."""

    enabled: bool = Field(
        default=False, description="find the themes of the knowledge graph, which retrieval.lightrag_weight searches"
    )
    relations_per_entity: PositiveInt = Field(
        default=10, description="strongest relations of each entity that have a theme"
    )
    min_community: Annotated[int, Field(ge=2, le=2**31 - 1)] = Field(
        default=3, description="least entities of a community that has a theme"
    )
    summariser: Summariser = "extractive"
    summary_tokens: SummaryTokens = 200
    model: str | None = Field(default=None, min_length=1, description="chat model of summaries; llm.model by default")
    max_concurrent: AtOnce = Field(default=5, description="concurrent calls")
