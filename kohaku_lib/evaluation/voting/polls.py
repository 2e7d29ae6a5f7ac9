"""All votes on one question, with their values grouped into candidates."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.values import group_equal, is_blank, is_claim, parse_value, voting_key

Kind = Literal["claim", "number", "text"]
KINDS: tuple[Kind, ...] = ("claim", "number", "text")
ABSTAINED, MISFIT = -1, -2  # in place of a candidate
_POWERS = (3, 6, 9, 12)  # thousand, million, billion, trillion
_LEAST_DIGITS = 3  # shared digits beyond coincidence for numbers that differ by a power of ten
_PERCENT = re.compile(r"%|\bper ?cent|\bpercentage|\bfraction|\bproportion|\bshare", re.IGNORECASE)
_KIND_OF_THING = re.compile(
    r"algorithm|approach|benchmark|data|database|dataset|framework|library|method|metric|model|paper|set|suite|system"
    r"|technique|tool|toolkit"
)


@dataclass(frozen=True, slots=True)
class Poll:
    """The votes on one question, an entry per ballot.

    `choices` are indexes into `candidates`, ABSTAINED for a blank, MISFIT for a value that cannot answer the question
    (a claim must be 1 or 0); `refs` are the cited ids in lower case.
    """

    kind: Kind
    ballots: tuple[Ballot, ...]
    candidates: tuple[str, ...]
    choices: tuple[int, ...]
    refs: tuple[tuple[str, ...], ...]


def take_poll(ballots: Sequence[Ballot]) -> Poll:
    """Return the poll of `ballots`; equivalent values form one candidate with the spelling of most of its voters.

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
            choices[place] = len(candidates) if _is_valid_value(kind, value) else MISFIT
        if _is_valid_value(kind, value):
            candidates.append(value)
    refs = tuple(tuple(dict.fromkeys(ref.lower() for ref in ballot.refs)) for ballot in ballots)
    return Poll(kind, tuple(ballots), tuple(candidates), tuple(choices), refs)


def question_kind(ballots: Sequence[Ballot]) -> Kind:
    """Return the kind of the question: a claim, else a number where the question has a unit, else text.

    >>> question_kind([Ballot("a", "1", row={"question": "True or False: amber is a stone."})])
    'claim'
    """
    rows = [ballot.row for ballot in ballots]
    if any(is_claim(row.get("question") or "") for row in rows):
        return "claim"
    return "text" if all(is_blank(row.get("answer_unit")) for row in rows) else "number"


def spelling(values: Sequence[str]) -> str:
    """Return the most frequent spelling of equivalent `values`, the earliest among equals.

    >>> spelling(["55.6", "55.56", "55.56"])
    '55.56'
    """
    key = Counter(map(voting_key, values)).most_common(1)[0][0]
    return next(value for value in values if voting_key(value) == key)


def _is_valid_value(kind: Kind, value: str) -> bool:
    return kind != "claim" or value in {"0", "1"}


def group_readings(values: Sequence[str], unit: str = "") -> list[list[int]]:
    """Return groups of positions with equivalent values, by first appearance.

    Beyond values that agree, these are equivalent: numbers with three or more digits in common that differ by a factor
    of a thousand, million, billion or trillion; a percentage and its fraction if `unit` is of that kind; names up to
    hyphens, plurals and a generic noun; a name and its initials.

    >>> group_readings(["5.439", "5439000", "7"]), group_readings(["55.6", "0.556"], "percent")
    ([[0, 1], [2]], [[0, 1]])
    >>> group_readings(["ML.ENERGY Benchmark", "ML.ENERGY", "WUE", "water usage effectiveness"])
    [[0, 1], [2, 3]]
    """
    groups: list[list[int]] = []
    for equal_group in group_equal(values):
        home = next(
            (group for group in groups if _are_same_reading(values[group[0]], values[equal_group[0]], unit)), None
        )
        if home is None:
            groups.append(equal_group)
        else:
            home.extend(equal_group)
    return [sorted(group) for group in groups]


def _are_same_reading(first: str, second: str, unit: str) -> bool:
    first_value, second_value = parse_value(first), parse_value(second)
    if first_value.kind == second_value.kind == "text":
        return _are_same_name(first, second)
    if first_value.kind != "number" or second_value.kind != "number" or not first_value.low or not second_value.low:
        return False
    return _have_same_digits(first_value.low, second_value.low, bool(_PERCENT.search(unit)))


def _have_same_digits(first: float, second: float, percent: bool) -> bool:
    small, large = sorted((first, second), key=abs)
    if percent and abs(small) < 1.0 and math.isclose(small * 100, large, rel_tol=1e-3):
        return True
    digits = min(_count_digits(small), _count_digits(large))
    return digits >= _LEAST_DIGITS and any(math.isclose(small * 10**power, large, rel_tol=1e-9) for power in _POWERS)


def _count_digits(number: float) -> int:
    return len(f"{abs(number):.15g}".split("e")[0].replace(".", "").strip("0"))


def _are_same_name(first: str, second: str) -> bool:
    first_words, second_words = _name_words(first), _name_words(second)
    if first_words == second_words:
        return bool(first_words)
    return _are_initials(first_words, second_words) or _are_initials(second_words, first_words)


def _name_words(name: str) -> list[str]:
    words = [word.removesuffix("s") if len(word) > 3 else word for word in re.split(r"[\s\-_/]+", voting_key(name))]
    return words[:-1] if len(words) > 1 and _KIND_OF_THING.fullmatch(words[-1]) else words


def _are_initials(short: Sequence[str], words: Sequence[str]) -> bool:
    return len(short) == 1 and len(words) > 1 and short[0] == "".join(word[:1] for word in words)
