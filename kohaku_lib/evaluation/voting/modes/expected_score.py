"""The way to vote by the expected score, with the reliability of each run estimated from all questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.expected_score import decide_by_score
from kohaku_lib.evaluation.voting.modes.interface import VOTE_MODES, VoteMode, VoteOutcome
from kohaku_lib.evaluation.voting.modes.single_votes import answer_priority
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import Reliabilities, belief_of, estimate, voters_of


def decide_by_expected_score(
    ballots_by_id: Mapping[str, Sequence[Ballot]], calibration: Calibration | None
) -> VoteOutcome:
    """Return the decisions with the highest expected score; reliabilities are estimated from all questions."""
    polls = [take_poll(ballots) for ballots in ballots_by_id.values()]
    reliabilities = estimate(polls, calibration.lessons if calibration else ())
    decisions = [
        decide_by_score(poll, belief_of(poll, reliabilities), voters_of(poll, reliabilities)) for poll in polls
    ]
    return VoteOutcome(dict(zip(ballots_by_id, decisions, strict=True)), _member_weights(polls, reliabilities))


def _member_weights(polls: Sequence[Poll], reliabilities: Reliabilities) -> dict[str, float]:
    odds: dict[str, list[float]] = {}
    for poll in polls:
        for ballot, member in zip(poll.ballots, voters_of(poll, reliabilities), strict=True):
            odds.setdefault(ballot.member, []).append(math.log(member.right / member.wrong))
    return {member: fmean(log_odds) for member, log_odds in odds.items()}


VOTE_MODES.register(
    VoteMode(
        "expected_score",
        answer_priority,
        decide_by_expected_score,
        settings_keys=(),
        drops_copies=True,
        order=1,
    )
)
