"""Assets of the group usage: what was served, what a person should look at, what was accepted, and the figures of use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import dagster as dg
import pyarrow.parquet as pq

from kohaku_assets.operations.reviewing import usage_table
from kohaku_assets.pipeline.project import Project
from kohaku_lib.digests import table_digest
from kohaku_lib.storage import write_atomically

GROUP, OWNERS = "usage", ("team:data",)
ACCEPTED = "accepted_questions"
_PREVIEW_ROWS = 10
# name, what it is computed from, and its description
_ASSETS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "served_questions",
        (),
        "Every question that the assistant served, with its answer, confidence, cost and feedback.",
    ),
    (
        "review_queue",
        ("served_questions",),
        "Questions to look at: blamed, unanswered, answered unsurely, or on new topics.",
    ),
    (
        "usage_report",
        ("served_questions",),
        "Volume, unanswered share, latency, cost, cache and drift of topics by month.",
    ),
    (
        ACCEPTED,
        ("review_queue",),
        "Questions whose truth a person accepted by 'kohaku review'; the questions read them.",
    ),
)


def usage_assets(project: Project) -> list[dg.AssetsDefinition]:
    """Return the assets of the group; each is a Parquet file in the folder `usage` of the store."""
    return [_usage_asset(project, *one) for one in _ASSETS]


def build_usage_schedule() -> dg.ScheduleDefinition:
    """Return the schedule that brings the group up to date each night."""
    return dg.ScheduleDefinition(name="nightly_usage", job_name=GROUP, cron_schedule="30 2 * * *")


def _usage_asset(project: Project, name: str, deps: Sequence[str], description: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=name,
        deps=list(deps),
        description=description,
        group_name=GROUP,
        owners=OWNERS,
        kinds={"python", "parquet"},
    )
    def body() -> dg.MaterializeResult:
        table = usage_table(project, name)
        path = project.store / GROUP / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, partial(pq.write_table, table))
        lines = [f"- {row.get('question') or row}" for row in table.slice(0, _PREVIEW_ROWS).to_pylist()]
        metadata = {
            "dagster/row_count": table.num_rows,
            "file": dg.MetadataValue.path(str(path)),
            "first rows": dg.MetadataValue.md("\n".join(lines) or "none"),
        }
        return dg.MaterializeResult(data_version=dg.DataVersion(table_digest(table)), metadata=metadata)

    return body
