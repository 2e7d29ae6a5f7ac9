"""How good each run is, counted on questions whose answers are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.members import Rows
from kohaku_lib.evaluation.official_metric import value_right_official
from kohaku_lib.evaluation.reliability import Tally
from kohaku_lib.values import is_blank, parse_refs

_PRIOR_ANSWERS = 4.0  # of the mean accuracy; leave-one-out scores hardly move between 2 and 16
_LEAST_WEIGHT = 0.05  # so that a run no better than a coin still breaks ties


def calibrate(truth_by_member: Mapping[str, Rows], rows_by_member: Mapping[str, Rows]) -> dict[str, Tally]:
    """Return what each member did on the questions that its truth can answer.

    Raises InputFileError where no member has an answer to a question with truth.

    >>> truth = [{"id": str(n), "answer_value": str(n), "ref_id": "a"} for n in range(8)]
    >>> calibrate({"x": truth}, {"x": [*truth[:3], {"id": "3", "answer_value": "7", "ref_id": "b"}]})
    {'x': Tally(asked=4.0, right=3.0, blank=0.0, cited=4.0, sourced=3.0)}
    """
    tallies = {name: _tally(truth_by_member[name], rows) for name, rows in rows_by_member.items()}
    if all(tally.asked == tally.blank for tally in tallies.values()):
        msg = (
            f"Calibration needs runs that answer questions of their truth files, but none of {list(tallies)!r} does; "
            "name the truth and the run of the same questions."
        )
        raise InputFileError(msg)
    return tallies


def calibrate_files(pairs: Sequence[tuple[Path, Path]]) -> list[Tally]:
    """Return a tally per pair of a truth CSV and the run that answered it, by position; see `calibrate`."""
    truth = {str(place): read_rows(path) for place, (path, _) in enumerate(pairs)}
    rows = {str(place): read_rows(path) for place, (_, path) in enumerate(pairs)}
    return list(calibrate(truth, rows).values())


def log_odds_weights(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """Return the weight of each member in a plain vote: the log-odds of its accuracy where it answered, at least 0.05.

    Accuracies are shrunk towards the mean of all members by four answers; a member without any counted answer
    gets the weight of the mean. Log-odds are the best weights of independent voters (Nitzan & Paroush 1982,
    https://doi.org/10.2307/2526438).

    >>> weights = log_odds_weights({"x": Tally(asked=8, right=8), "y": Tally(asked=8, right=4)})
    >>> round(weights["x"], 3), round(weights["y"], 3)
    (2.282, 0.298)
    """
    counts = {name: (tally.right, tally.asked - tally.blank) for name, tally in tallies.items()}
    mean = (sum(right for right, _ in counts.values()) + 1.0) / (sum(answers for _, answers in counts.values()) + 2.0)
    return {name: _log_odds_weight(right, answered, mean) for name, (right, answered) in counts.items()}


def _tally(truth: Rows, rows: Rows) -> Tally:
    known = {row["id"]: row for row in truth if not is_blank(row.get("answer_value"))}
    tally = Tally()
    for row in rows:
        if row.get("id") in known:
            _count(tally, known[row["id"]], read_ballot("", row))
    return tally


def _count(tally: Tally, truth: Mapping[str, str], ballot: Ballot) -> None:
    tally.asked += 1.0
    tally.blank += ballot.blank
    tally.right += not ballot.blank and value_right_official(truth["answer_value"], ballot.value)
    cited, sources = ({ref.lower() for ref in refs} for refs in (ballot.refs, parse_refs(truth.get("ref_id"))))
    if cited and sources:
        tally.cited += 1.0
        tally.sourced += len(cited & sources) / len(cited)


def _log_odds_weight(right: float, answered: float, mean: float) -> float:
    accuracy = (right + _PRIOR_ANSWERS * mean) / (answered + _PRIOR_ANSWERS)
    return max(_LEAST_WEIGHT, math.log(accuracy / (1.0 - accuracy)))
