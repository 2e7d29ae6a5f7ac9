"""The Dagster assets of all stages, built from the table of stages and the table of steps in one loop.

Contains what all assets share (spec, metadata, data version), and nothing specific to one asset.
"""

# Without `from __future__ import annotations`: Dagster reads the type of `context`.
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from kohaku_assets.assets.resources import STORE
from kohaku_assets.assets.usage_assets import ACCEPTED
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.stages import CHECKS, STAGES, Stage
from kohaku_assets.pipeline.step import Markdown, Step
from kohaku_assets.steps import STEPS
from kohaku_lib.answering.answer_in_batches import BatchWaitingError
from kohaku_lib.storage import StageReader

OWNERS = ("team:data",)
PREVIEW_ROWS, PREVIEW_CHARS = 5, 80

logger = dg.get_dagster_logger()


def stage_assets(versions: Mapping[str, str]) -> list[dg.AssetsDefinition]:
    """Return the asset of every stage, in the order of the pipeline.

    Args:
        versions: Projected code versions by asset; an asset without one is declared as "unknown".
    """
    return [_stage_asset(stage, STEPS[name], versions.get(name, "unknown")) for name, stage in STAGES.items()]


def _stage_asset(stage: Stage, step: Step, version: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=stage.name,
        group_name=stage.group,
        deps=[*stage.reads, *((ACCEPTED,) if stage.name == "questions" else ())],
        code_version=version,
        description=step.description,
        owners=OWNERS,
        kinds=set(step.kinds),
        required_resource_keys={STORE},
        output_required=not step.may_wait,
    )
    def body(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult]:
        run: Run = getattr(context.resources, STORE)
        run.unchecked.update(CHECKS.get(stage.name, ()))
        try:
            yield _materialize_result(run, run_stage(run, step))
        except BatchWaitingError as waiting:  # not a failure: downstream assets are skipped, and a sensor resumes
            logger.info(str(waiting))

    return body


def _materialize_result(run: Run, outcome: StageOutcome) -> dg.MaterializeResult:
    table = run.project.files.open(outcome.manifest.stage, outcome.manifest.input_key)
    step_metadata = {name: _metadata_value(value) for name, value in outcome.shown.items()}
    stage_metadata = {
        **_count_metadata(outcome),
        "dagster/column_schema": _column_schema(table),
        **_preview_metadata(table),
        **_problem_metadata(outcome),
    }
    return dg.MaterializeResult(
        data_version=dg.DataVersion(outcome.manifest.content_hash), metadata={**step_metadata, **stage_metadata}
    )


def _metadata_value(value: object) -> Any:
    if isinstance(value, Markdown):
        return dg.MetadataValue.md(value)
    return dg.MetadataValue.path(str(value)) if isinstance(value, Path) else value


def _count_metadata(outcome: StageOutcome) -> dict[str, Any]:
    return {
        "dagster/row_count": outcome.manifest.rows,
        "rows computed": outcome.computed,
        "rows reused": outcome.reused,
        "seconds": round(outcome.seconds, 3),
        "input key": outcome.manifest.input_key,
        **{name: round(value, 4) for name, value in outcome.manifest.metrics.items()},
    }


def _column_schema(table: StageReader) -> dg.TableSchema:
    return dg.TableSchema(columns=[dg.TableColumn(field.name, str(field.type)) for field in table.schema])


def _preview_metadata(table: StageReader) -> dict[str, Any]:
    columns = [field.name for field in table.schema if not _is_bulk(field.type)]
    rows = table.select(columns).head(PREVIEW_ROWS).to_pylist() if columns else []
    if not rows:
        return {}
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_preview_cell(row[name]) for name in columns)} |" for row in rows]
    return {"preview": dg.MetadataValue.md("\n".join(lines))}


def _is_bulk(kind: pa.DataType) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_fixed_size_list(kind)


def _problem_metadata(outcome: StageOutcome) -> dict[str, Any]:
    if not outcome.problems:
        return {}
    return {"problems": dg.MetadataValue.md("\n".join(f"- {problem}" for problem in outcome.problems))}


def _preview_cell(value: object) -> str:
    text = str(value).replace("|", "¦").replace("\n", " ")
    return text if len(text) <= PREVIEW_CHARS else f"{text[: PREVIEW_CHARS - 1]}…"
