"""Votes of several runs on one answer per question."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.labels import label_paths
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.run_rows import rows_by_run
from kohaku_lib.evaluation.voting.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.decide import Decision, decide
from kohaku_lib.evaluation.voting.expected_score import decide_by_score
from kohaku_lib.evaluation.voting.members import Rows, find_broken, find_copies
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import Reliabilities, belief_of, estimate, voters_of
from kohaku_lib.kinds import VOTE_MODES
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import ENSEMBLE_VOTES, StageReport, empty_table
from kohaku_lib.values import BLANK, is_blank, literal_list, parse_refs


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


def vote_files(
    paths: Sequence[Path], settings: EnsembleSettings, calibration: Calibration | None = None
) -> tuple[pa.Table, StageReport]:
    """Return ENSEMBLE_VOTES over recorded runs, one CSV each, labelled by the distinct parts of their paths.

    `calibration` uses the same labels. Unreadable files are skipped and reported, like broken members.

    Raises:
        InputFileError: No run can be used.
    """
    labels = label_paths(paths)
    runs: dict[str, Rows] = {}
    unreadable: list[InputFileError] = []
    broken_rows: list[str] = []
    for label, path in zip(labels, paths, strict=True):
        try:
            runs[label] = read_rows(path, on_problem=broken_rows.append)
        except InputFileError as error:
            unreadable.append(error)
    if unreadable and not runs:
        raise unreadable[0]
    table, report = vote_rows(runs, settings, calibration)
    left_out = tuple(f"A run was excluded from the vote: {error}" for error in unreadable)
    return table, replace(report, problems=(*left_out, *broken_rows, *report.problems))


def vote_rows(
    rows_by_member: Mapping[str, Rows], settings: EnsembleSettings, calibration: Calibration | None = None
) -> tuple[pa.Table, StageReport]:
    """Return ENSEMBLE_VOTES over rows with the WattBot columns, a member per label, in the order of the members.

    `calibration` weights members by labelled questions. Ids are the union, by first appearance; a member without a row
    is not counted there, nor are later rows with the same id.

    Raises:
        InputFileError: No member can be used.

    >>> rows = {"a": [{"id": "q", "answer_value": "5,000"}], "b": [{"id": "q", "answer_value": "5k"}]}
    >>> table, _ = vote_rows(rows, EnsembleSettings())
    >>> table.column("answer_value").to_pylist(), table.column("agreement").to_pylist()
    (['5000'], [1.0])
    """
    broken = find_broken(rows_by_member)
    intact = {member: rows for member, rows in rows_by_member.items() if member not in broken}
    if not intact:
        faults = "; ".join(f"{member}: {fault}" for member, fault in broken.items()) or "none was named"
        msg = f"A vote needs at least one run with answers, got {len(rows_by_member)} ({faults}); use other files."
        raise InputFileError(msg)
    ballots, problems = _collect_ballots(intact)
    book = SourceBook(row for rows in intact.values() for row in rows)
    copies = find_copies(intact) if VOTE_MODES.get(settings.ref_mode).drops_copies else {}
    outcome = decide_all(
        {name: _countable_ballots(question_ballots, copies) for name, question_ballots in ballots.items()},
        settings,
        calibration,
    )
    rows = [
        _voted_row(name, question_ballots, outcome.decisions[name], book) for name, question_ballots in ballots.items()
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


def _voted_row(name: str, ballots: Sequence[Ballot], decision: Decision, book: SourceBook) -> dict[str, Any]:
    votes = [{"member": ballot.member, "answer_value": ballot.value, "ref_id": list(ballot.refs)} for ballot in ballots]
    common = {
        "id": name,
        "question": _first_text(ballots, "question"),
        "answer_unit": _first_text([decision.base, *ballots] if decision.base else ballots, "answer_unit") or BLANK,
        "agreement": decision.agreement,
        "probability": decision.probability,
        "votes_json": json.dumps(votes, ensure_ascii=False),
    }
    return common | (_answered_cells(decision, len(ballots), book) if decision.base else _blank_cells())


def _answered_cells(decision: Decision, members: int, book: SourceBook) -> dict[str, Any]:
    base = decision.base.row if decision.base else {}
    answer, explanation = base.get("answer") or "", base.get("explanation") or ""
    return {
        "answer": decision.value if is_blank(answer) else answer,
        "answer_value": decision.value,
        "ref_id": list(decision.refs),
        "ref_url": book.urls(decision.refs),
        "supporting_materials": book.materials(decision.refs, base),
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


def decide_all(
    ballots_by_id: Mapping[str, Sequence[Ballot]],
    settings: EnsembleSettings,
    calibration: Calibration | None = None,
) -> Outcome:
    """Return the decision on each question.

    The values and references of a single member are preserved in every mode.
    """
    members = {ballot.member for ballots in ballots_by_id.values() for ballot in ballots}
    together = VOTE_MODES.get(settings.ref_mode).decide_all
    if together is not None and len(members) > 1:
        return together(ballots_by_id, calibration)
    weights = calibration.weights if calibration else {}
    plain = settings.model_copy(update={"ref_mode": "answer_priority"}) if len(members) == 1 else settings
    decisions = {name: decide(ballots, plain, name, weights) for name, ballots in ballots_by_id.items()}
    return Outcome(decisions, weights)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decisions by question, and the weights of the members: log-odds of a right answer, 1.0 if absent."""

    decisions: Mapping[str, Decision]
    weights: Mapping[str, float]


