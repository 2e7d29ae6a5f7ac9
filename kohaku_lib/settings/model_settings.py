"""What is known of chat models: a table that comes with Kohaku, and rows of the user's."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from kohaku_lib.settings.section import NonNegativeFloat, PositiveFloat, PositiveInt, Section

_NAMED_SIZE = re.compile(r"(?<![\w.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?b(?![\w])", re.IGNORECASE)
SHIPPED = Path(__file__).with_name("models.toml")


class Price(Section):
    """The price of a model."""

    input_usd_per_million: NonNegativeFloat = Field(description="per million input tokens")
    output_usd_per_million: NonNegativeFloat = Field(description="per million output tokens")
    cached_input_usd_per_million: NonNegativeFloat | None = Field(
        default=None, description="per million cached input tokens; the full price by default"
    )


class ModelFacts(Section):
    """What is known of a chat model; None where it is not."""

    context_window: Annotated[int, Field(ge=1024, le=10_000_000)] | None = Field(
        default=None, description="tokens of prompt and reply"
    )
    size_b: PositiveFloat | None = Field(default=None, description="parameters in billions")
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(default=None, description="of free answers")
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] | None = Field(default=None, description="of free answers")
    top_k: PositiveInt | None = Field(default=None, description="of free answers: tokens that are drawn from")
    vision: bool | None = Field(default=None, description="whether it sees images")
    quote_first: bool | None = Field(default=None, description="whether it should quote before it answers")
    price: Price | None = Field(default=None, description="of the model of exactly this name")


def model_facts(model: str, own: Mapping[str, ModelFacts] | None = None) -> ModelFacts:
    """Return what is known of `model`: the rows whose names its name contains, the longest first, `own` before shipped.

    A size that the name states goes before all. Prices are left out: they are of one model, not of a family.

    >>> model_facts("openai/gpt-4o-mini").context_window, model_facts("openai/gpt-4o-mini").size_b
    (128000, 8.0)
    >>> model_facts("Qwen2.5-7B", {"qwen2.5-7b": ModelFacts(context_window=128_000)}).context_window
    128000
    """
    name = model.lower()
    rows = [*((part, row) for part, row in (own or {}).items()), *shipped_models().items()]
    known: dict[str, Any] = {}
    for part, row in sorted(rows, key=lambda item: -len(item[0])):  # stable: of equal names the user's comes first
        if part.lower() in name:
            facts = row.model_dump(exclude_none=True, exclude={"price"})
            known = facts | known
    stated = stated_size_b(model)
    return ModelFacts.model_validate(known if stated is None else known | {"size_b": stated})


def stated_size_b(model: str) -> float | None:
    """Return the billions of parameters that the name of a model states, None if it states none.

    The experts of a mixture count together.

    >>> [stated_size_b(name) for name in ("Qwen2.5-7B-Instruct", "mixtral-8x7b", "openai/gpt-4o")]
    [7.0, 56.0, None]
    """
    stated = _NAMED_SIZE.search(model.replace("-", " ").replace("_", " ").replace(":", " "))
    return None if stated is None else float(stated[1] or 1) * float(stated[2])


@cache
def shipped_models() -> dict[str, ModelFacts]:
    """Return the table that comes with Kohaku, by a part of a model's name."""
    return {name: ModelFacts(**row) for name, row in tomllib.loads(SHIPPED.read_text(encoding="utf-8")).items()}
