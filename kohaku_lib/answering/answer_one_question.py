"""Answer one question in one ensemble run, with the state that threads or actors share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.citing.missing_source import find_source
from kohaku_lib.answering.citing.references import named_nodes, resolve_refs
from kohaku_lib.answering.deep_contexts import DeepContexts, DeepRetriever
from kohaku_lib.answering.deepening import CheckedAnswer, answer_with_retries
from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.answering.labels import run_labels
from kohaku_lib.answering.lost_channels import lost_channels, mark_lost_channels, raise_for_lost_channels
from kohaku_lib.answering.prediction_rows import DocumentMetadata, EnsembleMember, failed_row, prediction_row
from kohaku_lib.answering.replay import NotRecordedError
from kohaku_lib.errors import KohakuError, ModelError, StoreError
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.llm import BudgetSpentError, NoMoreCallsError, ProviderUnavailableError
from kohaku_lib.retrieval.contexts import snippet_from_row
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_from_row, plan_to_row
from kohaku_lib.settings import Settings
from kohaku_lib.tables import PREDICTIONS, ImageMatch, QueryPlan, Question, Snippet, StageReport, StructuredAnswer
from kohaku_lib.values import is_blank

_MAX_FAILURES = 3

Replan = Callable[[QueryPlan, int], QueryPlan]  # (first plan, depth) -> new plan


@dataclass(frozen=True, slots=True)
class AnswerTools:
    """The answerer, the retriever of deeper contexts (None disables deepening) and document metadata by id.

    `replan` returns a new plan for a question at a depth, for answer.replan_on_retry; None keeps the first plan.
    """

    answerer: Answerer
    retriever: DeepRetriever | None
    documents: DocumentMetadata
    replan: Replan | None = None


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """One question (a row of QUESTIONS) in one ensemble run, and its first context."""

    member: EnsembleMember
    row: Mapping[str, Any]
    context: Mapping[str, Any]


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
    columns = ["id", "plan", "snippets", "images", "trace_json"]
    context_by_id = {row["id"]: row for row in contexts.select(columns).to_pylist()}
    rows = questions.to_pylist()
    members = [EnsembleMember(run, label) for run, label in enumerate(run_labels(settings))]
    return [
        QuestionRun(member, row, context_by_id.get(row["id"]) or _empty_context(row["id"], row["question"]))
        for member in members
        for row in rows
    ]


def _empty_context(question_id: str, text: str) -> dict[str, Any]:
    return {"plan": plan_to_row(as_plan((question_id, [text]))), "snippets": []}


class QuestionAnswerer:
    """Answers single questions, from several threads at once; `expected_calls` is the number of questions to be sent.

    A question whose search lost a channel fails, so that it is retried. If `tolerant`, it is answered from the
    remaining channels, and its row lists the lost ones.
    """

    def __init__(self, settings: Settings, tools: AnswerTools, expected_calls: int, *, tolerant: bool = False) -> None:
        self._settings, self._tools, self._tolerant = settings, tools, tolerant
        self._is_recorded = PROVIDERS.get(settings.llm.provider).is_recorded
        self._availability = Availability(expected_calls)
        retriever = None if self._is_recorded else tools.retriever
        self._uncaptioned = settings.answer.send_images
        self._deep_contexts = None if retriever is None else DeepContexts(retriever, uncaptioned=self._uncaptioned)

    def answer(self, question_run: QuestionRun) -> QuestionOutcome:
        """Return the outcome of one question in one run.

        Raises:
            ModelError: The server is unavailable.
            StoreError: The ledger fails.

        """
        member, row = question_run.member, question_run.row
        question = Question(row["id"], row["question"], row["answer_unit"])
        if row["problem"]:
            return QuestionOutcome(failed_row(member, question, row["problem"]))
        self._availability.check()
        try:
            return self._answer_question(question_run, question)
        except NotRecordedError as error:
            return QuestionOutcome(None, str(error))
        except StoreError:
            raise
        except Exception as error:  # an error in one question must not stop the others
            if isinstance(error, ProviderUnavailableError):
                self._availability.record_failure(error)
            message = str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
            problem = f"question {question.id!r} in run {member.label!r} stays blank: {message}"
            not_sent = isinstance(error, BudgetSpentError)
            return QuestionOutcome(failed_row(member, question, message), problem, failed=True, not_sent=not_sent)

    def _answer_question(self, question_run: QuestionRun, question: Question) -> QuestionOutcome:
        plan = plan_from_row(question.id, question_run.context["plan"])
        lost = {} if self._is_recorded else lost_channels(json.loads(question_run.context.get("trace_json") or "{}"))
        if not self._tolerant:
            raise_for_lost_channels(lost)
        outcome = answer_with_retries(
            partial(self._ask_answerer, question_run.member, question),
            self._first_context(question_run.context),
            partial(self._retrieve_deeper, plan) if self._deep_contexts else None,
            self._settings.answer.max_retries,
            self._settings.answer.deepening,
            self._settings.answer.overflow,
        )
        row = prediction_row(
            question_run.member, question, outcome, self._tools.documents, as_recorded=self._is_recorded
        )
        lost |= self._deep_contexts.lost.get(plan.id, {}) if self._deep_contexts else {}
        row = mark_lost_channels(row, lost, self._settings.retrieval) if lost else row
        pa.RecordBatch.from_pylist([row], PREDICTIONS)  # a row that violates the schema fails only this question
        subject = f"question {question.id!r} in run {question_run.member.label!r}"
        problem = f"{subject} stays blank: {row['error']}" if row["error"] else None
        warning = f"{subject}: {outcome.answer.warning}" if outcome.answer.warning else None
        found = bool(row["ref_id"]) and outcome.source_found_by is not None
        return QuestionOutcome(row, problem or warning, replayed=outcome.replayed, source_found=found)

    def _retrieve_deeper(self, plan: QueryPlan, depth: int) -> Sequence[Snippet]:
        assert self._deep_contexts is not None
        if self._settings.answer.replan_on_retry and self._tools.replan is not None:
            plan = self._tools.replan(plan, depth)
        snippets = self._deep_contexts.get(plan, depth)
        if not self._tolerant:
            raise_for_lost_channels(self._deep_contexts.lost.get(plan.id, {}))
        return snippets

    def _first_context(self, context: Mapping[str, Any]) -> tuple[Snippet, ...]:
        snippets = tuple(map(snippet_from_row, context["snippets"]))
        images = [ImageMatch(**image) for image in context.get("images") or ()]
        return (*snippets, *figure_snippets(images, len(snippets), uncaptioned=self._uncaptioned))

    def _ask_answerer(self, member: EnsembleMember, question: Question, snippets: Sequence[Snippet]) -> CheckedAnswer:
        answer = self._tools.answerer.answer(question, snippets, member.run)
        if answer.raw_response is not None and not answer.replayed:
            self._availability.record_success()
        if self._is_recorded:
            return CheckedAnswer(answer)
        return checked_answer(question, answer, snippets, self._tools.documents)


def checked_answer(
    question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet], known_documents: Collection[str] = ()
) -> CheckedAnswer:
    """Return `answer` with its references restricted to the documents of `snippets`, and the nodes that they name.

    Where it cites only what does not exist, it cites the snippet that holds its quote, else its value. One of
    `known_documents` that was not shown exists: a text may have ordered to cite it, so nothing is cited in its place.

    >>> snippet, question = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg.", 1, 1.0), Question("q", "How heavy?", "kg")
    >>> checked_answer(question, StructuredAnswer("4", "4", ("d", "e"), ""), [snippet]).dropped_refs
    1
    >>> repaired = checked_answer(question, StructuredAnswer("4", "4", ("e",), ""), [snippet])
    >>> repaired.answer.ref_id, repaired.source_found_by
    (('d',), 'value')
    """
    shown_ids = {name for snippet in snippets for name in (snippet.document_id, *snippet.also_in)}
    refs, dropped_count = resolve_refs(answer.ref_id, shown_ids)
    nodes = named_nodes(answer.ref_id, [snippet.node_id for snippet in snippets])
    found_by = None
    is_unknown = dropped_count and not refs and not resolve_refs(answer.ref_id, known_documents)[0]
    if is_unknown and not is_blank(answer.answer_value):
        source = find_source(question, answer, snippets)
        if source is not None:
            refs, found_by = (source[0],), source[1]
    return CheckedAnswer(replace(answer, ref_id=refs, cited_nodes=nodes), dropped_count, found_by)


def count_threads(settings: Settings) -> int:
    """Return the number of answering threads: twice the calls in flight of a chat model, as some wait between attempts."""
    return 2 * settings.llm.max_concurrent if PROVIDERS.get(settings.llm.provider).uses_chat else 1


def build_report(outcomes: Sequence[QuestionOutcome]) -> StageReport:
    """Return the stage report over all outcomes."""
    rows = [outcome.row for outcome in outcomes if outcome.row]
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


class Availability:
    """Thread-safe tracker of the server's availability over one batch of `items` questions.

    If the first three calls (or all of a smaller batch) find the server unavailable and none has succeeded, the batch
    ends with a ModelError. After a success, failures affect single questions only, except that a server that accepts no
    more calls ends the batch at any time.
    """

    def __init__(self, items: int) -> None:
        self._limit = min(_MAX_FAILURES, items)
        self._lock = threading.Lock()
        self._failures = 0
        self._alive = False
        self._fatal_error: ModelError | None = None

    def check(self) -> None:
        """Raise the error that ended the batch, if any.

        Raises:
            ModelError: The batch has ended.

        """
        if self._fatal_error is not None:
            raise self._fatal_error

    def record_success(self) -> None:
        """Record a call that the server answered."""
        self._alive = True

    def record_failure(self, error: ModelError) -> None:
        """Record a call that found the server unavailable.

        Raises:
            ModelError: The batch ends.

        """
        with self._lock:
            self._failures += 1
            if isinstance(error, NoMoreCallsError):
                self._fatal_error = self._fatal_error or _out_of_calls_error(error)
            elif self._alive or self._failures < self._limit:
                return
            else:
                self._fatal_error = self._fatal_error or _unavailable_error(error, self._failures)
        raise self._fatal_error


def _out_of_calls_error(error: ModelError) -> ModelError:
    return ModelError(
        f"{error}; the remaining questions were not sent: refresh again when the server accepts calls "
        "(finished calls stay in the ledger)"
    )


def _unavailable_error(error: ModelError, failures: int) -> ModelError:
    return ModelError(
        f"{error}; none of the first {failures} questions was answered, so the rest was not sent: "
        "check the server, llm.base_url, llm.model and the key (finished calls stay in the ledger)"
    )
