"""What the side effect of a step tells: a written file, a swapped pointer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Effect:
    """The outcome of an effect: a problem in one sentence, if any, and metadata for the UI."""

    problem: str | None = None
    shown: Mapping[str, object] = field(default_factory=dict)


class Markdown(str):
    """Text that the UI renders as Markdown."""

    __slots__ = ()
