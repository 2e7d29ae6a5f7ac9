"""The report of a stage run."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

TO_RETRY = "to_retry"  # the metric that counts rows which failed for a reason that may pass


@dataclass(frozen=True, slots=True)
class StageReport:
    """Statistics of a stage run: computed and reused rows, problems, metrics."""

    rows_computed: int
    rows_reused: int = 0
    problems: tuple[str, ...] = ()  # one sentence each
    metrics: dict[str, float] = field(default_factory=dict)
    incomplete: str | None = None  # why the output has gaps, after an external fault


def joined_report(*reports: StageReport) -> StageReport:
    """Return the problems of several steps, and the first gap that an external fault left.

    >>> joined_report(StageReport(4, problems=("a",)), StageReport(1, problems=("b",), incomplete="gone")).problems
    ('a', 'b')
    """
    problems = [problem for report in reports for problem in report.problems]
    gaps = [report.incomplete for report in reports if report.incomplete]
    return StageReport(rows_computed=0, problems=tuple(problems), incomplete=gaps[0] if gaps else None)


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table of `schema` without rows.

    >>> empty_table(pa.schema([pa.field("id", pa.string())])).num_rows
    0
    """
    return schema.empty_table()
