"""How assets are declared and run: the bridge between Dagster's assets and `Project.run_stage`.

Here belongs what every asset shares: its spec from the stage table, its metadata, its data version. No
algorithm, and nothing about a single asset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import dagster as dg
import pyarrow as pa

from kohaku_assets.cut_short import begin_run, end_run
from kohaku_assets.dead_runs import run_tags
from kohaku_assets.kept_states import keep_state
from kohaku_assets.project import Project
from kohaku_assets.stage_inputs import Compute, StageOutcome
from kohaku_assets.stages import CHECKS, STAGES
from kohaku_lib.answering.answer_in_batches import BatchWaitingError
from kohaku_lib.storage import StageReader, store_lock

STORE = "store"
logger = dg.get_dagster_logger()
PREVIEW_ROWS, PREVIEW_CHARS = 5, 80


Step = Callable[[], StageOutcome]


class AssetMaker:
    """Turns pure step functions into Dagster assets of one project.

    `versions` are the projected code versions; an asset without one is declared as "unknown". `steps` runs the
    stages by name without Dagster.
    """

    def __init__(self, project: Project, versions: Mapping[str, str]) -> None:
        self.project = project
        self.settings = project.settings
        self.steps: dict[str, Step] = {}
        self._versions = versions

    def asset(
        self,
        name: str,
        *,
        effect: Callable[[pa.Table], object] | None = None,
        intact: Callable[[str], bool] | None = None,
        shown: Callable[[], Mapping[str, Any]] | None = None,
        **more: Any,
    ) -> Callable[[Compute], dg.AssetsDefinition]:
        """Return a decorator that makes an asset of a step function `(inputs) -> (table, report)`.

        Group, dependencies and version come from the stage table, the description from the docstring;
        `effect` and `intact` are those of `Project.run_stage`, `more` goes to `dg.asset`. `shown` is asked, after the
        step, for what the UI shows beside the usual figures.
        """
        stage = STAGES[name]

        def declare(compute: Compute) -> dg.AssetsDefinition:
            step = self.steps[name] = partial(self.project.run_stage, name, compute, effect, intact)

            def body() -> Iterator[dg.MaterializeResult]:
                self.project.unchecked.update(CHECKS.get(name, ()))
                try:
                    outcome = step()
                    yield _result(self.project, outcome, shown() if shown else {})
                except BatchWaitingError as waiting:  # no failure: what reads this is skipped, and a sensor goes on
                    logger.info(str(waiting))

            return dg.asset(
                name=name,
                group_name=stage.group,
                deps=list(stage.reads),
                code_version=self._versions.get(name, "unknown"),
                description=compute.__doc__,
                owners=["team:data"],
                required_resource_keys={STORE},
                **{"kinds": {"python", "parquet"}, **more},
            )(body)

        return declare


def locked_store(project: Project) -> dg.ResourceDefinition:
    """Return the resource that holds the store's lock from the first step of a run to its end.

    Without it another run could slip in between two steps. At the end kohaku.duckdb is written anew, and what
    stands together then is kept as a state of the project's history; a kill before leaves it to the next run.
    """

    @dg.resource(description="The store of the project, locked while a run lasts.")
    def store(context: dg.InitResourceContext) -> Iterator[Project]:
        with store_lock(project.store):
            if context.instance is not None and context.run is not None:
                context.instance.add_run_tags(context.run.run_id, run_tags(project.store))
            begin_run(project)
            yield project
            project.write_views()
            keep_state(project)
            end_run(project)

    return store


def _result(project: Project, outcome: StageOutcome, shown: Mapping[str, Any]) -> dg.MaterializeResult:
    table = project.files.open(outcome.manifest.stage, outcome.manifest.input_key)
    usual = {**_counts(outcome), "dagster/column_schema": _schema(table), **_preview(table), **_problems(outcome)}
    return dg.MaterializeResult(data_version=dg.DataVersion(outcome.manifest.content_hash), metadata={**shown, **usual})


def _counts(outcome: StageOutcome) -> dict[str, Any]:
    return {
        "dagster/row_count": outcome.manifest.rows,
        "rows computed": outcome.computed,
        "rows reused": outcome.reused,
        "seconds": round(outcome.seconds, 3),
        "input key": outcome.manifest.input_key,
        **{name: round(value, 4) for name, value in outcome.manifest.metrics.items()},
    }


def _schema(table: StageReader) -> dg.TableSchema:
    return dg.TableSchema(columns=[dg.TableColumn(field.name, str(field.type)) for field in table.schema])


def _preview(table: StageReader) -> dict[str, Any]:
    columns = [field.name for field in table.schema if not _is_bulk(field.type)]
    rows = table.select(columns).head(PREVIEW_ROWS).to_pylist() if columns else []
    if not rows:
        return {}
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(row[name]) for name in columns)} |" for row in rows]
    return {"preview": dg.MetadataValue.md("\n".join(lines))}


def _is_bulk(kind: pa.DataType) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_fixed_size_list(kind)


def _problems(outcome: StageOutcome) -> dict[str, Any]:
    if not outcome.problems:
        return {}
    return {"problems": dg.MetadataValue.md("\n".join(f"- {problem}" for problem in outcome.problems))}


def _cell(value: object) -> str:
    text = str(value).replace("|", "¦").replace("\n", " ")
    return text if len(text) <= PREVIEW_CHARS else f"{text[: PREVIEW_CHARS - 1]}…"
