"""Assets of the group usage: what was served, what a person should look at, what was accepted, and the figures of use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import dagster as dg

from kohaku_assets.assets.materialization import column_schema
from kohaku_assets.assets.place import Place
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.usage_tables import usage_path, write_usage_table
from kohaku_lib.digests import table_digest

GROUP, OWNERS = "usage", ("team:data",)
ACCEPTED = "accepted_questions"
_VERSION_TAG = "dagster/data_version"
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
        "Questions to review: judged wrong, unanswered, answered with low confidence, or on new topics.",
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
USAGE_ASSETS = tuple(name for name, _, _ in _ASSETS)


def usage_assets(project: Project, place: Place) -> list[dg.AssetsDefinition]:
    """Return the assets of the group; each is a Parquet file in the folder `usage` of the store."""
    return [_usage_asset(project, place, *one) for one in _ASSETS]


def report_accepted(project: Project) -> None:
    """Tell Dagster of the accepted questions now, so that the questions of the next refresh are not older than they."""
    with dagster_instance(project) as instance:
        version = {_VERSION_TAG: table_digest(write_usage_table(project, ACCEPTED))}
        instance.report_runless_asset_event(dg.AssetMaterialization(ACCEPTED, tags=version))


def build_usage_schedule(place: Place) -> dg.ScheduleDefinition:
    """Return the schedule that brings the group up to date each night."""
    names = {"name": place.name("nightly_usage"), "job_name": place.name(GROUP)}
    return dg.ScheduleDefinition(**names, cron_schedule="30 2 * * *")


def _usage_asset(
    project: Project, place: Place, name: str, deps: Sequence[str], description: str
) -> dg.AssetsDefinition:
    @dg.asset(
        key=place.key(name),
        deps=place.keys(deps),
        description=description,
        group_name=place.group(GROUP),
        owners=OWNERS,
        kinds={"python", "parquet"},
        output_required=name != ACCEPTED,  # without any, the questions depend on nothing more
    )
    def body() -> Iterator[dg.MaterializeResult]:
        table = write_usage_table(project, name)
        if name == ACCEPTED and not table.num_rows:
            return
        metadata = {
            "dagster/row_count": table.num_rows,
            "file": dg.MetadataValue.path(str(usage_path(project, name))),
            "dagster/column_schema": column_schema(name, table.schema),
        }
        yield dg.MaterializeResult(data_version=dg.DataVersion(table_digest(table)), metadata=metadata)

    return body
