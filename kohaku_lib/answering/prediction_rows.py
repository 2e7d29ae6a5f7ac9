"""Rows of PREDICTIONS."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.answering.citing.quotes import Citation, cite
from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.deepening import AnswerOutcome
from kohaku_lib.tables import Question, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank

DocumentMetadata = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class EnsembleMember:
    """An ensemble run and its label."""

    run: int
    label: str


def prediction_row(
    member: EnsembleMember,
    question: Question,
    outcome: AnswerOutcome,
    documents: DocumentMetadata,
    *,
    as_recorded: bool = False,
) -> dict[str, Any]:
    """Return the row of PREDICTIONS for `outcome`.

    A blank answer is blank in every column of the output contract. URLs and materials are those of the cited documents;
    a quote that was found takes precedence over their citations. `as_recorded` keeps value and references unchanged even if
    one of them is missing, and falls back to the recorded material.
    """
    answer = outcome.answer
    if is_blank_answer(answer) and not as_recorded:
        answer = blank_answer(answer.error, answer.raw_response)
    citations = [
        _with_support(citation, question, answer.answer_value)
        for citation in cite(answer.ref_id, answer.quote, outcome.snippets, answer.cited_nodes)
    ]
    return _identity_columns(member, question) | {
        "answer": answer.answer or answer.answer_value,
        "answer_value": answer.answer_value,
        "ref_id": list(answer.ref_id),
        "ref_url": _document_urls(answer.ref_id, documents),
        "supporting_materials": _supporting_materials(answer, citations, documents),
        "explanation": answer.explanation or answer.quote or answer.answer or answer.answer_value,
        "confidence": answer.confidence,
        "citations": [asdict(citation) for citation in citations],
        "attempts": len(outcome.attempts),
        "dropped_refs": outcome.dropped_refs,
        "error": answer.error if is_blank_answer(answer) else None,
        "raw_response": answer.raw_response,
        "trace_json": json.dumps({"attempts": outcome.attempts}, ensure_ascii=False),
        "ref_cell": answer.ref_cell,
    }


def failed_row(member: EnsembleMember, question: Question, error: str) -> dict[str, Any]:
    """Return the blank row of PREDICTIONS for a question that failed with `error`."""
    return prediction_row(member, question, AnswerOutcome(blank_answer(error)), {})


def document_metadata(documents: pa.Table) -> dict[str, dict[str, Any]]:
    """Return title, URL, citation and further metadata by document id, from the parsed rows of a DOCUMENTS table."""
    rows = documents.select(["document_id", "title", "metadata_json", "status"]).to_pylist()
    return {
        row["document_id"]: json.loads(row["metadata_json"]) | {"title": row["title"]}
        for row in rows
        if row["status"] == "parsed"
    }


def _identity_columns(member: EnsembleMember, question: Question) -> dict[str, Any]:
    return {
        "run": member.run,
        "run_label": member.label,
        "id": question.id,
        "question": question.text,
        "answer_unit": question.unit or BLANK,
    }


def _with_support(citation: Citation, question: Question, value: str) -> Citation:
    support = support_of(question, value, citation.quote)
    return replace(citation, supports_value=support.states_value, converted_from=support.converted_from)


def _document_urls(refs: Sequence[str], documents: DocumentMetadata) -> list[str]:
    urls = (str(documents.get(ref, {}).get("url") or "").strip() for ref in refs)
    return [url for url in urls if not is_blank(url)]


def _supporting_materials(answer: StructuredAnswer, citations: Sequence[Citation], documents: DocumentMetadata) -> str:
    found_quotes = [citation.quote for citation in citations if citation.quote and citation.quote_found]
    descriptions = [_describe_document(documents.get(ref, {})) for ref in answer.ref_id]
    return (found_quotes[0] if found_quotes else " | ".join(filter(None, descriptions))) or answer.quote or BLANK


def _describe_document(metadata: Mapping[str, Any]) -> str:
    for field in ("citation", "title"):
        text = str(metadata.get(field) or "").strip()
        if not is_blank(text):
            return text
    return ""
