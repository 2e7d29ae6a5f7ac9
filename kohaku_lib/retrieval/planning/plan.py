"""Questions → query plans."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from kohaku_lib.parallel import map_items
from kohaku_lib.retrieval.planning.plan_question import PlannerChat, PlanningOutcome, plan_question
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_to_row
from kohaku_lib.settings import PlannerSettings
from kohaku_lib.tables import QUERY_PLANS, StageReport


def plan_queries(
    questions: pa.Table, settings: PlannerSettings, chat: PlannerChat | None = None, max_workers: int = 0
) -> tuple[pa.Table, StageReport]:
    """Return the plan (QUERY_PLANS) of every question (QUESTIONS): the question itself is its first query.

    Plans are made by `chat` if it is given and `settings.kind` is not `rule`, else by rule. The contribution of a failed
    call is omitted, and its error is stored in the row. A question with a `problem` has itself as its only query, or
    none if its text is empty.
    """
    by_chat = chat if settings.kind != "rule" else None
    rows_and_gaps = list(
        map_items(partial(_plan_row, settings=settings, chat=by_chat), questions.to_pylist(), max_workers)
    )
    rows = [row for row, _ in rows_and_gaps]
    problems = tuple(f"question {row['id']!r} was not planned: {row['error']}" for row in rows if row["error"])
    failed = sum(is_gap for _, is_gap in rows_and_gaps)
    gaps = f"{failed} questions were not planned; the next refresh plans them again" if failed else None
    report = StageReport(rows_computed=len(rows), problems=problems, incomplete=gaps)
    return pa.Table.from_pylist(rows, schema=QUERY_PLANS), report


def _plan_row(
    question: dict[str, str | None], settings: PlannerSettings, chat: PlannerChat | None
) -> tuple[dict[str, object], bool]:
    """Return the plan of a question, and whether an external failure left a gap that a retry may fill."""
    question_id, text = str(question["id"]), (question["question"] or "").strip()
    if question["problem"] is not None or not text:
        outcome = PlanningOutcome(as_plan((question_id, [text] if text else [])))
    else:
        outcome = plan_question(text, question_id, settings, chat)
    row: dict[str, object] = {
        "id": question_id,
        "plan": plan_to_row(outcome.plan),
        "planner": "rule.v1" if chat is None else "chat.v1",
    }
    return row | {"error": "; ".join(outcome.problems) or None}, outcome.is_gap
