"""Settings of answering: the chat model and its prices, who answers, and answer generation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from kohaku_lib.settings.model_settings import ModelFacts, Price, model_facts
from kohaku_lib.settings.section import (
    RETRY_FACTOR,
    AtOnce,
    AttemptSeconds,
    KindName,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ReplyMegabytes,
    Section,
    ServerUrl,
)


class FallbackSettings(Section):
    """The provider used while the chat model's server is down."""

    provider: Annotated[str | None, KindName("provider with a server")] = Field(
        default=None, description="provider while the first server is down; none by default"
    )
    model: str | None = Field(default=None, min_length=1, description="its chat model; llm.model by default")
    base_url: ServerUrl | None = Field(default=None, description="any OpenAI-compatible server")
    api_key_env: str | None = Field(default=None, description="environment variable of its API key")


def _served_at(port: int) -> str:
    return (
        f"'openai', whose protocol that server speaks, with llm.base_url = 'http://127.0.0.1:{port}/v1' and llm.model "
        "('kohaku models' finds them)"
    )


_MEANT = {  # what llm.provider named before answer.by did, and servers by their names, with the settings that mean it
    "ollama": _served_at(11434),
    "lmstudio": _served_at(1234),
    "lm-studio": _served_at(1234),
    "llama.cpp": _served_at(8080),
    "llamacpp": _served_at(8080),
    "vllm": _served_at(8000),
    "compatible": "'openai', with llm.base_url, for any server of OpenAI's protocol",
    "openai-compatible": "'openai', with llm.base_url, for any server of OpenAI's protocol",
    "custom": "'openai', with llm.base_url, for any server of OpenAI's protocol",
    "extractive": "left out, with answer.by = 'reader' in its place",
    "reader": "left out, with answer.by = 'reader' in its place",
    "replay": "left out, with answer.by = 'replay' in its place",
}


class LlmSettings(Section):
    """The language model that answers, its server, its prices and its limits."""

    provider: Annotated[str | None, KindName("provider")] = Field(
        default=None,
        description="where the chat model runs; none by default. bedrock is Amazon's OpenAI-compatible server (another "
        "region: llm.base_url); local runs llm.model by transformers on this machine",
    )
    model: str = Field(
        default="openai/gpt-4o-mini", min_length=1, description="chat model; for 'local' a folder or a name on the hub"
    )
    dtype: Literal["auto", "bf16", "fp16", "4bit"] = Field(
        default="auto",
        description="number format of a local model: the one it is stored in, bfloat16, float16, or 4 bits (GPU and "
        "bitsandbytes)",
    )
    trust_remote_code: bool = Field(default=False, description="allow a local model to run remote code (Python)")
    base_url: ServerUrl | None = Field(
        default=None, description="any OpenAI-compatible server; the provider's own by default"
    )
    api_key_env: str | None = Field(
        default=None, description="environment variable of the API key; the provider's own by default"
    )
    max_concurrent: AtOnce = Field(default=8, description="calls in flight")
    call_retries: NonNegativeInt = Field(
        default=5, description="further attempts after 429, 5xx, a dropped connection or an empty reply"
    )
    retry_base_s: NonNegativeFloat = Field(default=3.0, description="first delay between attempts")
    retry_factor: Annotated[float, Field(ge=1.0, le=10.0)] = Field(
        default=RETRY_FACTOR, description="how many times longer each further delay is"
    )
    timeout_s: AttemptSeconds = 120.0
    max_reply_mb: ReplyMegabytes = 64.0
    requests_per_minute: PositiveInt | None = Field(
        default=None, description="calls started per minute, evenly spaced; unlimited by default"
    )
    tokens_per_minute: PositiveInt | None = Field(
        default=None, description="tokens per minute, replies included; unlimited by default"
    )
    max_cost_usd: PositiveFloat | None = Field(
        default=None, description="cost limit of the calls of one run; needs the model's price; unlimited by default"
    )
    batch: bool = Field(default=False, description="answer questions of a file by OpenAI's Batch API, within a day")
    batch_price_share: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.5, description="price of a call in a batch as a share of the normal price"
    )
    fallback: FallbackSettings = FallbackSettings()
    max_tokens: PositiveInt = Field(default=1024, description="longest reply, in tokens")
    prices: dict[str, Price] = Field(
        default_factory=dict,
        description="model name to its `input_usd_per_million` and `output_usd_per_million`; the cost of others is unknown",
    )
    models: dict[str, ModelFacts] = Field(
        default_factory=dict,
        description="part of a model's name to its `context_window`, `size_b`, `temperature`, `top_p`, `top_k`, `vision`, "
        "`quote_first` "
        "and `price`; goes before the table that comes with Kohaku, and the longest name before shorter ones",
    )

    @field_validator("provider", mode="before")
    @classmethod
    def _is_of_a_chat_model(cls, value: Any) -> Any:
        if isinstance(value, str) and value.lower() in _MEANT:
            raise ValueError(_MEANT[value.lower()])
        return value

    @property
    def known_prices(self) -> dict[str, Price]:
        """The prices by name of model: those of `prices`, else of `models`."""
        of_models = {name: row.price for name, row in self.models.items() if row.price is not None}
        return of_models | self.prices

    def facts(self, model: str | None = None) -> ModelFacts:
        """Return what is known of a chat model, by default `self.model`."""
        return model_facts(model or self.model, self.models)


