"""Retrieval as a stage: query plans in, contexts out, and the table's form of a result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import pyarrow as pa

from kohaku_lib.retrieval.retriever import Retriever
from kohaku_lib.tables import RETRIEVED_CONTEXT, Match, RetrievalResult, Snippet, StageReport


def retrieve_contexts(plans: pa.Table, retriever: Retriever) -> tuple[pa.Table, StageReport]:
    """Return the context (RETRIEVED_CONTEXT) of every plan (QUERY_PLANS), in order, searched in one batch.

    A plan without queries gives an empty context, which the report lists.
    """
    ids, queries = plans.column("id").to_pylist(), plans.column("queries").to_pylist()
    results = retriever.retrieve(list(zip(ids, queries, strict=True)))
    problems = tuple(
        f"question {result.id!r} has no query and got no context" for result in results if not result.queries
    )
    return results_to_table(results), StageReport(rows_computed=len(results), problems=problems)


def results_to_table(results: Sequence[RetrievalResult]) -> pa.Table:
    """Return results as a table of RETRIEVED_CONTEXT, in order."""
    rows = [
        {
            "id": result.id,
            "queries": list(result.queries),
            "matches": [asdict(match) for match in result.matches],
            "snippets": [asdict(snippet) for snippet in result.snippets],
            "trace_json": json.dumps(result.trace, ensure_ascii=False),
        }
        for result in results
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVED_CONTEXT)


def results_from_table(table: pa.Table) -> list[RetrievalResult]:
    """Return the results that `results_to_table` wrote, in order."""
    return [
        RetrievalResult(
            row["id"],
            tuple(row["queries"]),
            tuple(Match(**match) for match in row["matches"]),
            tuple(Snippet(**snippet) for snippet in row["snippets"]),
            json.loads(row["trace_json"]),
        )
        for row in table.to_pylist()
    ]
