"""Retrieval as a stage: query plans to contexts, and the conversion of results to tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

import pyarrow as pa

from kohaku_lib.retrieval.planning.plan_rows import plan_from_row, plan_to_row
from kohaku_lib.tables import RETRIEVED_CONTEXT, ImageMatch, Match, QueryPlan, RetrievalResult, Snippet, StageReport


class PlanRetriever(Protocol):
    """Searches for planned questions."""

    def retrieve(self, plans: Sequence[QueryPlan]) -> Sequence[RetrievalResult]:
        """Return one result per plan, in order."""
        ...


def retrieve_contexts(plans: pa.Table, retriever: PlanRetriever) -> tuple[pa.Table, StageReport]:
    """Return the context (RETRIEVED_CONTEXT) of every plan (QUERY_PLANS), in order, searched in one batch.

    A plan without queries has an empty context, and a failed channel is missing in all contexts; the report lists both,
    and failed rerankers and verifiers.
    """
    results = retriever.retrieve([plan_from_row(row["id"], row["plan"]) for row in plans.to_pylist()])
    problems = [f"question {result.id!r} has no query and got no context" for result in results if not result.queries]
    failed = {name: why for result in results for name, why in result.trace.get("failed_channels", {}).items()}
    problems += [f"the channel {name!r} contributed nothing: {why}" for name, why in failed.items()]
    lacking = sum("failed_channels" in result.trace for result in results)
    of = f"{lacking} of {len(results)} contexts"
    gaps = f"{of} lack the channels {sorted(failed)}; the next refresh searches again" if failed else None
    of_refining, unrefined = refinement_problems(results)
    all_problems = tuple(problems + of_refining)
    report = StageReport(rows_computed=len(results), problems=all_problems, incomplete=gaps or unrefined)
    return results_to_table(results), report


def refinement_problems(results: Sequence[RetrievalResult]) -> tuple[list[str], str | None]:
    """Return one sentence per kind of failure, and why the contexts are incomplete if a retry may help.

    A failed reranker that was replaced by another one is a problem but not a gap.
    """
    traces = [result.trace.get("refinement", {}) for result in results]
    reranked, verified = ([one[name] for one in traces if name in one] for name in ("reranked", "verified"))
    lost = [row for row in reranked if row["by"] is None and row["failures"]]
    unverified = [row for row in verified if "failure" in row]
    problems = [
        *_count_reasons("were not reranked", ("; ".join(row["failures"]) for row in lost)),
        *_count_reasons(
            "were reranked by another way",
            (_replacement_reason(row) for row in reranked if row["by"] and row["failures"]),
        ),
        *_count_reasons("were not verified", (row["failure"] for row in unverified)),
        *_count_reasons("were not filtered", (_uncalibrated_reason(one) for one in traces if "uncalibrated" in one)),
    ]
    gaps = len(lost) + sum(not row["is_final"] for row in unverified)
    return problems, f"{gaps} contexts were not refined as set; the next refresh tries again" if gaps else None


def _count_reasons(what: str, reasons: Any) -> list[str]:
    return [f"{count} questions {what}: {why}" for why, count in Counter(reasons).items()]


def _replacement_reason(row: dict[str, Any]) -> str:
    return f"{row['by']} was used, because {'; '.join(row['failures'])}"


def _uncalibrated_reason(one: dict[str, Any]) -> str:
    return f"rerank.conformal holds no scores of {one['uncalibrated']!r}; calibrate that reranker"


def results_to_table(results: Sequence[RetrievalResult]) -> pa.Table:
    """Return results as a table of RETRIEVED_CONTEXT, in order."""
    rows = [
        {
            "id": result.id,
            "queries": list(result.queries),
            "plan": plan_to_row(result.plan),
            "matches": [asdict(match) for match in result.matches],
            "snippets": [asdict(snippet) for snippet in result.snippets],
            "images": [asdict(image) for image in result.images],
            "trace_json": json.dumps(result.trace, ensure_ascii=False),
        }
        for result in results
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVED_CONTEXT)


def snippet_from_row(row: Mapping[str, Any]) -> Snippet:
    """Return the snippet in a row of the table."""
    starts = tuple((start["char_start"], start["page"]) for start in row.get("page_starts") or ())
    values: dict[str, Any] = {
        **row,
        "also_in": tuple(row.get("also_in") or ()),
        "page_starts": starts,
        "path": row.get("path") or "",
    }
    return Snippet(**values)


def results_from_table(table: pa.Table) -> list[RetrievalResult]:
    """Return the results in a table of `results_to_table`, in order."""
    return [
        RetrievalResult(
            plan_from_row(row["id"], row["plan"]),
            tuple(Match(**match | {"also_in": tuple(match.get("also_in") or ())}) for match in row["matches"]),
            tuple(map(snippet_from_row, row["snippets"])),
            tuple(ImageMatch(**image) for image in row["images"]),
            json.loads(row["trace_json"]),
        )
        for row in table.to_pylist()
    ]
