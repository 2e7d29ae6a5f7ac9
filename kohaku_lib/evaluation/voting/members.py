"""The members of a vote (one recorded run each): detection of broken ones and of copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kohaku_lib.evaluation.voting.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.values import is_blank

Rows = Sequence[Mapping[str, str]]
_MIN_ROWS = 3  # fewer blanks may be legitimate abstentions
_REQUIRED_COLUMNS = ("id", "answer_value")
_COMPARED_COLUMNS = ("id", "answer", "answer_value", "ref_id", "explanation")
_MIN_COPIED_ROWS = 10  # equal rows beyond coincidence
_MIN_SETTLED = 8  # questions with a clear majority that distinguish a wrong file from a weak run
_MIN_AGREEMENT = 0.05


def find_broken(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    """Return why members are broken, by label; intact members are omitted.

    A member is broken if it has no rows or lacks the columns id and answer_value; if it shares no id with the others,
    which share ids among themselves, or has different questions under their ids; if it is entirely blank, over three
    rows or more, while the others answer most of the same questions; or if it contradicts, over eight answers or more,
    nearly all values that two thirds of at least three others agree on, except claims.

    >>> rows = [{"id": str(n), "answer_value": "7"} for n in range(3)]
    >>> find_broken({"a": rows, "b": [{**row, "answer_value": ""} for row in rows], "c": []})
    {'c': 'it holds no rows', 'b': 'all of its 3 answers are blank'}
    """
    broken = {name: fault for name, rows in rows_by_member.items() if (fault := _form_fault(rows))}
    for find in (_foreign_members, _members_with_other_questions, _blank_members):
        broken |= find({name: rows for name, rows in rows_by_member.items() if name not in broken})
    return broken | _contradicting_members({name: rows for name, rows in rows_by_member.items() if name not in broken})


def find_copies(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    """Return for each copy the first member with the same rows; copies have at least ten rows, all identical.

    >>> rows = [{"id": str(n), "answer_value": "7"} for n in range(10)]
    >>> find_copies({"a": rows, "b": list(reversed(rows)), "c": rows[1:]})
    {'b': 'a'}
    """
    first_by_text: dict[frozenset[tuple[str, ...]], str] = {}
    copies = {}
    for name, rows in rows_by_member.items():
        texts = frozenset(tuple(row.get(column) or "" for column in _COMPARED_COLUMNS) for row in rows)
        first = first_by_text.setdefault(texts, name)
        if first != name and len(texts) >= _MIN_COPIED_ROWS:
            copies[name] = first
    return copies


def _form_fault(rows: Rows) -> str | None:
    if not rows:
        return "it holds no rows"
    missing_columns = [column for column in _REQUIRED_COLUMNS if column not in rows[0]]
    return f"it has no column {missing_columns[0]!r}" if missing_columns else None


def _foreign_members(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    ids = {name: {row["id"] for row in rows} for name, rows in rows_by_member.items()}
    strangers = [name for name in ids if not any(ids[name] & ids[other] for other in ids if other != name)]
    if len(strangers) == len(ids):
        return {}
    return dict.fromkeys(strangers, "none of its ids occurs in another run")


def _members_with_other_questions(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    questions_by_member = {name: _question_texts(rows) for name, rows in rows_by_member.items()}
    wordings: dict[str, Counter[str]] = {}
    for questions in questions_by_member.values():
        for question_id, text in questions.items():
            wordings.setdefault(question_id, Counter())[text] += 1
    broken = {}
    for name, questions in questions_by_member.items():
        other = [key for key, text in questions.items() if 2 * wordings[key][text] < wordings[key].total()]
        if len(other) >= _MIN_ROWS and 2 * len(other) > len(questions):
            broken[name] = (
                f"{len(other)} of its {len(questions)} questions are other ones than the runs' under their ids"
            )
    return broken


def _question_texts(rows: Rows) -> dict[str, str]:
    return {row["id"]: " ".join(text.casefold().split()) for row in rows if (text := row.get("question") or "")}


def _blank_members(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    answered_by_member = {name: _answered_ids(rows) for name, rows in rows_by_member.items()}
    broken = {}
    for name, rows in rows_by_member.items():
        ids = {row["id"] for row in rows}
        if len(ids) < _MIN_ROWS or answered_by_member[name]:
            continue
        others = [answered_by_member[other] & ids for other in rows_by_member if answered_by_member[other]]
        if others and 2 * sum(map(len, others)) > len(ids) * len(others):
            broken[name] = f"all of its {len(ids)} answers are blank"
    return broken


def _answered_ids(rows: Rows) -> set[str]:
    return {row["id"] for row in rows if not is_blank(row["answer_value"])}


def _contradicting_members(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    copies = find_copies(rows_by_member)
    ballots: dict[str, dict[str, Ballot]] = {}
    for name, rows in rows_by_member.items():
        for row in rows if name not in copies else ():
            ballots.setdefault(row["id"], {}).setdefault(name, read_ballot(name, row))
    verdicts: dict[str, list[bool]] = {name: [] for name in rows_by_member}
    for cast in ballots.values():
        for name, agrees in _agreement_verdicts(take_poll(list(cast.values()))):
            verdicts[name].append(agrees)
    faults = {
        name: f"it contradicts {agreements.count(False)} of {len(agreements)} answers that the others agree on"
        for name, agreements in verdicts.items()
        if len(agreements) >= _MIN_SETTLED and agreements.count(True) <= _MIN_AGREEMENT * len(agreements)
    }
    return faults | {copy: faults[first] for copy, first in copies.items() if first in faults}


def _agreement_verdicts(poll: Poll) -> Iterator[tuple[str, bool]]:
    """Yield each member that answers where two thirds of the others agree, and whether it agrees with them."""
    votes = Counter(choice for choice in poll.choices if choice >= 0)
    for ballot, choice in zip(poll.ballots, poll.choices, strict=True):
        if poll.kind == "claim" or choice < 0:
            continue
        others = votes - Counter([choice])
        if others.total() >= _MIN_ROWS and 3 * max(others.values()) >= 2 * (len(poll.ballots) - 1):
            yield ballot.member, choice == others.most_common(1)[0][0]
