"""The asset `change_report`: what every run changed, reported to Dagster at the end of the run.

It is no stage: it compares two states, so it has no input key and is never stale.
"""

from __future__ import annotations

import dagster as dg

from kohaku_assets.assets.owners import OWNERS
from kohaku_assets.assets.place import Place
from kohaku_lib.evaluation.changes.change_report import ChangeReport

CHANGE_REPORT, CHANGES_TAG = "change_report", "kohaku/changes"
READS = ("documents", "ensemble_votes", "scores", "retrieval_scores")


def change_report_spec(place: Place) -> dg.AssetSpec:
    """Return the asset of the change reports, which every run materialises by itself."""
    return dg.AssetSpec(
        place.key(CHANGE_REPORT),
        deps=place.keys(READS),
        group_name=place.group("evaluate"),
        kinds={"markdown"},
        owners=OWNERS,
        description="What the last run changed: documents, scores with their interval, and answers that flipped.",
    )


def publish_change_report(instance: dg.DagsterInstance, run_id: str, report: ChangeReport | None, place: Place) -> None:
    """Report `report` as the latest `change_report`, and its summary as a tag of the run."""
    summary = "the first state of this project" if report is None else report.summary
    text = summary if report is None else "\n".join(f"    {line}" for line in report.told(texts=False))
    metadata = {"summary": summary, "changes": dg.MetadataValue.md(text), "run": run_id}
    key = place.key(CHANGE_REPORT)
    instance.report_runless_asset_event(dg.AssetMaterialization(key, metadata=metadata))
    if instance.has_run(run_id):
        instance.add_run_tags(run_id, {CHANGES_TAG: summary})
