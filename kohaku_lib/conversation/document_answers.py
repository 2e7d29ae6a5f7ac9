"""Answers from the documents: from the cache, from one search, or from the searches of an agent."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import get_args

import numpy as np

from kohaku_lib.answering.answer import Outcome
from kohaku_lib.answering.cited.cited_writer import STAGE
from kohaku_lib.answering.engine import Engine
from kohaku_lib.composition import overlaid
from kohaku_lib.conversation.agent import (
    MOST_STEPS,
    STEP_TOOL,
    AgentStep,
    decompose,
    join_drafts,
    merged_snippets,
    next_query,
)
from kohaku_lib.conversation.asked_message import AskedMessage
from kohaku_lib.conversation.assembly import Found, assemble, draft_of
from kohaku_lib.conversation.cache.answer_cache import AnswerCache, AskedQuestion
from kohaku_lib.conversation.documents_overview import overview_draft
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.conversation.response.response import Response
from kohaku_lib.conversation.timer import Timer
from kohaku_lib.conversation.vision import figure_values, required_chat
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.index.filters import chosen_documents
from kohaku_lib.index.tenants import tenant_documents
from kohaku_lib.llm import CallError, ChatModel, plain_chat
from kohaku_lib.project.chat_models import make_chat
from kohaku_lib.project.followed_index import FollowedIndex
from kohaku_lib.project.open_index import OpenIndex
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question

_LOG = logging.getLogger("kohaku")


class DocumentAnswers:
    """Answers questions from the index that `index` follows; safe to share between threads."""

    def __init__(self, session: Session, index: FollowedIndex[OpenIndex], answers: AnswerCache) -> None:
        self._session, self._index, self._cache = session, index, answers

    def answer(
        self, asked: AskedMessage, settings: Settings, request: AssistantRequest, response: Response, timer: Timer
    ) -> Response:
        """Return `response` with the answer to a question, by one version of the index from start to end.

        Raises:
            InputFileError: No document fulfils the filter of the request.
            CallError: The chat model fails.
        """
        if request.mode == "vision":
            required_chat(make_chat(self._session.overlaid(settings)), "vision", settings)
            settings = overlaid(settings, figure_values(settings))
        with self._index.reading() as version:
            index, name = version.parts, version.snapshot.version
            vector = cache(partial(index.vector, asked.question))
            known = AskedQuestion(asked.question, settings, request.where, request.mode, name, vector)
            is_kept = not (asked.dialogue.images or asked.otherwise)
            kept = self._cache.find(known) if is_kept else None
            timer.lap("cache")
            if kept is not None:
                asked.show(kept.content)
                own = {name: getattr(response, name) for name in ("session_id", "answer_id", "question", "timings_ms")}
                answer = None if kept.answer is None else replace(kept.answer, question=response.question)
                return replace(kept, answer=answer, **own)
            chat = make_chat(self._session.overlaid(settings))
            engine = index.engine(request.where, settings)
            work = _QuestionWork(asked, settings, engine, version.snapshot, vector(), chat, request.where, timer)
            work.announce()
            answered = (work.by_agent if request.mode == "agent" else work.by_search)(
                replace(response, index_version=name)
            )
            if is_kept:
                self._cache.keep(known, answered)
            return answered


@dataclass(frozen=True, slots=True)
class _QuestionWork:
    """The work on one question over one version of the index; `chat` is None without a language model."""

    asked: AskedMessage
    settings: Settings
    engine: Engine
    snapshot: Snapshot
    vector: np.ndarray  # (dim,) of the question
    chat: ChatModel | None
    where: SearchFilter
    timer: Timer

    def announce(self) -> None:
        """Tell of the best passage where a chat model is at hand, whose plan and answer may take long."""
        if self.chat is not None and self.asked.on_passage is not None:
            for snippet in self.engine.search(self.asked.question).snippets[:1]:
                self.asked.on_passage(snippet)

    def by_search(self, response: Response) -> Response:
        """Return the answer from one search; from one for each of two questions that the message can ask.

        A chat model gets the passages of both, the reader reads both, and the one with the better outcome is answered.
        """
        questions = [self.asked.question, *([self.asked.otherwise] if self.asked.otherwise else [])]
        searched = [self._search(question) for question in questions]
        readings = [_merged(searched)] if self.chat is not None else searched
        self.timer.lap("retrieve")
        drafts = [draft_of(one, self.asked.dialogue) for one in readings]
        best = min(range(len(drafts)), key=lambda at: get_args(Outcome).index(_outcome(drafts[at])))
        found = readings[best]
        draft = self._about_documents(found, drafts[best])
        self.asked.show(draft.content)
        self.timer.lap("read")
        return assemble(draft, found, replace(response, question=found.question))

    def by_agent(self, response: Response) -> Response:
        """Return the answer from several searches: those a model asks for one by one, or the parts of the question."""
        steps = list(self._steps_by_chat(self.chat)) if self.chat is not None else self._steps_by_rule()
        self.timer.lap("retrieve")
        snippets = merged_snippets([AgentStep(step.question, step.snippets) for step in steps])
        question = self.asked.question
        plan = as_plan((steps[0].result.id, [question]))
        whole = replace(
            steps[0], question=question, result=replace(steps[0].result, plan=plan, snippets=snippets, images=())
        )
        draft = draft_of(whole, self.asked.dialogue) if self.chat is not None else _joined_draft(steps)
        draft = self._about_documents(whole, draft)
        self.asked.show(draft.content)
        self.timer.lap("read")
        assembled = assemble(draft, whole, response)
        trace = [
            {"query": step.question, "found": [one.node_id for one in step.snippets[:MOST_STEPS]]} for step in steps
        ]
        return replace(assembled, trace={**assembled.trace, "steps": trace})

    def _about_documents(self, found: Found, draft: Draft) -> Draft:
        """Return what a chat model says about the documents as such where their content gives it no answer, else `draft`."""
        if self.chat is None or _outcome(draft) == "value" or self.asked.dialogue.images:
            return draft
        own = tenant_documents(found.snapshot, self.settings.corpus.org_id)
        chosen = chosen_documents(self.where, own)
        rows = [
            row
            for row in own.to_pylist()
            if row["status"] == "parsed" and (chosen is None or row["document_id"] in chosen)
        ]
        try:
            return overview_draft(found, self.asked, rows, self.settings, self.chat) or draft
        except CallError as error:
            _LOG.warning("the chat model was not heard about the documents as such: %s", error)
            return draft

    def _search(self, question: str) -> Found:
        result = self.engine.context(Question(self.asked.question_id, question))
        return Found(question, self.asked.intent, result, self.snapshot, self.vector, self.engine)

    def _steps_by_rule(self) -> list[Found]:
        return [self._search(part) for part in decompose(self.asked.question)]

    def _steps_by_chat(self, chat: ChatModel) -> Iterator[Found]:
        tools = (STEP_TOOL,) if self.settings.assistant.tool_calls == "auto" else ()
        ask = plain_chat(chat, self.settings.llm, STAGE, tools=tools)
        steps: list[AgentStep] = []
        while len(steps) < MOST_STEPS:
            query = next_query(self.asked.question, steps, ask, self.asked.question_id)
            if query is None:
                return
            found = self._search(query)
            steps.append(AgentStep(query, found.snippets))
            yield found


def _joined_draft(steps: Sequence[Found]) -> Draft:
    """Return the answers to the parts of a question, read one by one; of a question without parts its own."""
    drafts = [draft_of(step) for step in steps]
    return drafts[0] if len(steps) == 1 else join_drafts([step.question for step in steps], drafts)


def _merged(readings: Sequence[Found]) -> Found:
    """Return the reading of a message that its passages cover best, with the passages of all."""
    if len(readings) == 1:
        return readings[0]
    first = max(readings, key=lambda one: one.sufficiency().coverage_score)
    snippets = merged_snippets([AgentStep(one.question, one.snippets) for one in readings])
    return replace(first, result=replace(first.result, snippets=snippets, images=()))


def _outcome(draft: Draft) -> Outcome:
    return draft.answer.outcome if draft.answer is not None else "silent"
