"""Every question that was served, as a row: what was asked, understood, found and answered, and what people said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlalchemy import and_, func, insert, select

from kohaku_lib.conversation.memory.message_store import Owner
from kohaku_lib.conversation.memory.tables import FEEDBACK, SERVED
from kohaku_lib.conversation.request import AssistantRequest, RequestError
from kohaku_lib.conversation.response.response import Response
from kohaku_lib.llm.ledger.calls import parse_call

if TYPE_CHECKING:
    from sqlalchemy import Engine

SERVED_QUESTIONS = pa.schema(
    [
        pa.field("answer_id", pa.string(), nullable=False),
        pa.field("session_id", pa.string(), nullable=False),
        pa.field("user_id", pa.string()),
        pa.field("served_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("message", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),  # as it was understood
        pa.field("mode", pa.string(), nullable=False),
        pa.field("level", pa.string()),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("is_answer", pa.bool_(), nullable=False),
        pa.field("confidence", pa.float64(), nullable=False),
        pa.field("coverage", pa.float64(), nullable=False),
        pa.field("cached", pa.bool_(), nullable=False),
        pa.field("index_version", pa.string()),
        pa.field("sources_json", pa.string(), nullable=False),
        pa.field("trace_json", pa.string(), nullable=False),
        pa.field("timings_json", pa.string(), nullable=False),
        pa.field("rating", pa.int32()),  # of the newest feedback: 1 or -1
        pa.field("correction", pa.string()),
        pa.field("right_source", pa.string()),
        pa.field("cost_usd", pa.float64()),  # of the calls made for it; None: none was made, or the price is unknown
    ]
)


_OF_SOURCE = (
    "chunk_id",
    "document_id",
    "document_name",
    "document_title",
    "heading",
    "page_number",
    "cited",
    "quote",
    "marked",
    "char_start",
    "char_end",
)


_OF_ANSWER = ("outcome", "form", "error", "needs_whole", "other_values")


class ServedQuestions:
    """The served questions and the feedback of one tenant in `engine`. Thread-safe, for several processes."""

    def __init__(self, engine: Engine, org_id: str) -> None:
        self._engine, self._org_id = engine, org_id

    def add(self, request: AssistantRequest, response: Response) -> None:
        """Record a response; durable on return."""
        sources = [{name: getattr(source, name) for name in _OF_SOURCE} for source in response.sources]
        answer = None if response.answer is None else response.answer.as_json()
        values = {
            "answer_id": response.answer_id,
            "session_id": response.session_id,
            "org_id": self._org_id,
            "user_id": request.user_id,
            "served_at": datetime.now(UTC),
            "message": request.message,
            "question": response.question,
            "mode": request.mode,
            "level": request.intelligence_level,
            "answer": response.content,
            "is_answer": response.is_answer,
            "confidence": response.confidence_score,
            "coverage": response.context_sufficiency.coverage_score,
            "cached": response.cached,
            "index_version": response.index_version,
            "sources_json": json.dumps(sources, ensure_ascii=False),
            "answer_json": answer and json.dumps({name: answer[name] for name in _OF_ANSWER}, ensure_ascii=False),
            "trace_json": json.dumps(response.trace, ensure_ascii=False),
            "timings_json": json.dumps(response.timings_ms),
        }
        with self._engine.begin() as connection:
            connection.execute(insert(SERVED).values(values))

    def judge(
        self, answer_id: str, rating: int, user_id: str | None, correction: str | None = None, source: str | None = None
    ) -> None:
        """Record what a person says about an answer; a later judgement goes before an earlier one.

        Raises:
            RequestError: The rating is neither 1 nor -1, or the answer is unknown or was given to another user.
        """
        if rating not in (1, -1):
            msg = f"a rating is 1 or -1, got {rating}"
            raise RequestError(msg)
        owner = self._owner(answer_id)
        if owner != Owner(self._org_id, user_id):
            msg = f"there is no answer {answer_id!r} of yours; feedback takes the answer_id of a response"
            raise RequestError(msg)
        values = {"answer_id": answer_id, "given_at": datetime.now(UTC), "user_id": user_id, "rating": rating}
        with self._engine.begin() as connection:
            connection.execute(insert(FEEDBACK).values(**values, correction=correction, right_source=source))

    def table(self, ledger: Path | None = None) -> pa.Table:
        """Return all rows (SERVED_QUESTIONS), oldest first, with the newest feedback of each.

        The cost is that of the calls in the `ledger` folder that were made for the question; a question answered from the
        cache or by recorded replies cost nothing.
        """
        newest = select(func.max(FEEDBACK.c.feedback_id)).group_by(FEEDBACK.c.answer_id).scalar_subquery()
        said_of = and_(FEEDBACK.c.answer_id == SERVED.c.answer_id, FEEDBACK.c.feedback_id.in_(newest))
        joined = SERVED.outerjoin(FEEDBACK, said_of)
        own = [SERVED.c[name] for name in SERVED_QUESTIONS.names if name in SERVED.c]
        said = [FEEDBACK.c[name] for name in ("rating", "correction", "right_source")]
        wanted = select(*own, *said).select_from(joined).where(SERVED.c.org_id == self._org_id)
        with self._engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(wanted.order_by(SERVED.c.served_at)).mappings()]
        costs = _cost_by_question(ledger) if ledger is not None else {}
        for row in rows:
            row["cost_usd"] = costs.get(row["answer_id"])
            row["served_at"] = row["served_at"].replace(tzinfo=UTC)  # SQLite forgets the zone
        return pa.Table.from_pylist(rows, schema=SERVED_QUESTIONS)

    def find(self, answer_id: str, user_id: str | None) -> dict[str, Any] | None:
        """Return one row (SERVED_QUESTIONS without feedback and cost) of a user; None if there is none of that id."""
        own = [SERVED.c[name] for name in SERVED_QUESTIONS.names if name in SERVED.c]
        mine = and_(SERVED.c.answer_id == answer_id, SERVED.c.org_id == self._org_id, SERVED.c.user_id == user_id)
        with self._engine.connect() as connection:
            row = connection.execute(select(*own).where(mine)).mappings().first()
        return None if row is None else dict(row)

    def _owner(self, answer_id: str) -> Owner | None:
        wanted = select(SERVED.c.org_id, SERVED.c.user_id).where(SERVED.c.answer_id == answer_id)
        with self._engine.connect() as connection:
            row = connection.execute(wanted).first()
        return None if row is None else Owner(row.org_id, row.user_id)


def _cost_by_question(ledger: Path) -> Mapping[str, float]:
    costs: dict[str, float] = {}
    for path in sorted(ledger.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            call = parse_call(line) or {}
            if isinstance(call.get("cost_usd"), (int, float)):
                name = str(call.get("question_id"))
                costs[name] = costs.get(name, 0.0) + call["cost_usd"]
    return costs
