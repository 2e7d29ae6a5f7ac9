"""The vote on one question: value, references, and the ballot they are taken from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.modes.interface import LEFT_BLANK, VOTE_MODES, Decision, Tally, Weigher
from kohaku_lib.settings import EnsembleSettings


def decide(
    ballots: Sequence[Ballot],
    settings: EnsembleSettings,
    question_id: str = "",
    weights: Mapping[str, float] | None = None,
) -> Decision:
    """Return the decision of the `ballots` on one question, in the order of the members, under `settings`.

    Values that agree (0.1 %, ranges, booleans, case) are grouped; references are compared as sets. A tie in the first
    vote (on values, or on references under ref_priority) goes to the earliest member, to a blank row, or to a draw by
    seed and question; later ties go to the earliest. Members have the weight 1.0 unless given in `weights`. A blank
    decision has no references.

    >>> ballots = [Ballot("a", "80", ("x",)), Ballot("b", "is_blank"), Ballot("c", "80.0", ("y",)), Ballot("d", "7")]
    >>> decide(ballots, EnsembleSettings(ref_mode="union", ignore_blank=True)).refs
    ('x', 'y')
    """
    weigh = _make_weigher(weights or {})
    countable = _countable_ballots(ballots, settings.ignore_blank)
    if not countable:
        return LEFT_BLANK
    return VOTE_MODES.get(settings.ref_mode).decide(Tally(countable, settings, question_id, weigh))


def _make_weigher(weights: Mapping[str, float]) -> Weigher:
    return lambda ballots: sum(weights.get(ballot.member, 1.0) for ballot in ballots)


def _countable_ballots(ballots: Sequence[Ballot], ignore_blank: bool) -> list[Ballot]:
    answers = [ballot for ballot in ballots if not ballot.blank]
    return answers if ignore_blank and answers else list(ballots)
