"""The posterior probabilities of the candidates of one question, given the votes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.polls import ABSTAINED, Kind, Poll

_CORRELATION = 0.2  # between members: a hard question is hard for all of them
_VALUE_COUNT: dict[Kind, float] = {
    "claim": 2.0,
    "number": 6.0,
    "text": 5.0,
}  # number of values over which wrong answers are spread
_SOURCE_COUNT = 10.0  # number of documents over which wrong references are spread
_MIN_UNSEEN = 0.1  # minimum prior, in values, of an answer that no member gave


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of a member, as shares.

    `right` and `blank` are shares of the answerable questions, `abstains` of the unanswerable ones, `cites` the share of
    right references among its references. `share` is the weight of its vote, 1.0 unless it repeats others.
    `states_right` and `states_wrong` are the shares of right and of wrong values that the words beside them state.
    """

    right: float
    blank: float
    abstains: float
    cites: float
    share: float = 1.0
    states_right: float = 0.5
    states_wrong: float = 0.5

    @property
    def wrong(self) -> float:
        """The share of the answerable questions with a wrong answer, at least 0.02."""
        return max(0.02, 1.0 - self.right - self.blank)


@dataclass(frozen=True, slots=True)
class Belief:
    """Probabilities that sum to one: of each candidate, `none` of them, and no answer (`unanswerable`).

    `refs` is the probability of each cited id to be the source, if there is an answer.
    """

    values: tuple[float, ...]
    none: float
    unanswerable: float
    refs: Mapping[str, float]


def believe(poll: Poll, reliabilities: Sequence[Reliability], unanswerable: float) -> Belief:
    """Return the belief after `poll` with voters of these `reliabilities`; `unanswerable` is the prior share.

    Bayes' rule over one source and one value per question, as in Dawid & Skene (1979,
    https://doi.org/10.2307/2346806) with abstentions. Votes are not independent, so the evidence of all counts
    like that of n / (1 + (n - 1) r) voters, r the correlation (the design effect of Kish, 1965).
    """
    voters = sum(member.share for member in reliabilities)
    weight = 1.0 / (1.0 + max(0.0, voters - 1.0) * _CORRELATION)
    refs, ref_evidence = _believe_refs(poll, reliabilities, weight)
    answerable = [value + ref_evidence for value in _value_logs(poll, reliabilities, weight)]
    logs = [value + math.log(1.0 - unanswerable) for value in answerable]
    logs.append(_unanswerable_log(poll, reliabilities, weight) + math.log(unanswerable))
    *values, none, nothing = _normalise_logs(logs)
    return Belief(tuple(values), none, nothing, refs)


def _value_logs(poll: Poll, reliabilities: Sequence[Reliability], weight: float) -> list[float]:
    """Return the log-likelihood plus log-prior of each candidate and of none of them, given an answer."""
    spread = _VALUE_COUNT[poll.kind]
    unseen = max(_MIN_UNSEEN, spread - len(poll.candidates)) / spread
    logs = [math.log(1.0 / spread)] * len(poll.candidates) + [math.log(unseen)]
    for ballot, choice, member in zip(poll.ballots, poll.choices, reliabilities, strict=True):
        right_chance = member.right * _statement_chance(ballot, member.states_right)
        wrong_chance = member.wrong / spread * _statement_chance(ballot, member.states_wrong)
        for place in range(len(logs)):
            if choice == ABSTAINED:
                logs[place] += weight * member.share * math.log(member.blank)
            else:
                logs[place] += weight * member.share * math.log(right_chance if place == choice else wrong_chance)
    return logs


def _unanswerable_log(poll: Poll, reliabilities: Sequence[Reliability], weight: float) -> float:
    spread = _VALUE_COUNT[poll.kind]
    log = 0.0
    for ballot, choice, refs, member in zip(poll.ballots, poll.choices, poll.refs, reliabilities, strict=True):
        value_chance = (1.0 - member.abstains) / spread * _statement_chance(ballot, member.states_wrong)
        log += weight * member.share * math.log(member.abstains if choice == ABSTAINED else value_chance)
        log -= weight * member.share * math.log(_SOURCE_COUNT) if refs else 0.0
    return log


def _statement_chance(ballot: Ballot, states: float) -> float:
    """Return the chance that a value is stated, or not, as that of `ballot` is; 1.0 where that is unknown."""
    if ballot.stated is None:
        return 1.0
    return states if ballot.stated else 1.0 - states


def _believe_refs(poll: Poll, reliabilities: Sequence[Reliability], weight: float) -> tuple[dict[str, float], float]:
    """Return the probability of each cited id to be the source, and the log-likelihood of all citations."""
    names = list(dict.fromkeys(ref for refs in poll.refs for ref in refs))
    logs = [-math.log(_SOURCE_COUNT)] * len(names) + [
        math.log(max(_MIN_UNSEEN, _SOURCE_COUNT - len(names)) / _SOURCE_COUNT)
    ]
    for refs, member in zip(poll.refs, reliabilities, strict=True):
        if not refs:
            continue
        wrong_chance = (1.0 - member.cites) / (_SOURCE_COUNT - 1.0)
        right_chance = member.cites / len(refs) + (1.0 - 1.0 / len(refs)) * wrong_chance
        for place, name in enumerate((*names, None)):
            logs[place] += weight * member.share * math.log(right_chance if name in refs else wrong_chance)
    return dict(zip(names, _normalise_logs(logs), strict=False)), _log_sum(logs)


def _normalise_logs(logs: Sequence[float]) -> list[float]:
    total = _log_sum(logs)
    return [math.exp(log - total) for log in logs]


def _log_sum(logs: Sequence[float]) -> float:
    largest = max(logs)
    return largest + math.log(sum(math.exp(log - largest) for log in logs))
