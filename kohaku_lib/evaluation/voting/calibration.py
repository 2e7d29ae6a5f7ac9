"""The accuracy of each run, learned from questions with known answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.answering.labels import label_paths
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.wattbot import value_right_official
from kohaku_lib.evaluation.voting.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.voting.belief import Belief
from kohaku_lib.evaluation.voting.members import Rows
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import LabelledPoll
from kohaku_lib.values import is_blank, parse_refs

_PRIOR_ANSWERS = 4.0  # of the mean accuracy; leave-one-out scores hardly move between 2 and 16
_MIN_WEIGHT = 0.05  # so that a run no better than chance still breaks ties


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of members: `weights` for plain votes, `lessons` (labelled polls) for expected_score."""

    weights: Mapping[str, float]
    lessons: tuple[LabelledPoll, ...]


def calibrate(truth_by_member: Mapping[str, Rows], rows_by_member: Mapping[str, Rows]) -> Calibration:
    """Return the calibration of each member by its truth.

    A weight is the log-odds of the member's accuracy on the questions it answered, at least 0.05, optimal for
    independent voters (Nitzan & Paroush 1982, https://doi.org/10.2307/2526438). Accuracies are shrunk towards the mean
    of all members by four answers; unanswerable questions and abstentions are not counted. A member without a counted
    answer gets the weight of the mean.

    Raises:
        InputFileError: No member answers a question with truth.

    >>> truth = [{"id": str(n), "answer_value": str(n), "ref_id": "a"} for n in range(8)]
    >>> wrong = [{**row, "answer_value": "99"} for row in truth[:4]] + truth[4:]
    >>> calibration = calibrate({"x": truth, "y": truth}, {"x": truth, "y": wrong})
    >>> {name: round(weight, 3) for name, weight in calibration.weights.items()}, len(calibration.lessons)
    ({'x': 2.282, 'y': 0.298}, 8)
    """
    truths, ballots = _labelled_ballots(truth_by_member, rows_by_member)
    counts: dict[str, tuple[int, int]] = dict.fromkeys(rows_by_member, (0, 0))
    for key, cast in ballots.items():
        for ballot in [] if is_blank(truths[key]["answer_value"]) else cast:
            right, answered = counts[ballot.member]
            is_right = not ballot.blank and value_right_official(truths[key]["answer_value"], ballot.value)
            counts[ballot.member] = right + is_right, answered + (not ballot.blank)
    lessons = tuple(_label_poll(truths[key], take_poll(cast)) for key, cast in ballots.items())
    return Calibration(_log_odds_weights(counts), lessons)


def calibrate_files(runs: Sequence[Path], pairs: Sequence[tuple[Path, Path]]) -> Calibration:
    """Return the calibration of `runs` by (truth CSV, answers CSV of the same member) pairs, in the order of runs."""
    labels = label_paths(runs)
    truth = {label: read_rows(path) for label, (path, _) in zip(labels, pairs, strict=True)}
    return calibrate(truth, {label: read_rows(path) for label, (_, path) in zip(labels, pairs, strict=True)})


_Key = tuple[str, str, str]  # id and truth: members may be labelled by different files


def _labelled_ballots(
    truth_by_member: Mapping[str, Rows], rows_by_member: Mapping[str, Rows]
) -> tuple[dict[_Key, Mapping[str, str]], dict[_Key, list[Ballot]]]:
    truths: dict[_Key, Mapping[str, str]] = {}
    ballots: dict[_Key, list[Ballot]] = {}
    for member, rows in rows_by_member.items():
        truth_by_id = {row["id"]: row for row in truth_by_member[member] if "id" in row and "answer_value" in row}
        for row in rows:
            truth = truth_by_id.pop(row.get("id", ""), None)  # a later row of the same id is not counted
            if truth is not None and "answer_value" in row:
                key = (truth["id"], truth.get("answer_value") or "", truth.get("ref_id") or "")
                truths[key] = truth
                ballots.setdefault(key, []).append(read_ballot(member, row))
    return truths, ballots


def _label_poll(truth: Mapping[str, str], poll: Poll) -> LabelledPoll:
    sources = {ref.lower() for ref in parse_refs(truth.get("ref_id"))}
    refs = {ref: float(ref in sources) for poll_refs in poll.refs for ref in poll_refs}
    if is_blank(truth["answer_value"]):
        return LabelledPoll(poll, Belief((0.0,) * len(poll.candidates), 0.0, 1.0, refs))
    values = tuple(float(value_right_official(truth["answer_value"], value)) for value in poll.candidates)
    return LabelledPoll(poll, Belief(values, float(not any(values)), 0.0, refs))


def _log_odds_weights(counts: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    answers = sum(answered for _, answered in counts.values())
    if answers == 0:
        msg = (
            f"Calibration needs runs that answer questions of their truth files, but none of {list(counts)!r} does; "
            "give the truth and the run of the same questions."
        )
        raise InputFileError(msg)
    mean = (sum(right for right, _ in counts.values()) + 1.0) / (answers + 2.0)
    return {name: _log_odds_weight(right, answered, mean) for name, (right, answered) in counts.items()}


def _log_odds_weight(right: int, answered: int, mean: float) -> float:
    accuracy = (right + _PRIOR_ANSWERS * mean) / (answered + _PRIOR_ANSWERS)
    return max(_MIN_WEIGHT, math.log(accuracy / (1.0 - accuracy)))
