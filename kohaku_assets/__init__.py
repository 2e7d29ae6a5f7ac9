"""The platform over `kohaku_lib`: Dagster assets, their staleness, and the `kohaku` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kohaku_assets.deployment.building import build_defs
    from kohaku_assets.deployment.component import KohakuProject
    from kohaku_assets.deployment.project_resource import ProjectResource
    from kohaku_assets.operations.refresh import RefreshReport

__all__ = ["KohakuProject", "ProjectResource", "build_defs", "refresh"]
_IMPORTED_LATE = {  # as they import dagster, which takes a second
    "KohakuProject": "component",
    "ProjectResource": "project_resource",
    "build_defs": "building",
}

# Arrow reads this once, on import. This process allocates tables of many sizes in sequence: jemalloc retains less memory
# for them than the other allocators and returns freed memory at once, so the peak does not grow with their number.
if sys.platform in ("linux", "darwin"):
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")


def refresh(
    path: str | Path = ".",
    assets: Sequence[str] = (),
    *,
    settings: Mapping[str, Any] | None = None,
    force: Collection[str] = (),
) -> RefreshReport:
    """Compute the stale and missing assets of a project.

    Args:
        path: The project folder or its kohaku.toml.
        assets: Names of the assets to refresh, together with their ancestors. All by default.
        settings: Values by dotted name that override the file and the environment.
        force: Assets that are recomputed even if fresh.

    Returns:
        The outdated assets with their causes, the outcome of each executed stage, and the first failure, if any.

    Raises:
        KohakuError: A setting, a file or an asset name is invalid, or another run holds the store lock.

    See docs/python.md for examples.

    """
    from kohaku_assets.operations.refresh import refresh as refresh_project
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.project.keys_file import load_keys
    from kohaku_lib.project.open_project import load_project_settings

    project = Project(load_project_settings(path, settings))
    load_keys(project.home)
    return refresh_project(project, assets, force=force)


def __getattr__(name: str) -> Any:
    if name not in _IMPORTED_LATE:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"kohaku_assets.deployment.{_IMPORTED_LATE[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_IMPORTED_LATE})
