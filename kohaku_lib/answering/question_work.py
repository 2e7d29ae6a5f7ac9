"""One question in one run to what became of it, with what threads or actors share while they answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.chat.deep_contexts import DeepContexts, DeepRetriever
from kohaku_lib.answering.chat.deepening import Asked, answer_with_retries
from kohaku_lib.answering.citing.references import resolve_refs
from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.answering.labels import run_labels
from kohaku_lib.answering.lost_channels import lost_channels, noted, raise_lost
from kohaku_lib.answering.prediction_rows import DocumentMetadata, Member, failed_row, prediction_row
from kohaku_lib.answering.replay import NotRecordedError
from kohaku_lib.errors import KohakuError, ModelError, StoreError
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.llm import BudgetSpentError, NoMoreCallsError, ProviderUnavailableError
from kohaku_lib.retrieval.contexts import snippet_from_row
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_from_row, plan_to_row
from kohaku_lib.settings import Settings
from kohaku_lib.tables import PREDICTIONS, ImageMatch, QueryPlan, Question, Snippet, StageReport
from kohaku_lib.values import is_blank

_MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class AnswerTools:
    """What answers: the answerer, the retriever of deeper contexts (None never deepens), the documents by their id."""

    answerer: Answerer
    retriever: DeepRetriever | None
    documents: DocumentMetadata


@dataclass(frozen=True, slots=True)
class Asking:
    """One question (a row of QUESTIONS) in one run, and its first context."""

    member: Member
    row: Mapping[str, Any]
    context: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one question in one run: its row (None where nothing was recorded) and what went wrong."""

    row: dict[str, Any] | None
    problem: str | None = None
    failed: bool = False
    replayed: bool = False
    unasked: bool = False  # the budget was spent before


def list_askings(questions: pa.Table, contexts: pa.Table, settings: Settings) -> list[Asking]:
    """Return every question in every run, by run and then input order."""
    columns = ["id", "plan", "snippets", "images", "trace_json"]
    known = {row["id"]: row for row in contexts.select(columns).to_pylist()}
    rows = questions.to_pylist()
    members = [Member(run, label) for run, label in enumerate(run_labels(settings))]
    return [
        Asking(member, row, known.get(row["id"]) or _nothing_found(row["id"], row["question"]))
        for member in members
        for row in rows
    ]


def _nothing_found(question_id: str, text: str) -> dict[str, Any]:
    return {"plan": plan_to_row(as_plan((question_id, [text]))), "snippets": []}


class QuestionWork:
    """Answers questions one by one, called from several threads; `asked` is how many calls may come.

    A question whose search lost a channel fails, so that it is searched and asked again. Where `tolerant`, it is
    answered from what the other channels found, and its row says so.
    """

    def __init__(self, settings: Settings, tools: AnswerTools, asked: int, *, tolerant: bool = False) -> None:
        self._settings, self._tools, self._tolerant = settings, tools, tolerant
        self._is_recorded = PROVIDERS.get(settings.llm.provider).is_recorded
        self._availability = Availability(asked)
        retriever = None if self._is_recorded else tools.retriever
        self._uncaptioned = settings.answer.send_images
        self._deeper = None if retriever is None else DeepContexts(retriever, uncaptioned=self._uncaptioned)

    def answer(self, asking: Asking) -> Done:
        """Return what became of one question in one run; only a dead server or store ends the batch."""
        member, row = asking.member, asking.row
        question = Question(row["id"], row["question"], row["answer_unit"])
        if row["problem"]:
            return Done(failed_row(member, question, row["problem"]))
        self._availability.check()
        try:
            return self._answered(asking, question)
        except NotRecordedError as error:
            return Done(None, str(error))
        except StoreError:
            raise
        except Exception as error:  # one question must not stop the others
            if isinstance(error, ProviderUnavailableError):
                self._availability.failed(error)
            sentence = str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
            problem = f"question {question.id!r} in run {member.label!r} stays blank: {sentence}"
            unasked = isinstance(error, BudgetSpentError)
            return Done(failed_row(member, question, sentence), problem, failed=True, unasked=unasked)

    def _answered(self, asking: Asking, question: Question) -> Done:
        plan = plan_from_row(question.id, asking.context["plan"])
        lost = {} if self._is_recorded else lost_channels(json.loads(asking.context.get("trace_json") or "{}"))
        if not self._tolerant:
            raise_lost(lost)
        outcome = answer_with_retries(
            partial(self._ask, asking.member, question),
            self._first(asking.context),
            partial(self._deepened, plan) if self._deeper else None,
            self._settings.answer.max_retries,
            self._settings.answer.deepening,
        )
        row = prediction_row(asking.member, question, outcome, self._tools.documents, as_recorded=self._is_recorded)
        lost |= self._deeper.lost.get(plan.id, {}) if self._deeper else {}
        row = noted(row, lost, self._settings.retrieval) if lost else row
        pa.RecordBatch.from_pylist([row], PREDICTIONS)  # what no table can hold is this question's failure
        asked = f"question {question.id!r} in run {asking.member.label!r}"
        problem = f"{asked} stays blank: {row['error']}" if row["error"] else None
        doubt = f"{asked}: {outcome.answer.warning}" if outcome.answer.warning else None
        return Done(row, problem or doubt, replayed=outcome.replayed)

    def _deepened(self, plan: QueryPlan, depth: int) -> Sequence[Snippet]:
        assert self._deeper is not None
        snippets = self._deeper.get(plan, depth)
        if not self._tolerant:
            raise_lost(self._deeper.lost.get(plan.id, {}))
        return snippets

    def _first(self, context: Mapping[str, Any]) -> tuple[Snippet, ...]:
        snippets = tuple(map(snippet_from_row, context["snippets"]))
        images = [ImageMatch(**image) for image in context.get("images") or ()]
        return (*snippets, *figure_snippets(images, len(snippets), uncaptioned=self._uncaptioned))

    def _ask(self, member: Member, question: Question, snippets: Sequence[Snippet]) -> Asked:
        answer = self._tools.answerer.answer(question, snippets, member.run)
        if answer.raw_response is not None and not answer.replayed:
            self._availability.succeeded()
        if self._is_recorded:
            return Asked(answer)
        shown = {name for snippet in snippets for name in (snippet.document_id, *snippet.also_in)}
        refs, dropped = resolve_refs(answer.ref_id, shown)
        return Asked(replace(answer, ref_id=refs), dropped)


