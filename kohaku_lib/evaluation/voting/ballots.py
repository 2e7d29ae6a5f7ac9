"""One member's row as a vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kohaku_lib.evaluation.voting.stated_values import states_value
from kohaku_lib.values import is_blank, is_claim, normalise_answer, parse_refs, scale_by_words


@dataclass(frozen=True, slots=True)
class Ballot:
    """One member's vote on one question: its normalised value, its references, and its whole row as text.

    `stated` tells whether its answer or explanation states its value; None for blanks, claims and rows without words.
    """

    member: str
    value: str
    refs: tuple[str, ...] = ()
    row: Mapping[str, str] = field(default_factory=dict)
    stated: bool | None = None

    @property
    def blank(self) -> bool:
        """Whether the member abstained."""
        return is_blank(self.value)


def read_ballot(member: str, row: Mapping[str, str]) -> Ballot:
    """Return the vote of a row with the WattBot columns: its value normalised to the row's unit and scale words.

    >>> row = {"answer": "It was 2.5 million liters.", "answer_value": "2.5", "answer_unit": "liters", "ref_id": "['a']"}
    >>> ballot = read_ballot("x", row)
    >>> ballot.value, ballot.refs, ballot.stated
    ('2500000', ('a',), True)
    """
    written = row.get("answer_unit") or ""
    unit = None if is_blank(written) else written
    normalised = normalise_answer(row.get("question") or "", row.get("answer_value"), unit)
    value = scale_by_words(normalised, row.get("answer") or "", unit)
    return Ballot(member, value, parse_refs(row.get("ref_id")), row, _is_stated(row, value))


def _is_stated(row: Mapping[str, str], value: str) -> bool | None:
    if is_blank(value) or is_claim(row.get("question") or ""):
        return None
    cells = (row.get(column) or "" for column in ("answer", "explanation"))
    return states_value(" ".join(cell for cell in cells if not is_blank(cell)), value)


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
