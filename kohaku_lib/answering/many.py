"""Answers to many questions: one prediction row per question and ensemble run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answer import Answer, failed_answer
from kohaku_lib.answering.availability import Availability
from kohaku_lib.answering.engine import Engine
from kohaku_lib.answering.labels import run_labels
from kohaku_lib.answering.replay import NotRecordedError
from kohaku_lib.answering.rows import EnsembleMember, answer_row, answers_to_table, plans_to_table, questions_from_table
from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.llm import BudgetSpentError, ProviderUnavailableError
from kohaku_lib.parallel import map_items
from kohaku_lib.retrieval import results_from_table
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, RetrievalResult, Snippet, StageReport
from kohaku_lib.values import is_blank

Progress = Callable[[int, int], None]


def answer_questions(
    questions: pa.Table,
    contexts: pa.Table,
    engine: Engine,
    progress: Progress | None = None,
    *,
    is_tolerant: bool = False,
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS) of all ensemble runs over `questions`, by run and then input order.

    A row counts as reused if all its calls came from the ledger. An error in one question is stored in its row, and so is a
    search channel lost during its retrieval, unless the engine `is_tolerant`; a question that a recorded run lacks has no
    row there. On interruption, calls in flight finish and are stored, and no new ones start.

    Args:
        questions: Rows of QUESTIONS.
        contexts: Rows of RETRIEVED_CONTEXT, the first context of each question.
        engine: Answers one question after the other.
        progress: Called with the number of finished rows and of all rows.
        is_tolerant: Answer from partial contexts, and list the lost channels in the row.

    Raises:
        ModelError: The server answers none of the questions.
        StoreError: The ledger fails.

    """
    question_runs = list_question_runs(questions, contexts, engine.settings)
    answerer = QuestionAnswerer(engine, count_answerable(question_runs), is_tolerant=is_tolerant)
    outcomes: list[QuestionOutcome] = []
    for outcome in map_items(answerer.answer, question_runs, count_threads(engine.settings), engine.stop):
        outcomes.append(outcome)
        if progress:
            progress(len(outcomes), len(question_runs))
    return outcomes_to_table(outcomes)


def answer_all(
    engine: Engine, questions: Sequence[Question], on_passage: Callable[[Snippet], object] | None = None
) -> list[Answer]:
    """Return an answer per question, in their order, by one run; a question that fails is blank with its error.

    What has no value is told by the passages that come closest. Where a chat model answers, `on_passage` is called with the
    best passage of each question before it is asked.

    Raises:
        ModelError: The server answers none of the questions.
        StoreError: The ledger fails.
    """
    if on_passage is not None and engine.settings.uses_chat:
        for question in questions:
            for snippet in engine.search(question.text).snippets[:1]:
                on_passage(snippet)
    contexts = engine.retrieve([outcome.plan for outcome in engine.plan(questions)])
    answerer = QuestionAnswerer(engine, len(questions), is_tolerant=True)

    def answer(asked: tuple[Question, RetrievalResult]) -> Answer:
        try:
            return answerer.ask(*asked)
        except Exception as error:  # an error in one question must not stop the others
            return answerer.failed(asked[0], error)

    asked = list(zip(questions, contexts, strict=True))
    answers = map_items(answer, asked, count_threads(engine.settings), engine.stop)
    return [engine.with_passages(*pair) for pair in zip(questions, answers, strict=True)]