_SMALL_MODEL_B = 4.0  # billions of parameters


class AnswerSettings(Section):
    """Who answers, and what a language model is told and asked for."""

    by: Literal["auto", "reader", "model", "checked", "replay"] = Field(
        default="auto",
        description="who answers. reader: the built-in reader; model: the chat model; checked: the chat model, whose value the"
        " reader checks, and the reader where the model has none, fails or takes longer than llm.timeout_s; "
        "replay: recorded answers (replay.runs); auto: checked if llm.provider names a model, else reader. With "
        "reader and replay no step calls a language model",
    )
    form: Literal["auto", "value", "text"] = Field(
        default="auto",
        description="what a chat model writes. value: a value with its quote; text: a text that cites numbered sources; auto: "
        "a text in a conversation, else a value",
    )
    context_first: bool = Field(default=True, description="context before the question in the prompt (C→Q)")
    snippet_order: Literal["front_loaded", "sandwich", "alternating"] = Field(
        default="front_loaded",
        description="order in the prompt: best first, best at both ends, or best and worst alternating",
    )
    headings: bool = Field(
        default=True, description="show a chat model the title of the document and the headings above each excerpt"
    )
    send_images: bool = Field(
        default=False, description="send the figures found by retrieval.top_k_images to the chat model; else captions"
    )
    max_images: PositiveInt = Field(default=4, description="images per prompt; further figures by their captions")
    max_image_mb: PositiveFloat = Field(default=8.0, description="total size of the images per prompt, in MiB")
    best_guess: bool = Field(
        default=False, description="also answer if the context only suggests it, with low confidence"
    )
    keep_unstated: bool = Field(
        default=False,
        description="keep a chat model's value with low confidence where no passage states it nor holds its quote; else such "
        "an answer has no value",
    )
    wrong_answer_penalty: NonNegativeFloat = Field(
        default=1.5,
        description="what a wrong answer costs, as a multiple of a blank: the built-in reader gives an answer that is right "
        "with a probability of at least penalty / (1 + penalty), which is 0.6 by default",
    )
    read_passages: Annotated[int, Field(ge=1, le=40)] = Field(
        default=24,
        description="of the built-in reader: passages of a context that are read where none of the first eight likely "
        "answers; fewer take less time, and may miss the answer",
    )
    max_retries: NonNegativeInt = Field(default=2, description="deeper attempts after a blank answer")
    deepening: Literal["linear", "geometric"] = Field(
        default="linear",
        description="results of each further attempt. linear: top_k × (attempt + 1); geometric: top_k × 2^attempt",
    )
    replan_on_retry: bool = Field(
        default=False, description="plan the queries of each deeper attempt anew, by a chat model, as KohakuRAG does"
    )
    overflow: Literal["measured", "minus_one", "minus_two"] = Field(
        default="measured",
        description="what is done when a prompt exceeds the model's context. measured: cut it by the token counts in the "
        "server's error, else halve it; minus_one: search again for one result less, as often as needed; "
        "minus_two: for two less, once",
    )
    cite: Literal["number", "document", "node"] = Field(
        default="number",
        description="how excerpts are named in the prompt and cited by the model. number: by their place in the prompt; "
        "document: by the id of their document; node: by the id of their node, which the JSON of an answer then "
        "cites. A submission always cites documents",
    )
    prompt: Literal["auto", "full", "short"] = Field(
        default="auto",
        description="instructions to a chat model. full: rules for every kind of answer; short: a few rules and an example; "
        "auto: short for a model of at most 4 billion parameters, by its name or llm.models",
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = Field(default=0.2, description="of chat models")
    seed: NonNegativeInt = Field(default=0, description="seed of the first run; run i uses seed + i")

    def has_short_prompt(self, model: ModelFacts) -> bool:
        """Return whether `model` is told the short rules; for "auto" by its size.

        >>> AnswerSettings().has_short_prompt(ModelFacts(size_b=1.5)), AnswerSettings().has_short_prompt(ModelFacts())
        (True, False)
        """
        if self.prompt != "auto":
            return self.prompt == "short"
        return model.size_b is not None and model.size_b <= _SMALL_MODEL_B


class ReplaySettings(Section):
    """Recorded answers, for answer.by = 'replay'."""

    runs: tuple[Path, ...] = Field(default=(), description="CSV files, one per ensemble run")
