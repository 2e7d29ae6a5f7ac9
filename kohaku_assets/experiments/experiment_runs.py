"""Experiments: the whole pipeline under some settings, measured and recorded under a name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kohaku_assets.components.preflight import check_inputs, check_requirements
from kohaku_assets.experiments.experiment_records import (
    experiment_folder,
    labelled_questions,
    recorded,
    write_experiment,
)
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import MEASURED, with_ancestors
from kohaku_assets.records.project_lock import project_lock
from kohaku_lib.composition import override
from kohaku_lib.digests import digest
from kohaku_lib.errors import KohakuError
from kohaku_lib.evaluation import submission_rows, write_csv
from kohaku_lib.evaluation.experiments.hardware import hardware
from kohaku_lib.evaluation.experiments.meter import Limits, Meter
from kohaku_lib.evaluation.experiments.record import failed_experiment, record_experiment
from kohaku_lib.llm.ledger.summary import calls_since
from kohaku_lib.masking import masked
from kohaku_lib.settings import Settings, leaf_fields, pick, value_of

_MEASURED_STAGES = frozenset({"query_plans", "retrieved_context", "predictions"})  # computed anew
_UNRELATED = ("store", "corpus", "sweep", "parallel", "snapshots")  # sections that say where and not what


def is_recorded(project: Project, name: str) -> bool:
    """Return whether the experiment `name` has scores for the current settings and files."""
    key = _key(project)
    return any(row["name"] == name and row["key"] == key and not row["problem"] for row in recorded(project))


def run_experiment(
    project: Project, name: str, limits: Limits, say: Callable[[str], object], environment: str | None = None
) -> str | None:
    """Run the experiment `name` under the settings of `project`, record it, and return why it has no scores, if so.

    One question is answered first. Beyond a limit the run ends like an interrupted one. `environment` is what people call
    the machine.

    Raises:
        KohakuError: There are no labelled questions, or what the settings need is missing.
    """
    folder = experiment_folder(project, name)
    own = Project(project.loaded, folder / "records")
    truth = labelled_questions(project)
    check_inputs(own, with_ancestors(MEASURED))
    check_requirements(Run(own), with_ancestors(MEASURED))
    started = datetime.now(UTC)
    facts = _setting_facts(own.settings) | {
        "name": name,
        "created": started.isoformat(timespec="seconds"),
        "source": "run",
        "key": _key(project),
        "environment": environment,
        "hardware_json": json.dumps(hardware()),
    }
    run = Run(own, force=_MEASURED_STAGES)
    meter = Meter(limits)
    try:
        with meter, project_lock(project):
            say("one question first")
            _check_first_question(project, folder, truth[0])
            say(f"{len(truth)} questions")
            run_stages(run, with_ancestors(MEASURED))
        _check_limits(meter)
    except (KeyboardInterrupt, KohakuError) as error:
        if meter.exceeded is None and isinstance(error, KeyboardInterrupt):
            raise
        problem = meter.exceeded or masked(str(error))
        write_experiment(project, name, failed_experiment(facts | asdict(meter.result), problem))
        return problem
    calls = calls_since(project.paths.llm_calls, started.replace(tzinfo=None))
    facts |= asdict(meter.result) | _times(run.outcomes) | _call_facts(calls)
    rows = _answered_rows(own, calls)
    write_experiment(project, name, record_experiment(facts, rows, truth), rows)
    return None


def _check_limits(meter: Meter) -> None:
    """Raise KohakuError if a limit was exceeded: what a script starts in the background ignores interrupts."""
    if meter.exceeded is not None:
        raise KohakuError(meter.exceeded)


def _key(project: Project) -> str:
    versions = project.versions(MEASURED)
    return digest([versions[stage] for stage in MEASURED])


def _check_first_question(project: Project, folder: Path, row: Mapping[str, str]) -> None:
    path = folder / "first_question.csv"
    write_csv([row], path, list(row), escape_formulas=False)  # read back by kohaku
    first = Project(override(project.loaded, (f"corpus.questions={path.resolve()}",)), folder / "first")
    run_stages(Run(first), with_ancestors(["predictions"]))
    for prediction in first.files.latest_table("predictions").to_pylist():
        if prediction["error"]:
            msg = f"the first question {row['id']!r} failed, so no other was asked: {prediction['error']}"
            raise KohakuError(msg)


def _setting_facts(settings: Settings) -> dict[str, Any]:
    uses_chat = settings.uses_chat
    defaults = type(settings)()
    keys = [
        key
        for key in leaf_fields(type(settings))
        if not key.startswith(_UNRELATED) and value_of(settings, key) != value_of(defaults, key)
    ]
    return {
        "provider": settings.llm.provider if uses_chat else settings.answerer,
        "model": settings.llm.model if uses_chat else settings.answerer,
        "size_b": settings.llm.facts().size_b if uses_chat else None,
        "dtype": settings.llm.dtype if uses_chat and settings.llm.provider == "local" else None,
        "runs": settings.ensemble.runs,
        "settings_json": masked(json.dumps(pick(settings, keys), sort_keys=True)),
    }


def _times(outcomes: Mapping[str, StageOutcome]) -> dict[str, float]:
    """Return the mean seconds of a question for its context and for one answer, and their sum."""
    contexts, answers = outcomes["retrieved_context"], outcomes["predictions"]
    searched = (outcomes["query_plans"].seconds + contexts.seconds) / max(1, contexts.manifest.rows)
    answered = answers.seconds / max(1, answers.manifest.rows)
    return {"retrieval_s": searched, "answer_s": answered, "latency_s": searched + answered}


def _call_facts(calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return number, tokens, cost and mean latency of the calls; calls wait for each other, so latency is theirs alone."""
    if not calls:
        return {}
    sums = {name: _known_sum(calls, name) for name in ("input_tokens", "output_tokens", "cost_usd")}
    return {"calls": len(calls), **sums, "latency_s": None, "answer_s": None}


def _known_sum(calls: Sequence[Mapping[str, Any]], name: str) -> float | None:
    known = [call[name] for call in calls if call[name] is not None]
    return sum(known) if known else None


def _answered_rows(project: Project, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the voted answers with the errors and attempts of their runs, and the seconds of their calls per run."""
    seconds: dict[str, float] = defaultdict(float)
    for call in calls:
        seconds[call["question_id"]] += call["latency_s"] or 0.0
    runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for prediction in project.files.latest_table("predictions").to_pylist():
        runs[prediction["id"]].append(prediction)
    return [
        row
        | {
            "error": next((run["error"] for run in runs[row["id"]] if run["error"]), None),
            "attempts": max((run["attempts"] for run in runs[row["id"]]), default=1),
            "latency_s": seconds[row["id"]] / len(runs[row["id"]]) if row["id"] in seconds else None,
        }
        for row in submission_rows(project.files.latest_table("ensemble_votes"))
    ]