def plan_questions(questions: pa.Table, engine: Engine, max_workers: int = 0) -> tuple[pa.Table, StageReport]:
    """Return the plan (QUERY_PLANS) of every question (QUESTIONS), in order: the question itself is its first query.

    The contribution of a failed call is omitted, and its error is stored in the row.
    """
    outcomes = engine.plan(questions_from_table(questions), max_workers)
    table = plans_to_table(outcomes, "rule.v1" if engine.planner is None else "chat.v1")
    rows = table.select(["id", "error"]).to_pylist()
    problems = tuple(f"question {row['id']!r} was not planned: {row['error']}" for row in rows if row["error"])
    failed = sum(outcome.is_gap for outcome in outcomes)
    gaps = f"{failed} questions were not planned; the next refresh plans them again" if failed else None
    return table, StageReport(rows_computed=len(outcomes), problems=problems, incomplete=gaps)


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """One question in one ensemble run, and its first context."""

    member: EnsembleMember
    question: Question
    context: RetrievalResult


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The outcome of one question in one run: its row (None if nothing was recorded) and its problem."""

    row: dict[str, Any] | None
    problem: str | None = None
    failed: bool = False
    replayed: bool = False
    not_sent: bool = False  # the budget was exhausted first
    source_found: bool = False  # for an answer that cited what does not exist


def list_question_runs(questions: pa.Table, contexts: pa.Table, settings: Settings) -> list[QuestionRun]:
    """Return every question in every run, by run and then input order."""
    context_by_id = {result.id: replace(result, matches=()) for result in results_from_table(contexts)}
    members = [EnsembleMember(run, label) for run, label in enumerate(run_labels(settings))]
    return [
        QuestionRun(member, question, context_by_id.get(question.id) or _empty_context(question))
        for member in members
        for question in questions_from_table(questions)
    ]


def _empty_context(question: Question) -> RetrievalResult:
    return RetrievalResult(as_plan((question.id, [question.text])))


def count_answerable(question_runs: Sequence[QuestionRun]) -> int:
    """Return the number of those whose question can be answered."""
    return sum(question_run.question.problem is None for question_run in question_runs)


class QuestionAnswerer:
    """Answers single questions, from several threads at once; `expected_calls` is the number of questions to be sent.

    A question whose search lost a channel fails, so that it is retried. If `is_tolerant`, it is answered from the
    remaining channels, and its row lists the lost ones.
    """

    def __init__(self, engine: Engine, expected_calls: int, *, is_tolerant: bool = False) -> None:
        self._engine, self._availability, self._is_tolerant = engine, Availability(expected_calls), is_tolerant
        engine.parts.answerers  # noqa: B018 - made once, before the threads; a missing key or file ends the batch
        self._deeper = engine.deep_contexts()

    def answer(self, question_run: QuestionRun) -> QuestionOutcome:
        """Return the outcome of one question in one run.

        Raises:
            ModelError: The server is unavailable.
            StoreError: The ledger fails.

        """
        member, question = question_run.member, question_run.question
        try:
            return self._outcome(question_run, self.ask(question, question_run.context, member.run))
        except NotRecordedError as error:
            return QuestionOutcome(None, str(error))
        except Exception as error:  # an error in one question must not stop the others
            failed = self.failed(question, error)
            problem = f"question {question.id!r} in run {member.label!r} stays blank: {failed.error}"
            row, not_sent = self._row(question_run, failed), isinstance(error, BudgetSpentError)
            return QuestionOutcome(row, problem, failed=True, not_sent=not_sent)

    def ask(self, question: Question, context: RetrievalResult, run: int = 0) -> Answer:
        """Return the answer to one question; raises whatever makes it fail."""
        if question.problem:
            return failed_answer(question, question.problem)
        self._availability.check()
        answer = self._engine.answer(question, context, run, self._deeper, is_tolerant=self._is_tolerant)
        is_sent = any(attempt["snippets"] for attempt in answer.trace.attempts) and not answer.trace.replayed
        if is_sent and self._engine.settings.uses_chat:
            self._availability.record_success()
        return answer

    def failed(self, question: Question, error: Exception) -> Answer:
        """Return the blank answer to a question that failed with `error`; an error that ends the batch is raised."""
        if isinstance(error, StoreError):
            raise error
        self._availability.check()
        if isinstance(error, ProviderUnavailableError):
            self._availability.record_failure(error)
        message = str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
        return failed_answer(question, message)

    def _outcome(self, question_run: QuestionRun, answer: Answer) -> QuestionOutcome:
        row = self._row(question_run, answer)
        answers_to_table([row])  # a row that violates the schema fails only this question
        question, outcome = question_run.question, answer.trace
        subject = f"question {question.id!r} in run {question_run.member.label!r}"
        problem = f"{subject} stays blank: {answer.error}" if answer.error and not question.problem else None
        warning = f"{subject}: {outcome.answer.warning}" if outcome.answer.warning else None
        found = bool(outcome.answer.ref_id) and outcome.source_found_by is not None
        return QuestionOutcome(row, problem or warning, replayed=outcome.replayed, source_found=found)

    def _row(self, question_run: QuestionRun, answer: Answer) -> dict[str, Any]:
        return answer_row(question_run.member, question_run.question, answer, self._engine.parts.documents)


def count_threads(settings: Settings) -> int:
    """Return the number of answering threads: twice the calls in flight of a chat model, as some wait between attempts."""
    return 2 * settings.llm.max_concurrent if settings.uses_chat else 1


def outcomes_to_table(outcomes: Sequence[QuestionOutcome]) -> tuple[pa.Table, StageReport]:
    """Return the rows of all outcomes (PREDICTIONS), and the stage report over them."""
    rows = [outcome.row for outcome in outcomes if outcome.row]
    return answers_to_table(rows), _report(outcomes, rows)


def _report(outcomes: Sequence[QuestionOutcome], rows: Sequence[Mapping[str, Any]]) -> StageReport:
    reused = sum(outcome.replayed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    return StageReport(
        rows_computed=len(rows) - reused,
        rows_reused=reused,
        problems=tuple(outcome.problem for outcome in outcomes if outcome.problem),
        metrics={
            "blank": float(sum(is_blank(row["answer_value"]) for row in rows)),
            "failed": float(failed),
            "unrecorded": float(len(outcomes) - len(rows)),
            "deepened": float(sum(row["attempts"] > 1 for row in rows)),
            "dropped_refs": float(sum(row["dropped_refs"] for row in rows)),
            "repaired_refs": float(sum(outcome.source_found for outcome in outcomes)),
            "verified_quotes": float(
                sum(any(citation["quote_found"] for citation in row["citations"]) for row in rows)
            ),
            "unverified_quotes": float(sum(map(_is_unverified, rows))),
            "sentences": float(sum(len(row["sentences"]) for row in rows)),
            "supported_sentences": float(sum(one["supported"] for row in rows for one in row["sentences"])),
        },
        incomplete=_describe_gaps(outcomes),
    )


def _is_unverified(row: Mapping[str, Any]) -> bool:
    """Return whether the answer has a quote that no snippet of its cited documents contains."""
    quoting_citations = [citation for citation in row["citations"] if citation["quote"]]
    return bool(quoting_citations) and not any(citation["quote_found"] for citation in quoting_citations)


def _describe_gaps(outcomes: Sequence[QuestionOutcome]) -> str | None:
    """Return a description of the unanswered questions, None if there are none."""
    failed = sum(outcome.failed for outcome in outcomes)
    not_sent = [outcome for outcome in outcomes if outcome.not_sent]
    if not_sent and not_sent[0].row:
        others = f", and {failed - len(not_sent)} failed" if failed > len(not_sent) else ""
        return f"{len(not_sent)} of {len(outcomes)} answers are missing{others}: {not_sent[0].row['error']}"
    return f"{failed} of {len(outcomes)} answers failed; the next refresh retries them" if failed else None
