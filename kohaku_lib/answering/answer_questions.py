"""All questions to predictions: a row per question and ensemble run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.availability import Availability
from kohaku_lib.answering.deep_contexts import DeepContexts, DeepRetriever
from kohaku_lib.answering.deepening import Asked, answer_with_retries
from kohaku_lib.answering.labels import run_labels
from kohaku_lib.answering.prediction_rows import DocumentMetadata, Member, failed_row, prediction_row
from kohaku_lib.answering.references import resolve_refs
from kohaku_lib.answering.replay import NotRecordedError
from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.llm import ProviderUnavailableError
from kohaku_lib.settings import Settings
from kohaku_lib.storage import map_items
from kohaku_lib.tables import PREDICTIONS, Question, Snippet, StageReport
from kohaku_lib.values import is_blank

Progress = Callable[[int, int], None]


def answer_questions(
    questions: pa.Table,
    contexts: pa.Table,
    retriever: DeepRetriever | None,
    settings: Settings,
    answerer: Answerer,
    documents: DocumentMetadata,
    progress: Progress | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS) of all ensemble runs over `questions`, by run and then input order.

    `contexts` (RETRIEVED_CONTEXT) holds the first context of each question; `retriever` gives the deeper ones, None
    never deepens, nor does a replay. `documents` maps each id to its url, title and citation. `progress` is told
    how many rows are done, of how many. A row is reused where all its calls came from the ledger. What goes wrong
    with one question is its row's error; a question that a recorded run lacks has no row there. Raises
    ModelError where the model's server answers to none of the questions, StoreError where the ledger fails.
    """
    work = _Work(questions, contexts, retriever, settings, answerer, documents)
    done: list[_Done] = []
    for result in map_items(work.answer, work.items, work.workers):
        done.append(result)
        if progress:
            progress(len(done), len(work.items))
    rows = [result.row for result in done if result.row]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS), _report(done)


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of one question in one run: its row (None where nothing was recorded) and what went wrong."""

    row: dict[str, Any] | None
    problem: str | None = None
    failed: bool = False
    replayed: bool = False


class _Work:
    """What the threads share while they answer."""

    def __init__(
        self,
        questions: pa.Table,
        contexts: pa.Table,
        retriever: DeepRetriever | None,
        settings: Settings,
        answerer: Answerer,
        documents: DocumentMetadata,
    ) -> None:
        self.settings, self.answerer, self.documents = settings, answerer, documents
        self.is_replay = settings.llm.provider == "replay"
        self.contexts = {row["id"]: row for row in contexts.select(["id", "queries", "snippets"]).to_pylist()}
        self.members = [Member(run, label) for run, label in enumerate(run_labels(settings))]
        self.items = [(member, row) for member in self.members for row in questions.to_pylist()]
        self.availability = Availability(sum(row["problem"] is None for _, row in self.items))
        self.deeper = None if retriever is None or self.is_replay else DeepContexts(retriever)

    @property
    def workers(self) -> int:
        """Twice the calls in flight for a chat model, because some threads wait between attempts."""
        return 1 if self.settings.llm.provider in ("extractive", "replay") else 2 * self.settings.llm.max_concurrent

    def answer(self, item: tuple[Member, Mapping[str, Any]]) -> _Done:
        """Return what became of one question in one run; only a dead server or store ends the batch."""
        member, row = item
        question = Question(row["id"], row["question"], row["answer_unit"])
        if row["problem"]:
            return _Done(failed_row(member, question, row["problem"]))
        self.availability.check()
        try:
            return self._answered(member, question)
        except NotRecordedError as error:
            return _Done(None, str(error))
        except StoreError:
            raise
        except Exception as error:  # one question must not stop the others
            if isinstance(error, ProviderUnavailableError):
                self.availability.failed(error)
            sentence = str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
            problem = f"question {question.id!r} in run {member.label!r} stays blank: {sentence}"
            return _Done(failed_row(member, question, sentence), problem, failed=True)

    def _answered(self, member: Member, question: Question) -> _Done:
        context = self.contexts.get(question.id, {"queries": [question.text], "snippets": []})
        queries = tuple(context["queries"])
        outcome = answer_with_retries(
            partial(self._ask, member, question),
            tuple(Snippet(**snippet) for snippet in context["snippets"]),
            partial(self.deeper.get, question.id, queries) if self.deeper else None,
            self.settings.answer.max_retries,
            self.settings.answer.deepening,
        )
        row = prediction_row(member, question, outcome, self.documents, as_recorded=self.is_replay)
        problem = f"question {question.id!r} in run {member.label!r} stays blank: {row['error']}"
        return _Done(row, problem if row["error"] else None, replayed=outcome.replayed)

    def _ask(self, member: Member, question: Question, snippets: Sequence[Snippet]) -> Asked:
        answer = self.answerer.answer(question, snippets, member.run)
        if answer.raw_response is not None and not answer.replayed:
            self.availability.succeeded()
        if self.is_replay:
            return Asked(answer)
        known = self.documents.keys() | {snippet.document_id for snippet in snippets}
        refs, dropped = resolve_refs(answer.ref_id, known)
        return Asked(replace(answer, ref_id=refs), dropped)


def _report(done: Sequence[_Done]) -> StageReport:
    rows = [result.row for result in done if result.row]
    reused = sum(result.replayed for result in done)
    failed = sum(result.failed for result in done)
    return StageReport(
        rows_computed=len(rows) - reused,
        rows_reused=reused,
        problems=tuple(result.problem for result in done if result.problem),
        metrics={
            "blank": float(sum(is_blank(row["answer_value"]) for row in rows)),
            "failed": float(failed),
            "unrecorded": float(len(done) - len(rows)),
            "deepened": float(sum(row["attempts"] > 1 for row in rows)),
            "dropped_refs": float(sum(row["dropped_refs"] for row in rows)),
            "verified_quotes": float(sum(any(cited["verified"] for cited in row["citations"]) for row in rows)),
        },
        incomplete=f"{failed} of {len(done)} answers failed; the next refresh asks for them again" if failed else None,
    )
