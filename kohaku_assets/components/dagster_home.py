"""Where Dagster keeps the history of a project, known without Dagster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.project import Project


def dagster_home(project: Project) -> Path:
    """Return the folder `DAGSTER_HOME`, else dagster_home/ in the project folder."""
    return Path(os.environ.get("DAGSTER_HOME") or project.home / "dagster_home").absolute()


def dagster_settings(project: Project) -> dict[str, Any]:
    """Return what Dagster's file dagster.yaml says; nothing if it is missing or cannot be read."""
    import yaml

    try:
        found = yaml.safe_load((dagster_home(project) / "dagster.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}
