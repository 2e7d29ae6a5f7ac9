"""The Dagster assets of all stages, built from the table of stages in one loop.

Contains what all assets share, and nothing specific to one asset.
"""

# Without `from __future__ import annotations`: Dagster reads the type of `context`.
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import dagster as dg

from kohaku_assets.assets.materialization import materialize_result
from kohaku_assets.assets.owners import OWNERS
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.resources import STORE, step_pool
from kohaku_assets.assets.step_resources import step_tags
from kohaku_assets.assets.usage_assets import ACCEPTED
from kohaku_assets.assets.warnings import warning_specs
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.stages import CHECKS, STAGES
from kohaku_lib.answering.answer_in_batches import BatchWaitingError
from kohaku_lib.settings.operations_settings import ResourcesSettings, WatchSettings

logger = dg.get_dagster_logger()


def stage_assets(
    versions: Mapping[str, str], watch: WatchSettings, resources: ResourcesSettings, place: Place
) -> list[dg.AssetsDefinition]:
    """Return the asset of every stage, in the order of the pipeline.

    Args:
        versions: Projected code versions by asset; an asset without one is declared as "unknown".
        watch: Of these, how old the published index may be.
        resources: What the steps ask Kubernetes for, as their tags.
        place: Where they stand in the deployment.
    """
    freshness = {"published_index": _freshness_policy(watch.published_within_days)}
    return [
        _stage_asset(
            stage,
            versions.get(name, "unknown"),
            freshness.get(name),
            step_tags(stage, resources),
            place,
        )
        for name, stage in STAGES.items()
    ]


def _freshness_policy(days: int | None) -> dg.FreshnessPolicy | None:
    return None if days is None else dg.FreshnessPolicy.time_window(fail_window=timedelta(days=days))


def _stage_asset(
    stage: Stage, version: str, freshness: dg.FreshnessPolicy | None, tags: Mapping[str, Any], place: Place
) -> dg.AssetsDefinition:
    resource = place.name(STORE)
    reads = [*stage.reads, *((ACCEPTED,) if stage.name == "questions" else ())]

    @dg.asset(
        key=place.key(stage.name),
        group_name=place.group(stage.group),
        deps=[*place.keys(reads), *(place.upstream if stage.name == "source_files" else ())],
        code_version=version,
        description=stage.description,
        owners=OWNERS,
        kinds=set(stage.kinds),
        required_resource_keys={resource},
        output_required=not stage.may_wait,
        check_specs=warning_specs(stage.name, place),
        freshness_policy=freshness,
        op_tags=tags,
        pool=step_pool(place),
    )
    def body(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult]:
        run: Run = getattr(context.resources, resource)
        if stage.name == "source_files" and place.upstream:
            run.project = replace(
                run.project
            )  # which forgets the files that it saw before an asset of this run wrote some
        run.unchecked.update(CHECKS.get(stage.name, ()))
        try:
            yield materialize_result(run, run_stage(run, stage))
        except BatchWaitingError as waiting:  # not a failure: downstream assets are skipped, and a sensor resumes
            logger.info(str(waiting))

    return body