def threads_of(settings: Settings) -> int:
    """Return the threads that answer: twice the calls in flight of a chat model, as some wait between attempts."""
    return 2 * settings.llm.max_concurrent if PROVIDERS.get(settings.llm.provider).uses_chat else 1


def report_of(done: Sequence[Done]) -> StageReport:
    """Return what all answers came to."""
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
            "unverified_quotes": float(sum(map(_is_unverified, rows))),
        },
        incomplete=_gaps(done),
    )


def _is_unverified(row: Mapping[str, Any]) -> bool:
    """Return whether the quote of an answer stands in no snippet of the documents that it cites."""
    quoted = [cited for cited in row["citations"] if cited["quote"]]
    return bool(quoted) and not any(cited["verified"] for cited in quoted)


def _gaps(done: Sequence[Done]) -> str | None:
    """Return what is left to be asked, None where nothing is."""
    failed, unasked = sum(result.failed for result in done), [result for result in done if result.unasked]
    if unasked and unasked[0].row:
        others = f", and {failed - len(unasked)} failed" if failed > len(unasked) else ""
        return f"{len(unasked)} of {len(done)} answers are missing{others}: {unasked[0].row['error']}"
    return f"{failed} of {len(done)} answers failed; the next refresh asks for them again" if failed else None


class Availability:
    """Watches over the calls of one batch of `items` questions, from several threads.

    Where the first three calls (or all, in a smaller batch) find the server unavailable and none has ever
    succeeded, the batch ends with a ModelError. After a success, failures are their questions' own, but that the
    server takes no more calls, which ends the batch at any time.
    """

    def __init__(self, items: int) -> None:
        self._limit = min(_MOST_FAILURES, items)
        self._lock = threading.Lock()
        self._failures = 0
        self._alive = False
        self._verdict: ModelError | None = None

    def check(self) -> None:
        """Raise the verdict where the server has been given up."""
        if self._verdict is not None:
            raise self._verdict

    def succeeded(self) -> None:
        """Note a call that the server answered."""
        self._alive = True

    def failed(self, error: ModelError) -> None:
        """Note a call that found the server unavailable; raises ModelError where that settles it."""
        with self._lock:
            self._failures += 1
            if isinstance(error, NoMoreCallsError):
                self._verdict = self._verdict or _no_more(error)
            elif self._alive or self._failures < self._limit:
                return
            else:
                self._verdict = self._verdict or _unanswered(error, self._failures)
        raise self._verdict


def _no_more(error: ModelError) -> ModelError:
    return ModelError(
        f"{error}; the rest was not asked: refresh again when the server takes calls (finished calls stay in the ledger)"
    )


def _unanswered(error: ModelError, failures: int) -> ModelError:
    return ModelError(
        f"{error}; none of the first {failures} questions was answered, so the rest was not tried: mend "
        "the server, llm.base_url, llm.model or the key (finished calls stay in the ledger)"
    )
