"""The Dagster instance of a project, which stores its run history."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import dagster as dg

from kohaku_assets.pipeline.project import Project
from kohaku_lib.storage import write_atomically

DAGSTER = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 1
run_monitoring:
  enabled: true
retention:
  schedule:
    purge_after_days: 30
  sensor:
    purge_after_days: 7

# SQLite with persistent connections, which makes runs faster; without this block Dagster's default storage is used,
# on the same files.
storage:
  custom:
    module: kohaku_assets.components.history_storage
    class: SqliteHistory
    config:
      base_dir: {env: DAGSTER_HOME}

# Several people on one server: keep history in Postgres instead of SQLite (pip install 'kohaku[postgres]').
# storage:
#   postgres:
#     postgres_db:
#       scheme: postgresql+psycopg2
#       hostname: localhost
#       username: {env: KOHAKU_PG_USER}
#       password: {env: KOHAKU_PG_PASSWORD}
#       db_name: dagster
#       port: 5432
"""


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
