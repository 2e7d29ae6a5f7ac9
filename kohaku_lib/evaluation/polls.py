"""All votes on one question, their values gathered into candidates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.evaluation.ballots import Ballot
from kohaku_lib.evaluation.readings import group_readings
from kohaku_lib.values import is_blank, voting_key

Kind = Literal["claim", "number", "text"]
KINDS: tuple[Kind, ...] = ("claim", "number", "text")
ABSTAINED, MISFIT = -1, -2  # in place of a candidate

_CLAIM = re.compile(r"^\W*(?:true\s*(?:or|/)\s*false|t\s*/\s*f)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Poll:
    """The votes on one question, an entry per ballot.

    `choices` are places in `candidates`, ABSTAINED for a blank, MISFIT for a value that cannot answer the question
    (a claim is 1 or 0); `refs` are the cited ids in lower case.
    """

    kind: Kind
    ballots: tuple[Ballot, ...]
    candidates: tuple[str, ...]
    choices: tuple[int, ...]
    refs: tuple[tuple[str, ...], ...]


def take_poll(ballots: Sequence[Ballot]) -> Poll:
    """Return the poll of `ballots`; values that say the same are one candidate, spelled as most of its voters write it.

    >>> poll = take_poll([Ballot("a", "80"), Ballot("b", "is_blank"), Ballot("c", "80.0"), Ballot("d", "7")])
    >>> poll.candidates, poll.choices
    (('80', '7'), (0, -1, 0, 1))
    """
    kind = question_kind(ballots)
    candidates: list[str] = []
    choices = [ABSTAINED] * len(ballots)
    unit = next((unit for ballot in ballots if (unit := ballot.row.get("answer_unit"))), "")
    for group in group_readings([ballot.value for ballot in ballots], unit):
        value = spelling([ballots[place].value for place in group])
        if is_blank(value):
            continue
        for place in group:
            choices[place] = len(candidates) if _fits(kind, value) else MISFIT
        if _fits(kind, value):
            candidates.append(value)
    refs = tuple(tuple(dict.fromkeys(ref.lower() for ref in ballot.refs)) for ballot in ballots)
    return Poll(kind, tuple(ballots), tuple(candidates), tuple(choices), refs)


def question_kind(ballots: Sequence[Ballot]) -> Kind:
    """Return the kind of the question: a claim, else a number where the question has a unit, else text.

    >>> question_kind([Ballot("a", "1", row={"question": "True or False: amber is a stone."})])
    'claim'
    """
    rows = [ballot.row for ballot in ballots]
    if any(_CLAIM.match(row.get("question") or "") for row in rows):
        return "claim"
    return "text" if all(is_blank(row.get("answer_unit")) for row in rows) else "number"


def spelling(values: Sequence[str]) -> str:
    """Return the value that most of `values` write, the earliest among equals: 55.56 and 55.6 agree, one must be given.

    >>> spelling(["55.6", "55.56", "55.56"])
    '55.56'
    """
    key = Counter(map(voting_key, values)).most_common(1)[0][0]
    return next(value for value in values if voting_key(value) == key)


def _fits(kind: Kind, value: str) -> bool:
    return kind != "claim" or value in {"0", "1"}
