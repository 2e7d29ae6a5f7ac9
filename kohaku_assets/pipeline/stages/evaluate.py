"""Stages of the group evaluate: votes, scores, the error report, the submission, the published index, and its suggestions."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_assets.pipeline.retrieval_keys import retrieval_keys
from kohaku_assets.pipeline.setting_keys import Implied
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages.answer import planner_keys, prediction_keys
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES
from kohaku_lib.registry import lazy
from kohaku_lib.settings import Settings

_STEPS = "kohaku_assets.steps.evaluate"


def vote_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the vote."""
    keys = VOTE_MODES.get(settings.ensemble.ref_mode).settings_keys
    yield from ("ensemble.ref_mode", "ensemble.min_runs", *keys)
    if "ensemble.tie_break" in keys:
        yield from TIE_BREAKS.get(settings.ensemble.tie_break).settings_keys


def suggestion_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect which suggested questions the built-in reader answers."""
    by_reader = settings.by_reader()
    for key in (*retrieval_keys(by_reader), *planner_keys(by_reader), *prediction_keys(by_reader)):
        yield Implied(key) if key in _WHO_ANSWERS else key


_WHO_ANSWERS = ("answer.by", "planner.kind")  # the reader tries them, and rules plan, whoever answers otherwise
EVALUATE = (
    Stage("ensemble_votes", "evaluate", _STEPS, ("predictions",), vote_keys, code_tag="7"),
    Stage("retrieval_scores", "evaluate", _STEPS, ("retrieved_context", "questions"), code_tag="3"),
    Stage("scores", "evaluate", _STEPS, ("ensemble_votes", "predictions", "questions"), code_tag="3"),
    Stage(
        "error_report",
        "evaluate",
        _STEPS,
        ("ensemble_votes", "predictions", "questions", "retrieved_context"),
        ("report.blank_cost",),
        code_tag="5",
        effect=lazy(f"{_STEPS}:write_report"),
        kinds=("html", "parquet"),
    ),
    Stage(
        "submission",
        "evaluate",
        _STEPS,
        ("ensemble_votes", "questions"),
        ("submission.escape_formulas",),
        effect=lazy(f"{_STEPS}:write_submission"),
        kinds=("csv", "parquet"),
    ),
    Stage(
        "published_index",
        "evaluate",
        _STEPS,
        ("vector_tables", "scores", "retrieval_scores", "questions"),
        effect=lazy(f"{_STEPS}:publish_index"),
        kinds=("duckdb",),
    ),
    Stage(
        "suggested_questions",
        "evaluate",
        _STEPS,
        ("vector_tables", "published_index"),  # so that nothing is published later for their sake
        suggestion_keys,
        code_tag="2",
        work="answer",
        effect=lazy(f"{_STEPS}:write_suggestions"),
    ),
)
