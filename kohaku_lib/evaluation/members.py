"""The runs that vote, and which of them are broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku_lib.values import is_blank

Rows = Sequence[Mapping[str, str]]
_LEAST_ROWS = 3  # fewer blanks in a row are abstentions that may well be right
_NEEDED = ("id", "answer_value")


def find_broken(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    """Return why a member is broken, by label; whole members are not in it.

    Broken is a member without rows or without the columns id and answer_value; one that shares no id with the
    others, which share ids among themselves; and one that is blank throughout, over three rows or more, where
    the others answer most of the same questions.

    >>> rows = [{"id": str(n), "answer_value": "7"} for n in range(3)]
    >>> find_broken({"a": rows, "b": [{**row, "answer_value": ""} for row in rows], "c": []})
    {'c': 'it holds no rows', 'b': 'all of its 3 answers are blank'}
    """
    broken = {name: fault for name, rows in rows_by_member.items() if (fault := _form_fault(rows))}
    readable = {name: rows for name, rows in rows_by_member.items() if name not in broken}
    broken |= _foreign(readable)
    return broken | _blank_throughout({name: rows for name, rows in readable.items() if name not in broken})


def _form_fault(rows: Rows) -> str | None:
    if not rows:
        return "it holds no rows"
    lacking = [column for column in _NEEDED if column not in rows[0]]
    return f"it has no column {lacking[0]!r}" if lacking else None


def _foreign(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    ids = {name: {row["id"] for row in rows} for name, rows in rows_by_member.items()}
    strangers = [name for name in ids if not any(ids[name] & ids[other] for other in ids if other != name)]
    if len(strangers) == len(ids):
        return {}
    return dict.fromkeys(strangers, "none of its ids occurs in another run")


def _blank_throughout(rows_by_member: Mapping[str, Rows]) -> dict[str, str]:
    answered = {name: _answered(rows) for name, rows in rows_by_member.items()}
    broken = {}
    for name, rows in rows_by_member.items():
        ids = {row["id"] for row in rows}
        if len(ids) < _LEAST_ROWS or answered[name]:
            continue
        others = [answered[other] & ids for other in rows_by_member if answered[other]]
        if others and 2 * sum(map(len, others)) > len(ids) * len(others):
            broken[name] = f"all of its {len(ids)} answers are blank"
    return broken


def _answered(rows: Rows) -> set[str]:
    return {row["id"] for row in rows if not is_blank(row["answer_value"])}
