"""Answers from the documents: from the cache, from one search, or from the searches of an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import get_args

import numpy as np

from kohaku_lib.answering.answer import Outcome
from kohaku_lib.answering.coverage.sufficiency import ABSTAIN, Sufficiency
from kohaku_lib.answering.engine import Engine
from kohaku_lib.answering.figures import ReadImages, read_images
from kohaku_lib.assistant.agent import (
    MOST_STEPS,
    STEP_TOOL,
    AgentStep,
    decompose,
    join_drafts,
    merged_snippets,
    next_query,
)
from kohaku_lib.assistant.assembly import Found, assemble, draft_extract
from kohaku_lib.assistant.cache.answer_cache import AnswerCache, AskedQuestion
from kohaku_lib.assistant.generation import STAGE, AskedMessage, generate_cited
from kohaku_lib.assistant.request import AssistantRequest
from kohaku_lib.assistant.response.draft import Draft
from kohaku_lib.assistant.response.response import Response
from kohaku_lib.assistant.timer import Timer
from kohaku_lib.assistant.vision import figure_values, required_chat
from kohaku_lib.composition import overlaid
from kohaku_lib.index import Snapshot
from kohaku_lib.llm import ChatModel, plain_chat
from kohaku_lib.service.chat_models import make_chat
from kohaku_lib.service.followed_index import FollowedIndex
from kohaku_lib.service.open_index import OpenIndex
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet


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
            is_kept = not (asked.images or asked.otherwise)
            kept = self._cache.find(known) if is_kept else None
            timer.lap("cache")
            if kept is not None:
                _show(asked, kept.content)
                own = {name: getattr(response, name) for name in ("session_id", "answer_id", "question", "timings_ms")}
                answer = None if kept.answer is None else replace(kept.answer, question=response.question)
                return replace(kept, answer=answer, **own)
            chat = make_chat(self._session.overlaid(settings))
            engine = index.engine(request.where, settings)
            work = _QuestionWork(asked, settings, engine, version.snapshot, vector(), chat, timer)
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
        readings = [self._search(question) for question in questions]
        found = _merged(readings)
        sufficiency = found.sufficiency()
        self.timer.lap("retrieve")
        draft = self._written(found.snippets, sufficiency, partial(read_images, self.snapshot))
        if draft is None:
            drafts = [self._read(one, one.sufficiency()) for one in readings]
            best = min(range(len(drafts)), key=lambda at: get_args(Outcome).index(_outcome(drafts[at])))
            found, sufficiency, draft = readings[best], readings[best].sufficiency(), self._shown(drafts[best])
        self.timer.lap("read")
        return assemble(draft, found, sufficiency, replace(response, question=found.question))

    def by_agent(self, response: Response) -> Response:
        """Return the answer from several searches: those a model asks for one by one, or the parts of the question."""
        steps = list(self._steps_by_chat(self.chat)) if self.chat is not None else self._steps_by_rule()
        self.timer.lap("retrieve")
        snippets = merged_snippets([AgentStep(step.question, step.snippets) for step in steps])
        whole = replace(
            steps[0], question=self.asked.question, result=replace(steps[0].result, snippets=snippets, images=())
        )
        sufficiency = whole.sufficiency()
        draft = self._written(snippets, sufficiency) or self._shown(self._joined_draft(steps))
        self.timer.lap("read")
        assembled = assemble(draft, whole, sufficiency, response)
        trace = [
            {"query": step.question, "found": [one.node_id for one in step.snippets[:MOST_STEPS]]} for step in steps
        ]
        return replace(assembled, trace={**assembled.trace, "steps": trace})

    @property
    def _is_in_free_words(self) -> bool:
        """Whether a chat model writes its answers freely; the reader can only check single values."""
        return self.settings.assistant.writer == "cited" and not self.engine.is_checked

    def _search(self, question: str) -> Found:
        result = self.engine.context(Question(self.asked.question_id, question))
        return Found(question, self.asked.intent, result, self.snapshot, self.vector, self.engine)

    def _written(
        self, snippets: Sequence[Snippet], sufficiency: Sufficiency, read: ReadImages | None = None
    ) -> Draft | None:
        """Return what a chat model writes in free words; None where none does, or the passages cover too little."""
        is_seen = bool(self.asked.images)  # a picture is described in words
        if self.chat is None or not (self._is_in_free_words or is_seen):
            return None
        if sufficiency.coverage_score < ABSTAIN and not is_seen:
            return None
        return generate_cited(self.asked, snippets, self.settings, self.chat, read)

    def _read(self, found: Found, sufficiency: Sufficiency) -> Draft:
        """Return what the engine reads; passages alone where a chat model would have written, had enough been found."""
        is_written = self.chat is not None and self._is_in_free_words
        return draft_extract(found, sufficiency, is_read=not (is_written and sufficiency.coverage_score < ABSTAIN))

    def _shown(self, draft: Draft) -> Draft:
        _show(self.asked, draft.content)
        return draft

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

    def _joined_draft(self, steps: list[Found]) -> Draft:
        """Return the answers to the parts of a question, read one by one; of a question without parts its own."""
        drafts = [self._read(step, step.sufficiency()) for step in steps]
        return drafts[0] if len(steps) == 1 else join_drafts([step.question for step in steps], drafts)


def _merged(readings: Sequence[Found]) -> Found:
    """Return the first reading of a message with the passages of all."""
    first = readings[0]
    if len(readings) == 1:
        return first
    snippets = merged_snippets([AgentStep(one.question, one.snippets) for one in readings])
    return replace(first, result=replace(first.result, snippets=snippets, images=()))


def _outcome(draft: Draft) -> Outcome:
    return draft.answer.outcome if draft.answer is not None else "silent"


def _show(asked: AskedMessage, content: str) -> None:
    if asked.on_text is not None:
        asked.on_text(content)
