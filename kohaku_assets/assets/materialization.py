"""What Dagster is told of a stage that ran: counts, columns, a preview, problems."""

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
from kohaku_lib.storage import StageReader
from kohaku_lib.tables.column_descriptions import column_description

PREVIEW_ROWS, PREVIEW_CHARS = 5, 80
# The columns that a preview begins with; the others follow in their order.
FIRST = {
    "source_files": ("path", "document_id", "status", "size_bytes"),
    "documents": ("document_id", "title", "status", "error", "pages"),
    "document_images": ("document_id", "page", "page_caption", "width", "height"),
    "image_captions": ("document_id", "page", "text", "caption_source"),
    "tree_nodes": ("node_id", "kind", "text", "page"),
    "knowledge_graph": ("name", "entity_type", "span_text", "document_id"),
    "questions": ("id", "question", "answer_unit", "has_truth", "problem"),
    "retrieved_context": ("id", "queries", "matches"),
    "predictions": ("id", "question", "answer_value", "answer_unit", "confidence", "ref_id", "error"),
    "ensemble_votes": ("id", "question", "answer_value", "answer_unit", "ref_id", "agreement"),
    "scores": ("id", "member", "metric", "score"),
    "error_report": ("id", "error_class", "question", "truth_value", "answer_value", "lost_at"),
    "submission": ("id", "question", "answer_value", "answer_unit", "ref_id"),
}


def materialize_result(run: Run, outcome: StageOutcome) -> dg.MaterializeResult:
    """Return the event of a stage that ran: its data version, metadata and warnings."""
    table = run.project.files.open(outcome.manifest.stage, outcome.manifest.input_key)
    step_metadata = {name: _metadata_value(run.project, value) for name, value in outcome.shown.items()}
    stage_metadata = {
        **_count_metadata(outcome),
        "dagster/column_schema": _column_schema(outcome.manifest.stage, table),
        **_preview_metadata(outcome.manifest.stage, table),
        **_problem_metadata(outcome),
    }
    return dg.MaterializeResult(
        data_version=dg.DataVersion(outcome.manifest.content_hash),
        metadata={**step_metadata, **stage_metadata},
        check_results=list(warnings(run.project, outcome.manifest.stage)),
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
        "seconds": round(outcome.seconds, 3),
        "input key": outcome.manifest.input_key,
        **{name: round(value, 4) for name, value in outcome.manifest.metrics.items()},
    }


def _column_schema(stage: str, table: StageReader) -> dg.TableSchema:
    return dg.TableSchema(
        columns=[
            dg.TableColumn(field.name, str(field.type), description=column_description(stage, field.name))
            for field in table.schema
        ]
    )


def _preview_metadata(stage: str, table: StageReader) -> dict[str, Any]:
    shown = [field.name for field in table.schema if not _is_bulk(field.type)]
    first = [name for name in FIRST.get(stage, ()) if name in shown]
    columns = [*first, *(name for name in shown if name not in first)]
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
