"""Outputs that come in parts: a stage gives them one after the other, and no more than one is held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from kohaku_lib.tables import StageReport


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a stage's output that hang on `key` alone, so that a later output may take them over."""

    key: str
    rows: int
    problems: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the plain form that a stage file keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Piece:
        """Return the piece of a plain form.

        >>> Piece.from_json(Piece("k", 2, ("odd",)).to_json())
        Piece(key='k', rows=2, problems=('odd',), metrics={})
        """
        return cls(**{**content, "problems": tuple(content["problems"])})


@dataclass(frozen=True, slots=True)
class StagePart:
    """The next rows of an output, what they cost, and the pieces they consist of (none: they hang on everything)."""

    table: pa.Table
    report: StageReport
    pieces: tuple[Piece, ...] = ()


def merge_reports(reports: Iterable[StageReport]) -> StageReport:
    """Return the sum of what `reports` count, all their problems in order, and the first reason for a gap.

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
    """Yield `table` in slices of at most `rows`, each cut before the column `weight` sums up to more than `most_weight`.

    A row that is heavier is a slice of its own, an empty table one slice.

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


def gathered(parts: Sequence[StagePart]) -> tuple[pa.Table, StageReport]:
    """Return the whole output of at least one part."""
    table = pa.concat_tables([part.table for part in parts]).combine_chunks()
    return table, merge_reports(part.report for part in parts)
