"""Traces one question attempt by attempt: plan, results, calls, replies, verification, and the time of each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.answering import Answerer, Engine, GivenParts, answer_questions, questions_to_table
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import read_rows
from kohaku_lib.llm import ChatModel, ChatReply, ChatRequest
from kohaku_lib.llm.chat import ChatWrapper, Keep
from kohaku_lib.project import open_published_index
from kohaku_lib.project.chat_models import make_chat
from kohaku_lib.project.index_parts import IndexParts
from kohaku_lib.project.question_tables import plan_table
from kohaku_lib.retrieval import Retriever, retrieve_contexts
from kohaku_lib.retrieval.planning.plan_rows import plan_from_row
from kohaku_lib.tables import QueryPlan, Question, RetrievalResult, Snippet, StructuredAnswer

ADHOC_ID = "debug"


@dataclass(frozen=True, slots=True)
class CallTrace:
    """One call of a chat model; tokens, dollars and seconds are None if the server did not report them."""

    model: str
    system: str
    user: str
    reply: str | None
    error: str | None
    replayed: bool
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_s: float | None


@dataclass(frozen=True, slots=True)
class AttemptTrace:
    """One attempt to answer from one context: its snippets, its calls, the parsed answer, and the time.

    If it failed, `answer` is None and `error` is the message. `seconds` include the calls.
    """

    snippets: tuple[Snippet, ...]
    calls: tuple[CallTrace, ...]
    answer: StructuredAnswer | None
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class DebugTrace:
    """The trace of one question, in chronological order.

    `retrievals` are (depth, result, seconds); `row` is the row of PREDICTIONS.
    """

    question: Question
    index_version: str
    plan: QueryPlan
    planner: str
    planning_s: float
    retrievals: tuple[tuple[int, RetrievalResult, float], ...]
    attempts: tuple[AttemptTrace, ...]
    row: dict[str, Any]
    problems: tuple[str, ...]


def debug_question(project: Project, id_or_text: str, unit: str | None = None) -> DebugTrace:
    """Answer a question from the published index and return the trace.

    `id_or_text` is an id of corpus.questions or the text of a question. Only the first ensemble run is made.

    Raises:
        InputFileError: The question is empty.
    """
    question = _find_question(project, id_or_text, unit)
    project = project if project.settings.answerer == "replay" else project.with_runs(1)
    run, snapshot = Run(project), open_published_index(project.store)
    questions = questions_to_table([question])
    started = time.monotonic()
    plans, plan_report = plan_table(run.session, questions)
    planning_s = time.monotonic() - started
    chat = make_chat(run.session)
    watched = None if chat is None else _RecordingChat(chat)
    parts, attempts = IndexParts(run.session, snapshot, chat=watched), list[AttemptTrace]()
    answerers = [_RecordingAnswerer(answerer, watched, attempts) for answerer in parts.answerers]
    retriever = _RecordingRetriever(parts.retriever)
    engine = Engine(
        run.settings,
        GivenParts(answerers, retriever, parts.documents, replanner=parts.replanner, judge=parts.judge),
    )
    contexts, _ = retrieve_contexts(plans, engine)
    table, report = answer_questions(questions, contexts, engine)
    if not table.num_rows:
        msg = f"no recorded run answers {question.id!r}: {'; '.join(report.problems)}; ask another question"
        raise InputFileError(msg)
    return DebugTrace(
        question,
        snapshot.version,
        plan_from_row(question.id, plans["plan"][0].as_py()),
        plans["planner"][0].as_py(),
        planning_s,
        tuple(retriever.seen),
        tuple(attempts),
        table.slice(0, 1).to_pylist()[0],
        (*_unknown_id(question), *plan_report.problems, *report.problems),
    )


def _find_question(project: Project, id_or_text: str, unit: str | None) -> Question:
    if not id_or_text.strip():
        msg = "the question is empty; give an id of corpus.questions or a text"
        raise InputFileError(msg)
    path = project.settings.corpus.questions
    for row in read_rows(path, ["id", "question"]) if path and path.is_file() else []:
        if row.get("id") == id_or_text:
            return Question(id_or_text, row["question"], unit or row.get("answer_unit") or None)
    return Question(ADHOC_ID, id_or_text, unit)


def _unknown_id(question: Question) -> list[str]:
    """Return a warning if the text of a question looks like an unknown id."""
    text = question.text
    if question.id != ADHOC_ID or not text.isascii() or len(text.split()) > 1:
        return []
    return [f"corpus.questions has no id {text!r}, so it was treated as the text of a question"]


class _RecordingRetriever:
    """Records every result and its duration."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.seen: list[tuple[int, RetrievalResult, float]] = []

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> list[RetrievalResult]:
        started = time.monotonic()
        results = self._retriever.retrieve(plans, depth=depth)
        self.seen.append((depth, results[0], time.monotonic() - started))
        return results


class _RecordingChat(ChatWrapper):
    """Records every call of a chat model."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self.calls: list[CallTrace] = []

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        try:
            reply = self._chat.complete(request, keep)
        except Exception as error:
            self.calls.append(_call_trace(request, None, str(error)))
            raise
        self.calls.append(_call_trace(request, reply, None))
        return reply


@dataclass(slots=True)
class _RecordingAnswerer:
    """Records every answer with its calls."""

    answerer: Answerer
    chat: _RecordingChat | None
    attempts: list[AttemptTrace]

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        before, started = len(self.chat.calls) if self.chat else 0, time.monotonic()
        try:
            answer = self.answerer.answer(question, snippets, run)
        except Exception as error:
            self._record_attempt(snippets, before, started, None, str(error))
            raise
        self._record_attempt(snippets, before, started, answer, None)
        return answer

    def stop(self) -> None:
        self.answerer.stop()

    def _record_attempt(
        self,
        snippets: Sequence[Snippet],
        before: int,
        started: float,
        answer: StructuredAnswer | None,
        error: str | None,
    ) -> None:
        calls = tuple(self.chat.calls[before:]) if self.chat else ()
        self.attempts.append(AttemptTrace(tuple(snippets), calls, answer, error, time.monotonic() - started))


def _call_trace(request: ChatRequest, reply: ChatReply | None, error: str | None) -> CallTrace:
    return CallTrace(
        request.model,
        request.system,
        request.user,
        None if reply is None else reply.text,
        error,
        reply is not None and reply.replayed,
        None if reply is None else reply.input_tokens,
        None if reply is None else reply.output_tokens,
        None if reply is None else reply.cost_usd,
        None if reply is None else reply.latency_s,
    )
