"""Settings of evaluation: votes, releases, experiments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.kinds import ANSWER_METRICS, RETRIEVAL_METRICS, TIE_BREAKS, VOTE_MODES
from kohaku_lib.settings.section import NonNegativeInt, OneOf, PositiveInt, Section, Share


class EnsembleSettings(Section):
    """How several runs become one answer."""

    runs: Annotated[int, Field(ge=1, le=99)] = Field(
        default=1, description="answers per question (replay: the number of files)"
    )
    ref_mode: Annotated[str, OneOf(VOTE_MODES)] = Field(
        default="expected_score",
        description="how values and references are voted together; expected_score weighs members, blanks and ties itself",
    )
    tie_break: Annotated[str, OneOf(TIE_BREAKS)] = Field(default="first", description="who wins among equals")
    ignore_blank: bool = Field(default=True, description="blank votes count only when all are blank")
    seed: NonNegativeInt = Field(default=0, description="of tie_break = 'random'")


class SubmissionSettings(Section):
    """How answers are written as CSV."""

    escape_formulas: bool = Field(
        default=True,
        description="an apostrophe before cells that a spreadsheet would take for a formula; false: to the letter",
    )


class ReleaseSettings(Section):
    """What holds a new index back from taking the place of the published one."""

    gate: bool = Field(default=True, description="hold back an index whose scores are significantly worse")
    retrieval_metric: Annotated[str, OneOf(RETRIEVAL_METRICS)] = Field(
        default="document_recall@5", description="metric of retrieval_scores that must not fall"
    )
    answer_metric: Annotated[str, OneOf(ANSWER_METRICS)] = Field(
        default="wattbot", description="metric of scores that must not fall"
    )
    level: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.05, description="p-value of the paired permutation test below which a fall is no chance"
    )


class ReportSettings(Section):
    """What an error report takes for granted."""

    blank_cost: Share = Field(
        default=0.5, description="what a blank costs where a wrong answer costs 1; says when to leave a question blank"
    )


Plain = str | int | float | bool


class SweepSettings(Section):
    """An experiment: every value of one setting with every value of another, some runs of each."""

    line: str = Field(min_length=1, description="setting whose values are the lines of the plot")
    line_values: tuple[Plain, ...] = Field(min_length=1, description="values of that setting")
    x: str = Field(min_length=1, description="setting whose values stand along the plot")
    x_values: tuple[Plain, ...] = Field(min_length=1, description="values of that setting")
    also: dict[str, tuple[Plain, ...]] = Field(
        default_factory=dict, description="further settings and their values; each combination is a line of its own"
    )
    base: dict[str, Plain] = Field(default_factory=dict, description="settings that hold in every cell")
    runs: PositiveInt = Field(default=3, description="ensemble runs of each cell, each with a seed of its own")
    of: Literal["runs", "ensemble"] = Field(
        default="runs", description="whose answers count: those of each run, or the vote of all"
    )
    metric: str = Field(
        default="wattbot", min_length=1, description="metric that is drawn and that the best is best in"
    )
    search: Literal["grid", "random", "halving"] = Field(
        default="grid",
        description="all cells; some drawn at random; or all on few questions, the better on more, the best on all",
    )
    samples: PositiveInt | None = Field(
        default=None, description="cells that are drawn at random; none: 8 for 'random', all for 'halving'"
    )
    seed: NonNegativeInt = Field(default=0, description="of the cells that are drawn, and of the questions of a rung")
    eta: Annotated[int, Field(ge=2, le=1000)] = Field(
        default=3, description="halving: one cell in so many goes on, with so many times the questions"
    )
    least_questions: PositiveInt = Field(default=8, description="halving: questions of the first rung, at least")
    held_out: Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        default=0.3, description="share of the questions that have no say in which cell is best"
    )
