"""Suggested questions that the engine answers from the document that suggests them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from operator import attrgetter

import pyarrow as pa

from kohaku_lib.answering import Answer, Engine
from kohaku_lib.index import Snapshot, tenant_documents
from kohaku_lib.suggestions.candidates import Candidate, document_candidates, is_same_thing
from kohaku_lib.tables import SUGGESTED_QUESTIONS, Question, StageReport

_LOG = logging.getLogger("kohaku")
MOST_KEPT, MOST_TRIED = 4, 6  # of an organisation
MOST_DOCUMENTS, MOST_READ = 12, 200  # that suggest something, and that are looked at
_QUESTION_ID = "suggested"


def tried_questions(snapshot: Snapshot, engine_of: Callable[[str], Engine]) -> tuple[pa.Table, StageReport]:
    """Return the questions of each organisation that its engine answers (SUGGESTED_QUESTIONS), and how many were tried.

    A question at which the engine fails is not answered; the metric `failed` counts those.
    """
    rows: list[dict[str, str]] = []
    tried, failed = 0, 0
    for org_id in sorted(snapshot.documents.column("org_id").unique().to_pylist()):
        engine: Engine | None = None
        kept = 0
        for candidate in islice(_of_organisation(snapshot, org_id), MOST_TRIED):
            tried += 1
            try:
                engine = engine or engine_of(org_id)
                answer = answer_to(engine, candidate.question)
            except Exception:  # whatever is wrong, the index is published, and only a suggestion is lost
                _LOG.warning("a suggested question of %r was not tried", org_id, exc_info=True)
                failed += 1
                continue
            if is_answered_from(answer, candidate.document_id):
                kept += 1
                rows.append(
                    {
                        "org_id": org_id,
                        "document_id": candidate.document_id,
                        "question": candidate.question,
                        "outcome": answer.outcome,
                    }
                )
            if kept == MOST_KEPT:
                break
    report = StageReport(rows_computed=tried, metrics={"failed": float(failed)})
    return pa.Table.from_pylist(rows, schema=SUGGESTED_QUESTIONS), report


def answer_to(engine: Engine, question: str) -> Answer:
    """Return what the engine answers to a question, with the passages that come closest where no value is sure."""
    asked = Question(_QUESTION_ID, question)
    return engine.with_passages(asked, engine.answer(asked, engine.context(asked)))


def is_answered_from(answer: Answer, document_id: str) -> bool:
    """Return whether an answer gives a value or a passage of a document."""
    if answer.outcome == "passage":
        return answer.passages[0].document_id == document_id
    return answer.outcome == "value" and document_id in answer.ref_id


def _of_organisation(snapshot: Snapshot, org_id: str) -> Iterator[Candidate]:
    """Yield what its documents suggest, one of each in turn, those from sentences first; no two are about one thing."""
    documents = tenant_documents(snapshot, org_id).to_pylist()
    parsed = [one["document_id"] for one in documents if one["status"] == "parsed"]
    suggested = (document_candidates(snapshot, one) for one in _spread(parsed, MOST_READ))
    some = list(islice(filter(None, suggested), MOST_DOCUMENTS))
    seen: list[Candidate] = []
    rounds = (sorted(filter(None, one), key=attrgetter("kind")) for one in zip_longest(*some))
    for candidate in chain.from_iterable(rounds):
        if not any(is_same_thing(candidate.words, one.words) for one in seen):
            seen.append(candidate)
            yield candidate


def _spread(names: Sequence[str], most: int) -> list[str]:
    """Return up to `most` of the names, from the whole list in equal steps.

    >>> _spread("abcdefgh", 4)
    ['a', 'c', 'e', 'g']
    """
    step = max(1, -(-len(names) // most))
    return list(names[::step])
