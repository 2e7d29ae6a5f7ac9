"""Settings of the assistant: levels, follow-up questions, memory and cache; some of the texts of a chat model, by every door."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import PositiveFloat, PositiveInt, Seconds, Section

MOST_TURNS = 15  # that are kept of a session


class AssistantSettings(Section):
    """Conversations: how much work a question gets, what is remembered, and how answers are judged."""

    level: Literal["basic", "standard", "enhanced", "maximum"] | None = Field(
        default=None,
        description="how much work a question gets where a request does not say: fewer or more results, searches, checks and "
        "runs; by default as the other settings say",
    )
    max_message_chars: PositiveInt = Field(default=2000, description="longest message of a user")
    chain_of_thought: bool = Field(
        default=False, description="let a chat model note its steps before its answer; the notes are not shown"
    )
    extended_thinking: bool = Field(
        default=False,
        description="let a chat model that thinks do so at length (reasoning_effort 'high', up to twice the tokens of a reply "
        "where the context window has room); a server that refuses it is asked without",
    )
    follow_ups: Literal["auto", "rule", "off"] = Field(
        default="auto",
        description="make questions such as 'and in 2022?' complete by the turns before: by rule, or by the chat model where it "
        "has more than 9 billion parameters (auto)",
    )
    tool_calls: Literal["auto", "off"] = Field(
        default="auto",
        description="let the model of an agent call its search as a tool where the server accepts tools; else, and if off, it "
        "replies with JSON",
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(
        default=None, description="of free answers; that of the model where its name is known, else answer.temperature"
    )
    confidence: Literal["calibrated", "grounding"] = Field(
        default="calibrated",
        description="confidence of a text by a chat model. calibrated: how likely the line that it comes from answers, where "
        "that is known; grounding: the mean similarity of the cited passages times the share of claims that they "
        "support",
    )
    vote: Literal["consensus", "confidence", "best_of_n", "synthesis"] = Field(
        default="consensus",
        description="which of several texts (ensemble.runs) is given. consensus: the one that agrees most with the others; "
        "confidence: the same, weighed by the share of claims that the sources support; best_of_n: the one with "
        "the largest such share; synthesis: what one more call merges",
    )
    model_size_b: PositiveFloat | None = Field(
        default=None,
        description="parameters of the chat model in billions, by which turns and rules of the prompt are chosen; read from its "
        "name by default",
    )
    context_window: Annotated[int, Field(ge=1024, le=10_000_000)] | None = Field(
        default=None, description="context window of the chat model in tokens; that of llm.models, else 8000"
    )
    history_turns: Annotated[int, Field(ge=1, le=MOST_TURNS)] = Field(
        default=MOST_TURNS, description="turns of a session that a question is understood and answered by"
    )
    sessions: PositiveInt = Field(
        default=200, description="sessions kept in memory; the least recently used are forgotten"
    )
    cache: bool = Field(
        default=True,
        description="give the same answer to a repeated question as long as the index is the same",
    )
    cache_mode: Literal["exact", "precision", "recall", "adaptive"] = Field(
        default="exact",
        description="how alike two questions must be for the same answer. exact: equal but for case, punctuation and spaces; "
        "precision: a cosine of 0.95; recall: of 0.85; adaptive: 0.95 first, then 0.85. But for exact, numbers, "
        "units, names, negation and direction must agree, too",
    )
    cache_entries: PositiveInt = Field(default=1000, description="answers kept; the least recently used are forgotten")
    cache_ttl_s: Seconds = Field(default=300.0, description="how long an answer is kept")
    database: str | None = Field(
        default=None,
        min_length=1,
        description="address of the database of sessions, such as postgresql+psycopg://host/name; a SQLite file in the store by "
        "default",
    )
