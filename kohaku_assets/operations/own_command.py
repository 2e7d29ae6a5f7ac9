"""The command that runs a verb in a process of its own, with the settings of this one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition.loading import given_overrides


def own_command(
    project: Project, *arguments: str, overrides: Sequence[str] = (), module: str = "kohaku_assets.cli"
) -> list[str]:
    """Return the command of a verb and its `arguments`, with the settings file and --set of `project`, then `overrides`.

    `module` is what runs it.
    """
    loaded = project.loaded
    settings = [part for one in (*given_overrides(loaded), *overrides) for part in ("--set", one)]
    config = ["--config", str(loaded.file)] if loaded.file else []
    return [sys.executable, "-P", "-m", module, *arguments, *config, *settings]
