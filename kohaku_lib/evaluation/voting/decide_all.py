"""The votes on all questions: one by one, or by the reliability of the runs over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.decide import Decision, decide
from kohaku_lib.evaluation.voting.expected_score import decide_by_score
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import Reliabilities, belief_of, estimate, voters_of
from kohaku_lib.kinds import VOTE_MODES
from kohaku_lib.settings import EnsembleSettings


def decide_all(
    ballots_by_id: Mapping[str, Sequence[Ballot]],
    settings: EnsembleSettings,
    calibration: Calibration | None = None,
) -> VoteOutcome:
    """Return the decision on each question.

    The values and references of a single member are preserved in every mode.
    """
    members = {ballot.member for ballots in ballots_by_id.values() for ballot in ballots}
    together = VOTE_MODES.get(settings.ref_mode).decide_all
    if together is not None and len(members) > 1:
        return together(ballots_by_id, calibration)
    weights = calibration.weights if calibration else {}
    alone = {"ref_mode": "answer_priority", "ignore_blank": False}
    plain = settings.model_copy(update=alone) if len(members) == 1 else settings
    decisions = {name: decide(ballots, plain, name, weights) for name, ballots in ballots_by_id.items()}
    return VoteOutcome(decisions, weights)


@dataclass(frozen=True, slots=True)
class VoteOutcome:
    """The decisions by question, and the weights of the members: log-odds of a right answer, 1.0 if absent."""

    decisions: Mapping[str, Decision]
    weights: Mapping[str, float]


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
