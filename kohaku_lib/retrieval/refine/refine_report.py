"""A summary of the failures in the refinement of many rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kohaku_lib.tables import RetrievalResult


def refinement_problems(results: Sequence[RetrievalResult]) -> tuple[list[str], str | None]:
    """Return one sentence per kind of failure, and why the contexts are incomplete if a retry may help.

    A failed reranker that was replaced by another one is a problem but not a gap.
    """
    traces = [result.trace.get("refinement", {}) for result in results]
    reranked, verified = ([one[name] for one in traces if name in one] for name in ("reranked", "verified"))
    lost = [row for row in reranked if row["by"] is None and row["failures"]]
    unverified = [row for row in verified if "failure" in row]
    problems = [
        *_counted("were not reranked", ("; ".join(row["failures"]) for row in lost)),
        *_counted(
            "were reranked by another way", (_replaced(row) for row in reranked if row["by"] and row["failures"])
        ),
        *_counted("were not verified", (row["failure"] for row in unverified)),
        *_counted("were not filtered", (_uncalibrated(one) for one in traces if "uncalibrated" in one)),
    ]
    gaps = len(lost) + sum(not row["is_final"] for row in unverified)
    return problems, f"{gaps} contexts were not refined as set; the next refresh tries again" if gaps else None


def _counted(what: str, reasons: Any) -> list[str]:
    return [f"{count} questions {what}: {why}" for why, count in Counter(reasons).items()]


def _replaced(row: dict[str, Any]) -> str:
    return f"{row['by']} was used, because {'; '.join(row['failures'])}"


def _uncalibrated(one: dict[str, Any]) -> str:
    return f"rerank.conformal holds no scores of {one['uncalibrated']!r}; calibrate that reranker"
