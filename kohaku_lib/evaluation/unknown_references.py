"""True references to documents that do not exist, which no answer can match."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import pyarrow as pa

from kohaku_lib.documents.corpus.csv_rows import limit_messages
from kohaku_lib.evaluation.metrics.evidence import gold_documents


def unknown_references(ids_by_question: Mapping[str, Iterable[str]], document_ids: Iterable[str]) -> list[str]:
    """Return a sentence for each question whose true references are not among the `document_ids`; case is ignored.

    >>> unknown_references({"q1": ["a", "B"], "q2": ["A"]}, ["A"])
    ["the question 'q1' refers to 'B', which does not exist; correct its ref_id or add the document"]
    """
    known_ids = {name.lower() for name in document_ids}
    unknown_by_question = {
        question: [name for name in ids if name.lower() not in known_ids] for question, ids in ids_by_question.items()
    }
    return limit_messages(
        [
            f"the question {question!r} refers to {', '.join(map(repr, names))}, which does not exist; correct its ref_id or "
            "add the document"
            for question, names in unknown_by_question.items()
            if names
        ],
        "questions refer to documents that do not exist",
    )


def unknown_truth(questions: pa.Table, document_ids: Iterable[str]) -> list[str]:
    """Return `unknown_references` for the true references in QUESTIONS."""
    rows = ((row["id"], json.loads(row["row_json"])) for row in questions.select(["id", "row_json"]).to_pylist())
    return unknown_references({name: sorted(gold_documents(row)) for name, row in rows}, document_ids)
