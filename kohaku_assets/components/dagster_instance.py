"""The Dagster instance of a project, which stores its run history."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import dagster as dg

from kohaku_assets.operations.scaffold import DAGSTER
from kohaku_assets.pipeline.project import Project
from kohaku_lib.storage import write_atomically


def dagster_instance(project: Project) -> dg.DagsterInstance:
    """Return the Dagster instance of `DAGSTER_HOME`, else of dagster_home/ in the project folder."""
    own = (project.home / "dagster_home").resolve()
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(own)))
    is_new = home == own or not home.exists() or not any(home.iterdir())
    if is_new and not (home / "dagster.yaml").exists():  # without one, Dagster would send telemetry
        write_atomically(home / "dagster.yaml", lambda path: path.write_text(DAGSTER, encoding="utf-8"))
    for name in ("dagster", "dagster._core.execution.plan.active"):  # the latter logs the checks of waiting stages
        logging.getLogger(name).setLevel(logging.ERROR)
    return dg.DagsterInstance.get()
