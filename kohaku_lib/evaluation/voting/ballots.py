"""One member's row as a vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kohaku_lib.values import is_blank, normalise_answer, parse_refs, scale_by_words


@dataclass(frozen=True, slots=True)
class Ballot:
    """One member's vote on one question: its normalised value, its references, and its whole row as text."""

    member: str
    value: str
    refs: tuple[str, ...] = ()
    row: Mapping[str, str] = field(default_factory=dict)

    @property
    def blank(self) -> bool:
        """Whether the member abstained."""
        return is_blank(self.value)


def read_ballot(member: str, row: Mapping[str, str]) -> Ballot:
    """Return the vote of a row with the WattBot columns: its value normalised to the row's unit and scale words.

    >>> row = {"answer": "It was 2.5 million liters.", "answer_value": "2.5", "answer_unit": "liters", "ref_id": "['a']"}
    >>> ballot = read_ballot("x", row)
    >>> ballot.value, ballot.refs
    ('2500000', ('a',))
    """
    written = row.get("answer_unit") or ""
    unit = None if is_blank(written) else written
    value = normalise_answer(row.get("question") or "", row.get("answer_value"), unit)
    return Ballot(member, scale_by_words(value, row.get("answer") or "", unit), parse_refs(row.get("ref_id")), row)


def first_spellings(ballots: Iterable[Ballot]) -> dict[str, str]:
    """Return the first spelling of each reference that `ballots` cite, by its lower case, in the order of citation.

    >>> first_spellings([Ballot("a", "7", ("Wu",)), Ballot("b", "7", ("wu", "xia"))])
    {'wu': 'Wu', 'xia': 'xia'}
    """
    spellings: dict[str, str] = {}
    for ballot in ballots:
        for ref in ballot.refs:
            spellings.setdefault(ref.lower(), ref)
    return spellings