def decide_by_expected_score(ballots_by_id: Mapping[str, Sequence[Ballot]], calibration: Calibration | None) -> Outcome:
    """Return the decisions with the highest expected score; reliabilities are estimated from all questions."""
    polls = [take_poll(ballots) for ballots in ballots_by_id.values()]
    reliabilities = estimate(polls, calibration.lessons if calibration else ())
    decisions = [
        decide_by_score(poll, belief_of(poll, reliabilities), voters_of(poll, reliabilities)) for poll in polls
    ]
    return Outcome(dict(zip(ballots_by_id, decisions, strict=True)), _member_weights(polls, reliabilities))


def _member_weights(polls: Sequence[Poll], reliabilities: Reliabilities) -> dict[str, float]:
    odds: dict[str, list[float]] = {}
    for poll in polls:
        for ballot, member in zip(poll.ballots, voters_of(poll, reliabilities), strict=True):
            odds.setdefault(ballot.member, []).append(math.log(member.right / member.wrong))
    return {member: fmean(log_odds) for member, log_odds in odds.items()}


class SourceBook:
    """URLs and materials by reference, collected from `rows` whose lists have equal lengths; the first one wins.

    >>> book = SourceBook([{"ref_id": "['a']", "ref_url": "['https://example.org/a']", "supporting_materials": "A 2025"}])
    >>> book.urls(("A", "b")), book.materials(("a", "b"), {})
    (['https://example.org/a'], 'A 2025')
    """

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._url_by_ref: dict[str, str] = {}
        self._material_by_ref: dict[str, str] = {}
        for row in rows:
            refs = parse_refs(row.get("ref_id"))
            _store_first(self._url_by_ref, refs, _parse_urls(row.get("ref_url") or ""))
            material = row.get("supporting_materials") or ""
            _store_first(self._material_by_ref, refs, [material] if len(refs) == 1 else material.split(" | "))

    def urls(self, refs: Sequence[str]) -> list[str]:
        """Return the known URLs of `refs`, in order."""
        return [url for ref in refs if (url := self._url_by_ref.get(ref.lower()))]

    def materials(self, refs: Sequence[str], base: Mapping[str, str]) -> str:
        """Return the base row's material if it cites the same references in this order, else the known materials."""
        base_material = base.get("supporting_materials") or ""
        same = [ref.lower() for ref in parse_refs(base.get("ref_id"))] == [ref.lower() for ref in refs]
        if same and not is_blank(base_material):
            return base_material
        materials = [text for ref in refs if (text := self._material_by_ref.get(ref.lower()))]
        return " | ".join(dict.fromkeys(materials)) or BLANK


def _store_first(text_by_ref: dict[str, str], refs: Sequence[str], texts: Sequence[str]) -> None:
    if len(refs) != len(texts):
        return
    for ref, text in zip(refs, texts, strict=True):
        if not is_blank(text):
            text_by_ref.setdefault(ref.lower(), text.strip())


def _parse_urls(cell: str) -> list[str]:
    items = literal_list(cell)
    urls = cell.strip().strip("[]").split(",") if items is None else items
    return [str(url).strip().strip("'\"") for url in urls]
