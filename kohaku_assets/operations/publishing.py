"""Publishes an index version by hand, and shows in Dagster's UI whether an older one is pinned."""

from __future__ import annotations

import os
import threading

import dagster as dg

from kohaku_assets.assets.warnings import publication_result
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.components.history_fault import history_fault
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.publication import lift_pin, publish_version
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.errors import StoreError
from kohaku_lib.index import roll_back

_ONE_AT_A_TIME = threading.Lock()  # the lock of a project is reentrant within a process, also across its threads


def change_publication(project: Project, version: str | None = None, *, unpin: bool = False) -> str:
    """Publish `version`, or lift the pin, or roll back to the previous version; return the published version.

    Raises:
        StoreError: There is no such version, no earlier one or no pin, or another run holds the store lock.
    """
    with _ONE_AT_A_TIME, project_lock(project):
        if unpin:
            version = lift_pin(project)
        else:
            version = version or roll_back(project.snapshots)
            publish_version(project, version)
        write_sql_views(project)
    _show_in_dagster(project)
    return version


def _show_in_dagster(project: Project) -> None:
    key = dg.AssetKey("published_index")
    check = dg.AssetCheckEvaluation(asset_key=key, **publication_result(project))
    try:
        with dagster_instance(project) as instance:
            if instance.has_asset_key(key):  # in a deployment it has a prefix, and its sensor `ended_runs` reports
                instance.report_runless_asset_event(check)
    except Exception as error:
        fault = history_fault(error, os.environ["DAGSTER_HOME"])
        if fault is None:
            raise
        raise StoreError(fault) from error
