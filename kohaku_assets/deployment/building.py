"""The definitions of a project for a code location that has others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from kohaku_assets.assets.place import Place
from kohaku_assets.definitions import placed_defs
from kohaku_assets.pipeline.project import Project
from kohaku_lib.project.keys_file import load_keys
from kohaku_lib.project.open_project import load_project_settings


def build_defs(
    project: str | Path,
    *,
    key_prefix: str | Sequence[str] = (),
    group_prefix: str = "",
    upstream: Sequence[dg.AssetKey | str | Sequence[str]] = (),
) -> dg.Definitions:
    """Return the assets, checks, jobs, schedules and sensors of a project, to be merged with those of a deployment.

    No executor is set: the steps of a run may be processes of their own. They take turns at the store, and the pool
    "PREFIX_store" lets them wait without a process. A job, which a sensor requests, deals with the end of each run.

    Args:
        project: The project's folder, or its kohaku.toml.
        key_prefix: Stands before every asset key, and before the names of jobs, schedules, sensors, pool and resource.
            Of two projects in a deployment one needs it.
        group_prefix: Stands before every group.
        upstream: Assets that the source files depend on, such as the one that writes the folder of documents.

    Raises:
        SettingsError: A setting of the project is unknown or wrong.

    docs/deployments.md shows it at work.

    """
    parts = (key_prefix,) if isinstance(key_prefix, str) else tuple(key_prefix)
    keys = tuple(map(dg.AssetKey.from_coercible, upstream))
    place = Place(tuple(filter(None, parts)), group_prefix, keys, is_alone=False)

    def load() -> Project:
        loaded = Project(load_project_settings(project))
        load_keys(loaded.home)
        return loaded

    return placed_defs(load(), load, place)
