"""What a stage tells of its work."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class StageReport:
    """What a stage did beside its table: rows that cost work, rows found again, and what went wrong on the way."""

    rows_computed: int
    rows_reused: int = 0
    problems: tuple[str, ...] = ()  # one sentence each
    metrics: dict[str, float] = field(default_factory=dict)
    incomplete: str | None = None  # why this output must not be taken as final, where a fault from outside left gaps


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table of `schema` without rows.

    >>> empty_table(pa.schema([pa.field("id", pa.string())])).num_rows
    0
    """
    return schema.empty_table()
