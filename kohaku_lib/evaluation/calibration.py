"""How much each run's vote should weigh, learned from questions whose answers are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.ballots import read_ballot
from kohaku_lib.evaluation.members import Rows
from kohaku_lib.evaluation.official_metric import value_right_official
from kohaku_lib.values import is_blank

_PRIOR_ANSWERS = 4.0  # of the mean accuracy; leave-one-out scores hardly move between 2 and 16
_LEAST_WEIGHT = 0.05  # so that a run no better than a coin still breaks ties


def calibrate(truth_by_member: Mapping[str, Rows], rows_by_member: Mapping[str, Rows]) -> dict[str, float]:
    """Return the weight of each member: the log-odds of its accuracy where it answered, at least 0.05.

    Accuracies are shrunk towards the mean of all members by four answers; unanswerable questions and
    abstentions do not count. A member without any counted answer gets the weight of the mean. Log-odds are the
    best weights of independent voters (Nitzan & Paroush 1982, https://doi.org/10.2307/2526438).
    Raises InputFileError where no member has an answer to a question with truth.

    >>> truth = [{"id": str(n), "answer_value": str(n), "ref_id": "a"} for n in range(8)]
    >>> wrong = [{**row, "answer_value": "99"} for row in truth[:4]] + truth[4:]
    >>> weights = calibrate({"x": truth, "y": truth}, {"x": truth, "y": wrong})
    >>> round(weights["x"], 3), round(weights["y"], 3)
    (2.282, 0.298)
    """
    counts = {name: _count_right(truth_by_member[name], rows) for name, rows in rows_by_member.items()}
    answers = sum(answered for _, answered in counts.values())
    if answers == 0:
        msg = (
            f"Calibration needs runs that answer questions of their truth files, but none of {list(counts)!r} does; "
            "name the truth and the run of the same questions."
        )
        raise InputFileError(msg)
    mean = (sum(right for right, _ in counts.values()) + 1.0) / (answers + 2.0)
    return {name: _log_odds_weight(right, answered, mean) for name, (right, answered) in counts.items()}


def calibrate_files(pairs: Sequence[tuple[Path, Path]]) -> list[float]:
    """Return a weight per pair of a truth CSV and the run that answered it, by position; see `calibrate`."""
    truth = {str(place): read_rows(path) for place, (path, _) in enumerate(pairs)}
    rows = {str(place): read_rows(path) for place, (_, path) in enumerate(pairs)}
    return list(calibrate(truth, rows).values())


def _count_right(truth: Rows, rows: Rows) -> tuple[int, int]:
    """How many of the counted answers are right, and how many there are."""
    value_by_id = {row.get("id", ""): row.get("answer_value") or "" for row in truth}
    ballots = [read_ballot("", row) for row in rows if not is_blank(value_by_id.get(row.get("id", "")))]
    answered = [ballot for ballot in ballots if not ballot.blank]
    return sum(value_right_official(value_by_id[ballot.row["id"]], ballot.value) for ballot in answered), len(answered)


def _log_odds_weight(right: int, answered: int, mean: float) -> float:
    accuracy = (right + _PRIOR_ANSWERS * mean) / (answered + _PRIOR_ANSWERS)
    return max(_LEAST_WEIGHT, math.log(accuracy / (1.0 - accuracy)))
