"""What Dagster is told of a stage that ran: counts, columns and files, but nothing that stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import dagster as dg
import pyarrow as pa

from kohaku_assets.assets.warnings import warnings
from kohaku_assets.pipeline.effect import Markdown
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_lib.tables.column_descriptions import column_description


def materialize_result(run: Run, outcome: StageOutcome) -> dg.MaterializeResult:
    """Return the event of a stage that ran: its data version, metadata and warnings."""
    stage, input_key = outcome.manifest.stage, outcome.manifest.input_key
    table, path = run.project.files.open(stage, input_key), run.project.files.path(stage, input_key)
    step_metadata = {name: _metadata_value(run.project, value) for name, value in outcome.shown.items()}
    stage_metadata = {
        **_count_metadata(outcome),
        "dagster/column_schema": column_schema(stage, table.schema),
        "file": link(run.project, path),
        "manifest": link(run.project, path.with_suffix(".json")),
    }
    return dg.MaterializeResult(
        data_version=dg.DataVersion(outcome.manifest.content_hash),
        metadata={**step_metadata, **stage_metadata},
        check_results=list(warnings(run.project, stage)),
    )


def _metadata_value(project: Project, value: object) -> Any:
    if isinstance(value, Markdown):
        return dg.MetadataValue.md(value)
    return link(project, value) if isinstance(value, Path) else value


def link(project: Project, path: Path) -> dg.MetadataValue:
    """Return the address of a file of the store below watch.files_url; its path where that is not set."""
    base = project.settings.watch.files_url
    if base is None:
        return dg.MetadataValue.path(str(path))
    return dg.MetadataValue.url(f"{base.rstrip('/')}/{quote(path.relative_to(project.store).as_posix())}")


def _count_metadata(outcome: StageOutcome) -> dict[str, Any]:
    return {
        "dagster/row_count": outcome.manifest.rows,
        "rows computed": outcome.computed,
        "rows reused": outcome.reused,
        "problems": len(outcome.problems),  # the manifest has their sentences, which may quote
        "seconds": round(outcome.seconds, 3),
        "input key": outcome.manifest.input_key,
        **{name: round(value, 4) for name, value in outcome.manifest.metrics.items()},
    }


def column_schema(table: str, schema: pa.Schema) -> dg.TableSchema:
    """Return the columns of a table as the UI shows them, with their descriptions."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(field.name, str(field.type), description=column_description(table, field.name))
            for field in schema
        ]
    )
