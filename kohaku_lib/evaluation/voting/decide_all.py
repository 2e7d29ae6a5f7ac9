"""The votes on all questions: one by one, or by the reliability of the runs over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.decide import decide
from kohaku_lib.evaluation.voting.modes.interface import VOTE_MODES, VoteOutcome
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
