"""A step: the function that computes the output of one stage, and its side effect. Imports no Dagster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput


@dataclass(frozen=True, slots=True)
class Effect:
    """The outcome of an effect: a problem in one sentence, if any, and metadata for the UI."""

    problem: str | None = None
    shown: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """The implementation of the stage `name`; the docstring of `compute` is its description for users.

    Attributes:
        effect: The side effect besides the table (a written file, a swapped pointer); runs whether the table was
            computed or found in the store.
        intact: Returns whether the companion files for an input key are intact.
        may_wait: The step may raise BatchWaitingError and produce no output, which is not a failure.
    """

    name: str
    compute: Callable[[Run, Inputs], StageOutput]
    effect: Callable[[Run, pa.Table], Effect | None] | None = None
    intact: Callable[[Run, str], bool] | None = None
    kinds: tuple[str, ...] = ("python", "parquet")
    may_wait: bool = False

    @property
    def description(self) -> str:
        """The description of the stage for users."""
        return (self.compute.__doc__ or "").strip()


class Markdown(str):
    """Text that the UI renders as Markdown."""

    __slots__ = ()
