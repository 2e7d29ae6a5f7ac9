"""A leaderboard with a public and a private part: ranks on both, intervals, and who gains or loses places."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows

USAGE = "Usage"  # column of a truth file: "Public" or "Private"
PUBLIC_SHARE = 0.5
TOP = 20  # places within which gains and losses are told

Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Place:
    """A team's scores and ranks (1 is best; equal scores share a rank) on both parts.

    `public` and `private` are the reports where answers were scored here, None where only scores were given.
    """

    team: str
    public_score: float
    public_rank: int
    private_score: float
    private_rank: int
    public: ScoreReport | None = None
    private: ScoreReport | None = None

    @property
    def gained(self) -> int:
        """The places gained from the public to the private part; negative if lost."""
        return self.public_rank - self.private_rank


def score_leaderboard(runs: Mapping[str, Rows], truth: Rows, metric: str = "wattbot") -> list[Place]:
    """Return the places of `runs`, best on the private part first.

    Questions are public or private by the column Usage of the truth; without it, half of them by a hash of their id.

    Raises:
        InputFileError: A part has no questions, or `score_rows` raises it.
    """
    public_rows, private_rows = split_truth(truth)
    reports = {
        name: (score_rows(public_rows, rows, metric), score_rows(private_rows, rows, metric))
        for name, rows in runs.items()
    }
    public = {name: public.score for name, (public, _) in reports.items()}
    private = {name: private.score for name, (_, private) in reports.items()}
    return [
        Place(
            place.team,
            place.public_score,
            place.public_rank,
            place.private_score,
            place.private_rank,
            *reports[place.team],
        )
        for place in join_ranks(public, private)
    ]


def join_ranks(public: Mapping[str, float], private: Mapping[str, float]) -> list[Place]:
    """Return the places of the teams that are in both lists of scores, best on the private part first.

    >>> [(place.team, place.public_rank, place.private_rank, place.gained) for place in join_ranks(
    ...     {"a": 0.9, "b": 0.8, "c": 0.7}, {"a": 0.5, "b": 0.8, "c": 0.8})]
    [('b', 2, 1, 1), ('c', 3, 1, 2), ('a', 1, 3, -2)]
    """
    teams = [team for team in public if team in private]
    public_ranks, private_ranks = ({team: _rank(scores, team, teams) for team in teams} for scores in (public, private))
    places = [Place(team, public[team], public_ranks[team], private[team], private_ranks[team]) for team in teams]
    return sorted(places, key=lambda place: (place.private_rank, place.public_rank))


def movers(places: Sequence[Place], top: int = TOP) -> list[Place]:
    """Return the places within the first `top` of either part that moved, the largest moves first."""
    within = [place for place in places if min(place.public_rank, place.private_rank) <= top and place.gained]
    return sorted(within, key=lambda place: (-abs(place.gained), place.private_rank))


def split_truth(truth: Rows) -> tuple[list[Mapping[str, str]], list[Mapping[str, str]]]:
    """Return the public and the private rows of a truth.

    Raises:
        InputFileError: One of the parts is empty.
    """
    has_usage = any(row.get(USAGE) for row in truth)
    is_public = [
        (row.get(USAGE) or "").strip().lower() == "public" if has_usage else _is_hashed_public(row["id"])
        for row in truth
    ]
    public = [row for row, own in zip(truth, is_public, strict=True) if own]
    private = [row for row, own in zip(truth, is_public, strict=True) if not own]
    if not public or not private:
        msg = (
            f"a leaderboard needs public and private questions, got {len(public)} and {len(private)}; "
            f"mark both in the column {USAGE} of the truth"
        )
        raise InputFileError(msg)
    return public, private


def _is_hashed_public(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] < 256 * PUBLIC_SHARE


def _rank(scores: Mapping[str, float], team: str, teams: Sequence[str]) -> int:
    return 1 + sum(scores[other] > scores[team] for other in teams)
