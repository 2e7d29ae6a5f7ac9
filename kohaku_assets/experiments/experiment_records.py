"""The experiments of a store: a folder each, with a row of EXPERIMENTS, the rows of EXPERIMENT_RESULTS, and the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import read_rows, write_csv
from kohaku_lib.evaluation.experiments.record import imported_facts, record_experiment
from kohaku_lib.storage import write_atomically
from kohaku_lib.storage.views import EXPERIMENT_FILE, RESULTS_FILE
from kohaku_lib.tables.experiments import EXPERIMENTS

_ANSWERS_FILE = "answers.csv"


def import_experiment(project: Project, name: str, answers: Path, summary: Path | None) -> None:
    """Record a file of answers to the questions of the project as an experiment, with what its `summary` says of it.

    Raises:
        InputFileError: A file cannot be read.
    """
    facts: dict[str, Any] = {"created": datetime.now(UTC).isoformat(timespec="seconds")}
    if summary is not None:
        facts |= imported_facts(_read_summary(summary))
    model = facts.get("model")
    facts |= {"name": name, "source": "imported", "size_b": project.settings.llm.facts(model).size_b if model else None}
    rows = read_rows(answers)
    write_experiment(project, name, record_experiment(facts, rows, labelled_questions(project)), rows)


def recorded(project: Project) -> list[dict[str, Any]]:
    """Return all experiments (rows of EXPERIMENTS), by name."""
    import pyarrow.parquet as pq

    paths = sorted(project.experiments.glob(f"*/{EXPERIMENT_FILE}"))
    return [row for path in paths for row in pq.read_table(path, schema=EXPERIMENTS).to_pylist()]


def experiment_answers(project: Project, name: str) -> Path:
    """Return the file of the answers of an experiment, with WattBot's columns.

    Raises:
        InputFileError: There is no such experiment, it failed, or it was recorded before answers were kept.
    """
    path = experiment_folder(project, name) / _ANSWERS_FILE
    if not path.is_file():
        with_answers = sorted(one.parent.name for one in project.experiments.glob(f"*/{_ANSWERS_FILE}"))
        known = ", ".join(with_answers) or "none"
        msg = f"there are no answers of an experiment {name!r} in the store; those with answers: {known}"
        raise InputFileError(msg)
    return path


def recorded_results(project: Project) -> list[dict[str, Any]]:
    """Return the results of all experiments (rows of EXPERIMENT_RESULTS), by name."""
    import pyarrow.parquet as pq

    paths = sorted(project.experiments.glob(f"*/{RESULTS_FILE}"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def labelled_questions(project: Project) -> list[dict[str, str]]:
    """Return the rows of corpus.questions that have an answer.

    Raises:
        InputFileError: There are none.
    """
    path = project.settings.corpus.questions
    rows = [row for row in read_rows(path) if (row.get("answer_value") or "").strip()] if path is not None else []
    if not rows:
        msg = f"an experiment needs labelled questions, got none in corpus.questions = {str(path)!r}; set a file with truth"
        raise InputFileError(msg)
    return rows


def write_experiment(
    project: Project, name: str, tables: tuple[pa.Table, pa.Table], answers: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Write an experiment, its results (EXPERIMENTS, EXPERIMENT_RESULTS) and `answers`, and the views over all of them."""
    folder = experiment_folder(project, name)
    folder.mkdir(parents=True, exist_ok=True)
    if answers:
        write_csv(answers, folder / _ANSWERS_FILE, escape_formulas=False)  # read back by kohaku
    else:
        (folder / _ANSWERS_FILE).unlink(missing_ok=True)
    for file, table in zip((RESULTS_FILE, EXPERIMENT_FILE), reversed(tables), strict=True):
        write_atomically(folder / file, partial(_write_table, table))
    write_sql_views(project)


def experiment_folder(project: Project, name: str) -> Path:
    """Return the folder of an experiment.

    Raises:
        InputFileError: The name is no name of a folder.
    """
    if not name or name.startswith(".") or Path(name).name != name:
        msg = f"an experiment is a folder of the store, so {name!r} is no name for it; use letters, digits, '-' and '_'"
        raise InputFileError(msg)
    return project.experiments / name


def _read_summary(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{str(path)!r} is no JSON file that can be read ({error}); give a summary.json"
        raise InputFileError(msg) from error
    if not isinstance(value, dict):
        msg = f"{str(path)!r} must contain a JSON object; give a summary.json"
        raise InputFileError(msg)
    return value


def _write_table(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path)
