"""Votes of several runs on one answer per question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.run_rows import rows_by_run
from kohaku_lib.evaluation.voting.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.decide_all import decide_all
from kohaku_lib.evaluation.voting.members import Rows, find_broken, find_copies
from kohaku_lib.evaluation.voting.modes.interface import VOTE_MODES, Decision
from kohaku_lib.evaluation.voting.sources import SourceCatalogue
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import ENSEMBLE_VOTES, StageReport, empty_table
from kohaku_lib.values import BLANK, is_blank


def vote(predictions: pa.Table, settings: EnsembleSettings) -> tuple[pa.Table, StageReport]:
    """Return ENSEMBLE_VOTES over the runs of PREDICTIONS; empty without predictions.

    A row that is blank because of a fault (`error`) is not an abstention and is not counted if another run has a row
    without one; broken runs are skipped and reported. The values and references of a single recorded run are preserved
    verbatim, so that it scores like its file.
    """
    runs = rows_by_run(predictions)
    if not runs:
        return empty_table(ENSEMBLE_VOTES), StageReport(0)
    table, report = vote_rows(runs, settings)
    if len(runs) > 1:
        return table, report
    recorded_by_id = {row["id"]: _recorded_cells(row) for row in predictions.to_pylist()}
    rows = [row | recorded_by_id[row["id"]] for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, schema=ENSEMBLE_VOTES), report


def vote_rows(
    rows_by_member: Mapping[str, Rows], settings: EnsembleSettings, calibration: Calibration | None = None
) -> tuple[pa.Table, StageReport]:
    """Return ENSEMBLE_VOTES over rows with the WattBot columns, a member per label, in the order of the members.

    `calibration` weights members by labelled questions. Ids are the union, by first appearance; a member without a row
    is not counted there, nor are later rows with the same id.

    Raises:
        InputFileError: Fewer members can be used than `settings.min_runs`, or none.

    >>> rows = {"a": [{"id": "q", "answer_value": "5,000"}], "b": [{"id": "q", "answer_value": "5k"}]}
    >>> table, _ = vote_rows(rows, EnsembleSettings())
    >>> table.column("answer_value").to_pylist(), table.column("agreement").to_pylist()
    (['5000'], [1.0])
    """
    broken = find_broken(rows_by_member)
    intact = {member: rows for member, rows in rows_by_member.items() if member not in broken}
    needed = min(settings.min_runs, len(rows_by_member)) or 1
    if len(intact) < needed:
        faults = "; ".join(f"{member}: {fault}" for member, fault in broken.items()) or "none was named"
        least = "one run" if needed == 1 else f"{needed} runs (ensemble.min_runs)"
        msg = f"A vote needs at least {least} with answers, got {len(rows_by_member)} ({faults}); use other files."
        raise InputFileError(msg)
    ballots, problems = _collect_ballots(intact)
    sources = SourceCatalogue(row for rows in intact.values() for row in rows)
    copies = find_copies(intact) if VOTE_MODES.get(settings.ref_mode).drops_copies else {}
    outcome = decide_all(
        {name: _countable_ballots(question_ballots, copies) for name, question_ballots in ballots.items()},
        settings,
        calibration,
    )
    rows = [
        _voted_row(name, question_ballots, outcome.decisions[name], sources)
        for name, question_ballots in ballots.items()
    ]
    left_out = [f"The run {member!r} was excluded from the vote: {fault}." for member, fault in broken.items()]
    left_out += [f"The run {member!r} is a copy of {first!r} and was not counted." for member, first in copies.items()]
    metrics = {"members": float(len(intact)), "members_left_out": float(len(broken))}
    metrics |= {f"weight of {member}": weight for member, weight in outcome.weights.items()}
    table = pa.Table.from_pylist(rows, schema=ENSEMBLE_VOTES)
    return table, StageReport(len(rows), problems=(*left_out, *problems), metrics=metrics)


def _collect_ballots(rows_by_member: Mapping[str, Rows]) -> tuple[dict[str, list[Ballot]], list[str]]:
    """Return the ballots by question, in the order of first appearance, and the skipped rows as problems."""
    ballots: dict[str, list[Ballot]] = {}
    problems = []
    for member, rows in rows_by_member.items():
        seen: set[str] = set()
        for row in rows:
            name = (row.get("id") or "").strip()
            if not name or name in seen:
                problems.append(f"The run {member!r} has a row with the id {name!r} that was not counted.")
                continue
            seen.add(name)
            ballots.setdefault(name, []).append(read_ballot(member, row))
    return ballots, problems


def _countable_ballots(ballots: Sequence[Ballot], copies: Mapping[str, str]) -> Sequence[Ballot]:
    original_ballots = [ballot for ballot in ballots if ballot.member not in copies]
    return [ballot for ballot in original_ballots if not (ballot.blank and ballot.row.get("error"))] or original_ballots


def _voted_row(name: str, ballots: Sequence[Ballot], decision: Decision, sources: SourceCatalogue) -> dict[str, Any]:
    votes = [{"member": ballot.member, "answer_value": ballot.value, "ref_id": list(ballot.refs)} for ballot in ballots]
    common = {
        "id": name,
        "question": _first_text(ballots, "question"),
        "answer_unit": _first_text([decision.base, *ballots] if decision.base else ballots, "answer_unit") or BLANK,
        "agreement": decision.agreement,
        "probability": decision.probability,
        "votes_json": json.dumps(votes, ensure_ascii=False),
    }
    return common | (_answered_cells(decision, len(ballots), sources) if decision.base else _blank_cells())


def _answered_cells(decision: Decision, members: int, sources: SourceCatalogue) -> dict[str, Any]:
    base = decision.base.row if decision.base else {}
    answer, explanation = base.get("answer") or "", base.get("explanation") or ""
    return {
        "answer": decision.value if is_blank(answer) else answer,
        "answer_value": decision.value,
        "ref_id": list(decision.refs),
        "ref_url": sources.urls(decision.refs),
        "supporting_materials": sources.materials(decision.refs, base),
        "explanation": f"Runs that voted: {members}." if is_blank(explanation) else explanation,
    }


def _recorded_cells(prediction: Mapping[str, Any]) -> dict[str, Any]:
    if prediction["ref_cell"] is None:
        return {}
    return {name: prediction[name] for name in ("answer_value", "ref_id", "ref_cell")}


def _blank_cells() -> dict[str, Any]:
    cells = ("answer", "answer_value", "supporting_materials", "explanation")
    return {"ref_id": [], "ref_url": [], **dict.fromkeys(cells, BLANK)}


def _first_text(ballots: Sequence[Ballot], column: str) -> str:
    return next((text for ballot in ballots if (text := ballot.row.get(column) or "")), "")
