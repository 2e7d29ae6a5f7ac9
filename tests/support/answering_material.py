"""Small questions, contexts and requests for the tests of answering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from kohaku_lib.llm import ChatRequest
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_to_row
from kohaku_lib.settings import Settings
from kohaku_lib.tables import QUESTIONS, RETRIEVED_CONTEXT, QueryPlan, RetrievalResult, Snippet


def chat_request(question_id: str = "q1", **changes: Any) -> ChatRequest:
    values: dict[str, Any] = {
        "model": "test-model",
        "system": "You answer in JSON.",
        "user": "[ref_id=doc] It weighs 42 kg.",
        "temperature": 0.2,
        "max_tokens": 100,
        "seed": 0,
        "run": 0,
        "stage": "predictions",
        "question_id": question_id,
    }
    return ChatRequest(**(values | changes))


def snippet(text: str, document_id: str = "doc", rank: int = 1, page: int | None = 3) -> Snippet:
    return Snippet(f"{document_id}:sec1:p{rank}", document_id, document_id.title(), page, text, rank, 1.0 / rank)


def questions_table(*questions: tuple[str, str] | tuple[str, str, str | None], problem: str | None = None) -> pa.Table:
    rows = [
        {
            "id": question[0],
            "question": question[1],
            "answer_unit": question[2] if len(question) == 3 else None,
            "has_truth": False,
            "row_json": "{}",
            "problem": problem,
        }
        for question in questions
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


def contexts_table(snippets_by_id: Mapping[str, Sequence[Snippet]]) -> pa.Table:
    rows = [
        {
            "id": question_id,
            "queries": [f"query of {question_id}"],
            "plan": plan_to_row(as_plan((question_id, [f"query of {question_id}"]))),
            "matches": [],
            "snippets": [{name: getattr(item, name) for name in Snippet.__dataclass_fields__} for item in snippets],
            "images": [],
            "trace_json": "{}",
        }
        for question_id, snippets in snippets_by_id.items()
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVED_CONTEXT)


def chat_settings(base_url: str, **sections: dict[str, Any]) -> Settings:
    llm = {"provider": "openai", "model": "test-model", "base_url": base_url, "retry_base_s": 0.0, "call_retries": 1}
    answer = {"by": "model"} | sections.get("answer", {})
    return Settings.model_validate({**sections, "llm": llm | sections.get("llm", {}), "answer": answer})


class ShelfRetriever:
    """A retriever over one shelf of snippets: depth d gives the first `step` × d of them."""

    def __init__(self, shelf: Sequence[Snippet], step: int = 1) -> None:
        self.shelf = shelf
        self.step = step
        self.asked: list[tuple[str, tuple[str, ...], int]] = []

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> list[RetrievalResult]:
        self.asked += [(plan.id, plan.texts, depth) for plan in plans]
        snippets = tuple(self.shelf[: self.step * depth])
        return [RetrievalResult(plan, (), snippets) for plan in plans]
