"""The scores of one sweep cell as table rows, and the runs in such a table."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.evaluation.metrics.score_answers import ENSEMBLE
from kohaku_lib.evaluation.sweeps.cells import SweepCell
from kohaku_lib.evaluation.sweeps.summary import CellRun
from kohaku_lib.tables import SWEEP_SCORES

PARTS = {"score": "", "value": "/value", "ref": "/ref"}  # column of SCORES to the end of the metric's name


def cell_scores(cell: SweepCell, scores: pa.Table, retrieval: pa.Table, of: str) -> pa.Table:
    """Return SWEEP_SCORES of a finished cell from its SCORES and RETRIEVAL_SCORES.

    `of` selects the answers: those of the "runs" (each a separate run) or of the "ensemble" (one run); retrieval is one
    run. Metrics are "wattbot", "wattbot/value", "wattbot/ref", "mrr" and so on.
    """
    members = list(dict.fromkeys(scores["member"].to_pylist()))
    counted_members = [name for name in members if (name == ENSEMBLE) == (of == "ensemble")]
    rows = [
        {"run": run, "metric": f"{row['metric']}{end}", "id": row["id"], "score": row[column]}
        for run, member in enumerate(counted_members)
        for row in scores.filter(pc.field("member") == member).to_pylist()
        for column, end in PARTS.items()
    ]
    rows += [
        {"run": 0, "metric": row["metric"], "id": row["id"], "score": row["value"]} for row in retrieval.to_pylist()
    ]
    return pa.Table.from_pylist([{"line": cell.line, "x": cell.x, **row} for row in rows], schema=SWEEP_SCORES)


def cell_runs(scores: pa.Table, metric: str, ids: Sequence[str] | None = None) -> list[CellRun]:
    """Return the runs of all cells in `scores` (SWEEP_SCORES) by one metric, in their order; `ids` restricts them."""
    chosen_ids = None if ids is None else set(ids)
    runs: dict[tuple[str, str, int], dict[str, float]] = {}
    for row in scores.filter(pc.field("metric") == metric).to_pylist():
        if chosen_ids is None or row["id"] in chosen_ids:
            runs.setdefault((row["line"], row["x"], row["run"]), {})[row["id"]] = row["score"]
    return [CellRun(*key, score_by_id) for key, score_by_id in runs.items()]
