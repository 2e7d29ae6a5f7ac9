"""Questions of users with the truth that a person accepted, in a CSV file beside the project's own questions."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from kohaku_lib.answering.questions import ACCEPTED
from kohaku_lib.documents import read_rows
from kohaku_lib.storage import write_atomically
from kohaku_lib.values import format_refs, parse_value

COLUMNS = ("id", "question", "answer_value", "answer_unit", "ref_id", "org_id", "accepted_by", "accepted_at")


def accepted_row(
    answer_id: str, question: str, value: str, unit: str | None, sources: Sequence[str], org_id: str, by: str
) -> dict[str, str]:
    """Return the row of a question whose truth `by` accepted; a unit is read from the value if it is not given.

    >>> row = accepted_row("a1", "How heavy is it?", "4,000 kg", None, ["scale-log"], "default", "ann")
    >>> row["id"], row["answer_value"], row["answer_unit"], row["ref_id"]
    ('served:a1', '4000', 'kg', "['scale-log']")
    """
    parsed = parse_value(value)
    own_unit = parsed.unit if unit is None else unit
    return {
        "id": ACCEPTED + answer_id,
        "question": question,
        "answer_value": parsed.text if parsed.unit and unit is None else value.strip(),
        "answer_unit": own_unit or "",
        "ref_id": format_refs(sources),
        "org_id": org_id,
        "accepted_by": by,
        "accepted_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def accept(path: Path, row: Mapping[str, str]) -> None:
    """Write `row` into the file, atomically, in the place of an earlier one of the same question and organisation.

    Raises:
        InputFileError: The file cannot be read or lacks a column.
    """
    before = read_rows(path, COLUMNS) if path.exists() else []
    same = (row["question"], row["org_id"])
    rows = [one for one in before if (one["question"], one["org_id"]) != same]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(dict.fromkeys([*COLUMNS, *(before[0] if before else ())])), lineterminator="\n")
    writer.writeheader()
    writer.writerows([*rows, row])
    write_atomically(path, lambda temporary: temporary.write_text(text.getvalue(), encoding="utf-8"))


def accepted_of(path: Path, org_id: str) -> list[dict[str, str]]:
    """Return the rows of an organisation; none if there is no file.

    Raises:
        InputFileError: The file cannot be read or lacks a column.
    """
    return [row for row in read_rows(path, COLUMNS) if row["org_id"] == org_id] if path.exists() else []
