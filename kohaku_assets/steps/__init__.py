"""The steps of all stages, by name. Imports no Dagster."""

from __future__ import annotations

from collections.abc import Iterable

from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.step import Step
from kohaku_assets.steps.answer import ANSWER
from kohaku_assets.steps.evaluate import EVALUATE
from kohaku_assets.steps.index import INDEX
from kohaku_assets.steps.ingest import INGEST

STEPS: dict[str, Step] = {step.name: step for step in (*INGEST, *INDEX, *ANSWER, *EVALUATE)}


def run_stages(run: Run, names: Iterable[str]) -> None:
    """Run the stages `names` in order; stored outputs are reused."""
    for name in names:
        run_stage(run, STEPS[name])
