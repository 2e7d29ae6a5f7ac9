"""Tiers of chat models by their size: how many turns they are shown, and how their context window is shared out."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNKNOWN_SIZE_B = 3.0
_NAMED_SIZE = re.compile(r"(?<![\w.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?b(?![\w])", re.IGNORECASE)
# billions of parameters of models whose names do not tell, by a part of the name; the first match counts
_SIZES_B = (
    ("gpt-4o-mini", 8.0),
    ("gpt-3.5", 20.0),
    ("gpt-4", 200.0),
    ("gpt-5", 200.0),
    ("claude", 100.0),
    ("gemini", 100.0),
    ("mistral-large", 123.0),
    ("mistral", 7.0),
    ("llama3.1", 8.0),
    ("llama3.2", 3.0),
    ("phi-3", 3.8),
    ("smollm2", 0.1),
)
# context window in tokens and temperature, by a part of the name; the first match counts
_MODELS = (
    ("llama3.2", 8_000, 0.3),
    ("llama-3.2", 8_000, 0.3),
    ("llama3.1", 8_000, 0.5),
    ("llama-3.1", 8_000, 0.5),
    ("mistral", 8_000, 0.5),
    ("qwen2.5", 32_000, 0.7),
    ("gpt-4", 128_000, 0.7),
    ("claude-3-opus", 200_000, 0.7),
)
DEFAULT_WINDOW = 8_000


@dataclass(frozen=True, slots=True)
class Tier:
    """The models of up to `most_size_b` billion parameters: turns shown and shares of the context window."""

    name: str
    most_size_b: float
    turns: int
    system: float
    history: float
    chunks: float
    generation: float


TIERS = (
    Tier("tiny", 3.0, 3, 0.10, 0.10, 0.60, 0.20),
    Tier("small", 9.0, 6, 0.10, 0.15, 0.55, 0.20),
    Tier("medium", 34.0, 10, 0.10, 0.15, 0.60, 0.15),
    Tier("large", float("inf"), 15, 0.10, 0.15, 0.60, 0.15),
)


def tier_of(size_b: float) -> Tier:
    """Return the tier of a model of `size_b` billion parameters; a limit belongs to the smaller tier.

    >>> [tier_of(size_b).name for size_b in (0.5, 3.0, 3.1, 9.0, 34.0, 70.0)]
    ['tiny', 'tiny', 'small', 'small', 'medium', 'large']
    """
    return next(tier for tier in TIERS if size_b <= tier.most_size_b)


def model_size_b(model: str) -> float:
    """Return the billions of parameters of a model by its name: those it states, else those known, else 3.

    The experts of a mixture count together.

    >>> [model_size_b(name) for name in ("Qwen2.5-7B-Instruct", "mixtral-8x7b", "openai/gpt-4o", "SmolLM2-135M", "new")]
    [7.0, 56.0, 200.0, 0.1, 3.0]
    """
    stated = _NAMED_SIZE.search(model.replace("-", " ").replace("_", " ").replace(":", " "))
    if stated is not None:
        return float(stated[1] or 1) * float(stated[2])
    return next((size_b for part, size_b in _SIZES_B if part in model.lower()), UNKNOWN_SIZE_B)


def model_window(model: str) -> int:
    """Return the context window of a model in tokens by its name; 8,000 if it is not known.

    >>> model_window("qwen2.5:7b"), model_window("new")
    (32000, 8000)
    """
    return next((window for part, window, _ in _MODELS if part in model.lower()), DEFAULT_WINDOW)


def model_temperature(model: str) -> float | None:
    """Return the temperature for free answers of a model by its name; None if it is not known.

    >>> model_temperature("qwen2.5:7b"), model_temperature("new")
    (0.7, None)
    """
    return next((temperature for part, _, temperature in _MODELS if part in model.lower()), None)
