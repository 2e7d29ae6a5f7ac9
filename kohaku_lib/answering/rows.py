"""Questions, contexts and answers as rows of tables, and back; nothing else makes rows of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.cited.grounding import judge_claims
from kohaku_lib.answering.citing.source import shown_text
from kohaku_lib.answering.engine import DocumentMetadata
from kohaku_lib.answering.lost_channels import LOST_CHANNELS
from kohaku_lib.retrieval.planning.plan_question import PlanningOutcome
from kohaku_lib.retrieval.planning.plan_rows import plan_to_row
from kohaku_lib.tables import PREDICTIONS, QUERY_PLANS, QUESTIONS, Question
from kohaku_lib.values import BLANK, is_blank


@dataclass(frozen=True, slots=True)
class EnsembleMember:
    """An ensemble run and its label."""

    run: int
    label: str


def questions_from_table(table: pa.Table) -> list[Question]:
    """Return the questions of a table of QUESTIONS, in order.

    >>> table = questions_to_table([Question("q1", "How heavy?", "kg")])
    >>> questions_from_table(table)
    [Question(id='q1', text='How heavy?', unit='kg', problem=None)]
    """
    columns = table.select(["id", "question", "answer_unit", "problem"]).to_pylist()
    return [Question(row["id"], row["question"], row["answer_unit"], row["problem"]) for row in columns]


def questions_to_table(questions: Sequence[Question], inputs: Sequence[Mapping[str, str]] = ()) -> pa.Table:
    """Return `questions` as a table of QUESTIONS; `inputs` are their rows in a file, with their truth if it has any."""
    rows = [
        {
            "id": question.id,
            "question": question.text,
            "answer_unit": question.unit,
            "has_truth": bool(row.get("answer_value", "").strip()),
            "row_json": json.dumps(row, ensure_ascii=False),
            "problem": question.problem,
        }
        for question, row in zip(questions, inputs or [{}] * len(questions), strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


def plans_to_table(outcomes: Iterable[PlanningOutcome], planner: str) -> pa.Table:
    """Return plans as a table of QUERY_PLANS, in order; `planner` names who made them."""
    rows = [
        {
            "id": outcome.plan.id,
            "plan": plan_to_row(outcome.plan),
            "planner": planner,
            "error": "; ".join(outcome.problems) or None,
        }
        for outcome in outcomes
    ]
    return pa.Table.from_pylist(rows, schema=QUERY_PLANS)


def answer_row(
    member: EnsembleMember, question: Question, answer: Answer, documents: DocumentMetadata
) -> dict[str, Any]:
    """Return the row of PREDICTIONS for an answer in one ensemble run.

    A blank answer is blank in every column of the output contract. URLs and materials are those of the cited `documents`; a
    quote that was found takes precedence over their citations.
    """
    outcome, read = answer.trace, answer.trace.answer
    trace = {"attempts": outcome.attempts} | (
        {LOST_CHANNELS: dict(answer.lost_channels)} if answer.lost_channels else {}
    )
    return {
        "run": member.run,
        "run_label": member.label,
        "id": question.id,
        "question": question.text,
        "answer_unit": question.unit or BLANK,  # votes and the submission go by the one that was asked for
        "answer": answer.text,
        "answer_value": read.answer_value,
        "ref_id": list(read.ref_id),
        "ref_url": _document_urls(read.ref_id, documents),
        "supporting_materials": _supporting_materials(answer, documents),
        "explanation": answer.explanation,
        "confidence": answer.confidence,
        "citations": [asdict(citation) for citation in answer.citations],
        "attempts": len(outcome.attempts),
        "dropped_refs": outcome.dropped_refs,
        "error": answer.error,
        "raw_response": read.raw_response,
        "trace_json": json.dumps(trace, ensure_ascii=False),
        "ref_cell": read.ref_cell,
        "sentences": _sentences(answer),
        "passages_cited": len({one.node_id for one in answer.citations if one.node_id is not None}),
    }


def answers_to_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table of PREDICTIONS; raises an error of pyarrow where one violates the schema."""
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


def document_metadata(documents: pa.Table) -> dict[str, dict[str, Any]]:
    """Return title, URL, citation and further metadata by document id, from the parsed rows of a DOCUMENTS table."""
    rows = documents.select(["document_id", "title", "metadata_json", "status"]).to_pylist()
    return {
        row["document_id"]: json.loads(row["metadata_json"]) | {"title": row["title"]}
        for row in rows
        if row["status"] == "parsed"
    }


def _sentences(answer: Answer) -> list[dict[str, Any]]:
    """Return the sentences of an answer, each with whether the passages that it cites say it; () where none is at hand."""
    shown = {snippet.node_id: shown_text(snippet) for snippet in answer.trace.snippets}
    cited = [shown.get(citation.node_id or "", "") for citation in answer.citations]  # [Source N] is the N-th
    if answer.is_blank or not any(cited):
        return []
    return [{"text": claim.bare, "supported": claim.supported} for claim in judge_claims(answer.text, cited)]


def _document_urls(refs: Sequence[str], documents: DocumentMetadata) -> list[str]:
    urls = (str(documents.get(ref, {}).get("url") or "").strip() for ref in refs)
    return [url for url in urls if not is_blank(url)]


def _supporting_materials(answer: Answer, documents: DocumentMetadata) -> str:
    read = answer.trace.answer
    found_quotes = [citation.quote for citation in answer.citations if citation.quote and citation.quote_found]
    descriptions = [_describe_document(documents.get(ref, {})) for ref in read.ref_id]
    return (found_quotes[0] if found_quotes else " | ".join(filter(None, descriptions))) or read.quote or BLANK


def _describe_document(metadata: Mapping[str, Any]) -> str:
    for field in ("citation", "title"):
        text = str(metadata.get(field) or "").strip()
        if not is_blank(text):
            return text
    return ""
