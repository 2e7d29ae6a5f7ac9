"""Stage outputs as a stream of parts, of which only one is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from kohaku_lib.tables import StageReport


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a stage's output that depend on `key` only, so that a later output may reuse them."""

    key: str
    rows: int
    problems: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form stored in a stage file."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Piece:
        """Parse the JSON form.

        >>> Piece.from_json(Piece("k", 2, ("odd",)).to_json())
        Piece(key='k', rows=2, problems=('odd',), metrics={})
        """
        values: dict[str, Any] = {**content, "problems": tuple(content["problems"])}
        return cls(**values)


@dataclass(frozen=True, slots=True)
class StagePart:
    """The next rows of an output, their report, and their pieces (empty: they depend on the whole input)."""

    table: pa.Table
    report: StageReport
    pieces: tuple[Piece, ...] = ()


def merge_reports(reports: Iterable[StageReport]) -> StageReport:
    """Sum the counts and metrics of `reports`, concatenate their problems, and take the first reason for gaps.

    >>> merge_reports([StageReport(1, metrics={"a": 1.0}), StageReport(2, 3, ("odd",), {"a": 2.0})])
    StageReport(rows_computed=3, rows_reused=3, problems=('odd',), metrics={'a': 3.0}, incomplete=None)
    """
    total = StageReport(0)
    problems: list[str] = []
    metrics: dict[str, float] = {}
    for report in reports:
        problems += report.problems
        for name, value in report.metrics.items():
            metrics[name] = metrics.get(name, 0.0) + value
        total = replace(
            total,
            rows_computed=total.rows_computed + report.rows_computed,
            rows_reused=total.rows_reused + report.rows_reused,
            incomplete=total.incomplete or report.incomplete,
        )
    return replace(total, problems=tuple(problems), metrics=metrics)


def windows(
    table: pa.Table, rows: int, weight: str | None = None, most_weight: float = float("inf")
) -> Iterator[pa.Table]:
    """Yield slices of `table` of at most `rows` rows and `most_weight` in total of the column `weight`.

    A heavier row is a slice by itself; an empty table yields one empty slice.

    >>> sizes = pa.table({"size": [4, 5, None, 20, 1]})
    >>> [part["size"].to_pylist() for part in windows(sizes, 3, "size", 10)]
    [[4, 5, None], [20], [1]]
    """
    weights = [value or 0 for value in table[weight].to_pylist()] if weight else [0] * table.num_rows
    start, held = 0, 0.0
    for row, value in enumerate(weights):
        if row > start and (row - start == rows or held + value > most_weight):
            yield table.slice(start, row - start)
            start, held = row, 0.0
        held += value
    yield table.slice(start)


def concat_parts(parts: Sequence[StagePart]) -> tuple[pa.Table, StageReport]:
    """Concatenate at least one part into a table and a report."""
    table = pa.concat_tables([part.table for part in parts]).combine_chunks()
    return table, merge_reports(part.report for part in parts)
