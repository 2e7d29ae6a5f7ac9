"""Settings of evaluation: votes, releases, experiments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import KindName, NonNegativeInt, PositiveInt, Section, Share


class EnsembleSettings(Section):
    """Several answers to the same question, and how they are voted into one."""

    runs: Annotated[int, Field(ge=1, le=99)] = Field(
        default=1, description="answers per question (replay: the number of files)"
    )
    min_runs: Annotated[int, Field(ge=1, le=99)] = Field(
        default=1, description="runs with answers that a vote over several needs; with fewer it fails"
    )
    ref_mode: Annotated[str, KindName("vote mode")] = Field(
        default="expected_score",
        description="how values and references are voted on; expected_score weighs members, blanks and ties itself",
    )
    tie_break: Annotated[str, KindName("tie break")] = Field(default="first", description="winner among equal votes")
    ignore_blank: bool = Field(default=True, description="blank votes only count if all are blank")
    seed: NonNegativeInt = Field(default=0, description="seed of tie_break = 'random'")


class SubmissionSettings(Section):
    """The CSV files of answers."""

    escape_formulas: bool = Field(
        default=True,
        description="prefix cells that a spreadsheet would treat as a formula with an apostrophe; false: unchanged",
    )


class ReleaseSettings(Section):
    """The gate: the check that holds back a new index whose scores are worse."""

    gate: bool = Field(default=True, description="hold back an index whose scores are significantly worse")
    retrieval_metric: Annotated[str, KindName("retrieval metric")] = Field(
        default="document_recall@5", description="metric of retrieval_scores that must not drop"
    )
    answer_metric: Annotated[str, KindName("answer metric")] = Field(
        default="wattbot", description="metric of scores that must not drop"
    )
    significance_level: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.05, description="p-value of the paired permutation test below which a drop is significant"
    )


class ReportSettings(Section):
    """What the error report assumes."""

    blank_cost: Share = Field(
        default=0.5, description="cost of a blank if a wrong answer costs 1; determines when to leave a question blank"
    )


Scalar = str | int | float | bool


class SweepSettings(Section):
    """An experiment: a grid over the values of two settings, with several runs per cell."""

    line: str = Field(min_length=1, description="setting whose values are the lines of the plot")
    line_values: tuple[Scalar, ...] = Field(min_length=1, description="values of that setting")
    x: str = Field(min_length=1, description="setting whose values are on the x axis of the plot")
    x_values: tuple[Scalar, ...] = Field(min_length=1, description="values of that setting")
    also: dict[str, tuple[Scalar, ...]] = Field(
        default_factory=dict, description="further settings and their values; each combination is a separate line"
    )
    base: dict[str, Scalar] = Field(default_factory=dict, description="settings of every cell")
    runs: PositiveInt = Field(default=3, description="ensemble runs of each cell, each with its own seed")
    of: Literal["runs", "ensemble"] = Field(
        default="runs", description="answers that are scored: those of each run, or their vote"
    )
    metric: str = Field(
        default="wattbot", min_length=1, description="metric that is plotted and that determines the best cell"
    )
    search: Literal["grid", "random", "halving"] = Field(
        default="grid",
        description="all cells; a random sample; or successive halving: all on few questions, the better ones on more",
    )
    samples: PositiveInt | None = Field(
        default=None, description="number of sampled cells; none: 8 for 'random', all for 'halving'"
    )
    seed: NonNegativeInt = Field(default=0, description="seed of the sampled cells, and of the questions of a rung")
    eta: Annotated[int, Field(ge=2, le=1000)] = Field(
        default=3, description="halving: one in this many cells advances, with this many times the questions"
    )
    least_questions: PositiveInt = Field(default=8, description="halving: questions of the first rung, at least")
    held_out: Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        default=0.3, description="share of the questions that are not used to select the best cell"
    )
