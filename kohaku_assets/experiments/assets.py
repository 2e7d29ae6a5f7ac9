"""Assets of the group experiments: one partition per sweep cell, and the reports on all sweeps with scores."""

from typing import Any

import dagster as dg

from kohaku_assets.assets.materialization import column_schema, link
from kohaku_assets.assets.owners import OWNERS
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.resources import STORE, step_pool
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.experiments import cells as sweeping
from kohaku_assets.experiments.cells import (
    PAGE,
    PlannedCell,
    cell_table,
    planned_cells,
    run_cell,
    sweep_of,
)
from kohaku_assets.pipeline.project import Project
from kohaku_lib.errors import KohakuError
from kohaku_lib.evaluation.report import sweep_markdown, sweep_page, sweep_picture
from kohaku_lib.evaluation.sweeps.scores import cell_runs
from kohaku_lib.storage import write_atomically

CELLS = "sweep_cells"  # the partitions of the cell scores
GROUP = "experiments"


def experiment_assets(project: Project, place: Place) -> list[dg.AssetsDefinition]:
    """Return the asset of the cell scores, one partition per cell, and the asset of the reports."""
    shared: dict[str, Any] = {
        "group_name": place.group(GROUP),
        "owners": OWNERS,
        "required_resource_keys": {place.name(STORE)},
        "key_prefix": place.key_prefix or None,
        "pool": step_pool(place),
    }

    @dg.asset(
        partitions_def=dg.DynamicPartitionsDefinition(name=place.name(CELLS)), kinds={"python", "parquet"}, **shared
    )
    def experiment_scores(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        """The scores of one sweep cell: the whole pipeline under its settings; shared work is done once."""
        name = context.partition_key.split()[0]
        cell_by_key = {cell.key: cell for cell in planned_cells(project, name)}
        if context.partition_key not in cell_by_key:
            msg = f"the cell {context.partition_key!r} belongs to settings or files that have changed; run 'kohaku sweep {name}'"
            raise KohakuError(msg)
        cell = cell_by_key[context.partition_key]
        run_cell(project, cell)
        return dg.MaterializeResult(metadata=_cell_metadata(project, cell))

    @dg.asset(deps=[experiment_scores], kinds={"html", "markdown"}, **shared)
    def sweep_report() -> dg.MaterializeResult:
        """A table, a picture and a page for every sweep that has a finished cell."""
        names = sorted(path.name for path in project.paths.sweeps.glob("*") if path.is_dir())
        reports_metadata = [_write_report_files(project, name) for name in names]
        return dg.MaterializeResult(metadata={key: value for one in reports_metadata for key, value in one.items()})

    return [experiment_scores, sweep_report]


def _cell_metadata(project: Project, planned_cell: PlannedCell) -> dict[str, Any]:
    """Return the settings of a finished cell and its mean score by the sweep's metric, which the UI plots by partition."""
    table, metric = cell_table(project, planned_cell), sweep_of(project, planned_cell.cell.sweep).metric
    if table is None:
        return {}
    means = [run.mean for run in cell_runs(table, metric)]
    return {
        "settings": ", ".join(planned_cell.cell.overrides),
        "dagster/row_count": table.num_rows,
        "dagster/column_schema": column_schema("experiment_scores", table.schema),
        **({metric: sum(means) / len(means)} if means else {}),
    }


def write_report(project: Project, name: str) -> None:
    """Write the report of a sweep next to its scores, and report it to Dagster as the latest `sweep_report`."""
    metadata = _write_report_files(project, name)
    with dagster_instance(project) as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization("sweep_report", metadata=metadata))


def _write_report_files(project: Project, name: str) -> dict[str, dg.MetadataValue]:
    """Write the report of a sweep as Markdown, HTML and PNG; return its UI metadata, including the picture."""
    report, folder = sweeping.sweep_report(project, name, planned_cells(project, name)), project.paths.sweeps / name
    text, page, picture = sweep_markdown(report), sweep_page(report), sweep_picture(report)
    write_atomically(folder / "report.md", lambda path: path.write_text(text, encoding="utf-8"))
    write_atomically(folder / PAGE, lambda path: path.write_text(page, encoding="utf-8"))
    write_atomically(folder / "report.png", lambda path: path.write_bytes(picture.png()))
    heading, table = text.split("\n\n", 1)
    markdown = f"{heading}\n\n![{name}]({picture.data_uri()})\n\n{table}"
    return {name: dg.MetadataValue.md(markdown), f"{name}, page": link(project, folder / PAGE)}
