"""The error report on a project's current answers: its files in the store, and its UI metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.effect import Markdown
from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation.report import Answers, ErrorFacts, error_markdown, error_page, error_preview, gather_facts
from kohaku_lib.evaluation.run_rows import rows_by_run
from kohaku_lib.storage import write_atomically

PAGE, TEXT = "error_report.html", "error_report.md"
ANSWERS = "predictions"  # the stage name of answer calls in the ledger


def write_error_report(project: Project) -> dict[str, Any]:
    """Write the report on the current answers as HTML and as Markdown; return its UI metadata.

    Without truth no report is written, and a previous one is deleted.
    """
    facts = gather_facts(present_answers(project), project.settings.report.blank_cost)
    folder = report_folder(project)
    if facts is None:
        for name in (PAGE, TEXT):
            (folder / name).unlink(missing_ok=True)
        return {}
    page, _ = write_report_files(facts, folder)
    figures = {"official score": facts.scores[0].score, "wrong questions": len(facts.wrong)}
    if facts.confidence:
        figures["area under coverage-risk"] = facts.confidence.main.curve.area
    return {"report": Markdown(error_preview(facts)), "page": page, **figures}


def write_report_files(facts: ErrorFacts, folder: Path) -> tuple[Path, Path]:
    """Write the report on `facts` as HTML and as Markdown into `folder`; return both paths."""
    page, text = error_page(facts), error_markdown(facts)
    write_atomically(folder / PAGE, lambda path: path.write_text(page, encoding="utf-8"))
    write_atomically(folder / TEXT, lambda path: path.write_text(text, encoding="utf-8"))
    return folder / PAGE, folder / TEXT


def report_folder(project: Project) -> Path:
    """Return the folder of the project's error report."""
    return project.paths.reports


def present_answers(project: Project) -> Answers:
    """Return the current votes with the tables that a report needs."""
    latest = project.present_table
    predictions = latest("predictions")
    return Answers(
        latest("questions"),
        latest("ensemble_votes"),
        rows_by_run(predictions),
        predictions,
        latest("retrieved_context"),
        run_costs(project, dict(zip(*(predictions[name].to_pylist() for name in ("run", "run_label")), strict=True))),
    )


def run_costs(project: Project, label_by_run: Mapping[int, str]) -> dict[str, float]:
    """Return the cost of each run's answers in US dollars, by label, as far as it is known.

    Zero if the provider calls no model; unknown for recorded runs and for runs with an unpriced call. The ledger
    identifies calls by run and question, not by settings, so the last call for each counts.
    """
    if not project.settings.uses_chat:
        return {} if project.settings.answerer == "replay" else dict.fromkeys(label_by_run.values(), 0.0)
    paid: dict[tuple[int, str], float | None] = {}
    for path in sorted(project.paths.llm_calls.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            call = _answer_call(line, project.settings.llm.model)
            if call is not None:
                paid[call["run"], call["question_id"]] = call["cost_usd"]
    cost_by_run: dict[str, float] = {}
    for run, label in label_by_run.items():
        costs = [cost for (number, _), cost in paid.items() if number == run]
        if costs and all(cost is not None for cost in costs):
            cost_by_run[label] = sum(cost for cost in costs if cost is not None)
    return cost_by_run


def _answer_call(line: str, model: str) -> dict[str, Any] | None:
    """Return the call in a ledger line if it is a successful answer call to `model`, else None."""
    try:
        call = json.loads(line)
        is_answer = call["stage"] == ANSWERS and call["model"] == model and call["error"] is None
    except (ValueError, KeyError, TypeError):
        return None
    return call if is_answer else None
