"""The platform over `kohaku_lib`: Dagster assets, their staleness, and the `kohaku` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kohaku_assets.operations.refresh import RefreshReport

# Arrow looks at this once, when it is loaded. Tables of many sizes follow each other here: jemalloc holds less for them
# than the other allocators and gives back at once what is free, so that the peak does not grow with their number.
if sys.platform in ("linux", "darwin"):
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")


def refresh(
    path: str | Path = ".",
    assets: Sequence[str] = (),
    *,
    settings: Mapping[str, Any] | None = None,
    force: Collection[str] = (),
) -> RefreshReport:
    """Bring the assets of a project up to date: those that are stale or missing, and nothing else.

    Args:
        path: The project's folder, or its kohaku.toml.
        assets: Their names; with their ancestors they are what is refreshed. All by default.
        settings: Values by dotted name that override those of the file and the environment.
        force: Assets that are computed anew even if fresh.

    Returns:
        What was out of date with its causes, what running it came to, and the first failure, if any.

    Raises:
        KohakuError: A setting, a file or a name of an asset is wrong, or another run holds the store.

    docs/python.md shows it at work.

    """
    from kohaku_assets.operations.refresh import refresh as refresh_project
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.service.keys_file import load_keys
    from kohaku_lib.service.open_project import load_project_settings

    project = Project(load_project_settings(path, settings))
    load_keys(project.home)
    return refresh_project(project, assets, force=force)
