"""A step: the function that computes the output of one stage, and what it does beside it. Imports no Dagster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput


@dataclass(frozen=True, slots=True)
class Effect:
    """The outcome of an effect: a problem in one sentence, if any, and values that the UI shows."""

    problem: str | None = None
    shown: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """How the output of the stage `name` is made; the docstring of `compute` describes the stage to users.

    `effect` is what the step does beside its table (a file written, a pointer swapped). It runs whether the table was
    computed or found. `intact` returns whether what the stage keeps beside the table of an input key is still there.
    A step that `may_wait` may end with BatchWaitingError and without an output, which is no failure.
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
    """A text that the UI renders as Markdown."""

    __slots__ = ()
