"""The engine: from a question to its answer, by every door: plan, retrieve, answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any, Protocol

from kohaku_lib.answering.answer import Answer, answer_by_passages, answer_of, without_value
from kohaku_lib.answering.answerer import Answerer, blank_answer, is_blank_answer, warned
from kohaku_lib.answering.checked_by_reader import checked_by_reader, is_borne_out
from kohaku_lib.answering.cited.cited_text import checked_beside_picture, checked_text, is_answered_at_once
from kohaku_lib.answering.cited.cited_writer import Check, CitedWriter
from kohaku_lib.answering.cited.dialogue import Dialogue
from kohaku_lib.answering.cited.streaming import GrowingText
from kohaku_lib.answering.citing.checked_answer import checked_answer
from kohaku_lib.answering.citing.other_thing import is_answer_of_another_thing
from kohaku_lib.answering.citing.other_values import other_values, settle
from kohaku_lib.answering.citing.other_year import is_answer_of_another_year, is_of_another_year, of_asked_year
from kohaku_lib.answering.citing.unfounded import is_unfounded
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.coverage.sufficiency import ABSTAIN, Sufficiency
from kohaku_lib.answering.deep_contexts import DeepContexts, DeepRetriever
from kohaku_lib.answering.deepening import (
    AnswerTrace,
    CheckedAnswer,
    Deepen,
    Narrow,
    answer_with_retries,
    failed_outcome,
)
from kohaku_lib.answering.figures import passages_of
from kohaku_lib.answering.labels import READER, answerer_name
from kohaku_lib.answering.lost_channels import lost_channels, raise_for_lost_channels, remaining_share
from kohaku_lib.llm import CallError
from kohaku_lib.parallel import map_items
from kohaku_lib.retrieval import PlannerChat, plan_question
from kohaku_lib.retrieval.planning.plan_question import PlanningOutcome
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.settings import Settings
from kohaku_lib.tables import QueryPlan, Question, RetrievalResult, Snippet
from kohaku_lib.text.equal_signs import equal_question

# of a simple question, and of one whose route takes all channels
_WARM_UP = (
    "warm-up",
    "How do the two compare over time, why do they differ, and what is their sum across all documents?",
)
SEARCH_ID = "search"  # of a query that is nobody's question
DocumentMetadata = Mapping[str, Mapping[str, Any]]
Replanner = Callable[[int], PlannerChat | None]  # seed -> the chat model that plans with it
Judge = Callable[[str, Sequence[Snippet]], Sufficiency]  # (question, passages) -> whether they cover it


class EngineParts(Protocol):
    """What an engine is made of; each part is asked for when it is first needed."""

    @property
    def planner(self) -> PlannerChat | None:
        """The chat model that plans; None plans by rule."""
        ...

    @property
    def retriever(self) -> DeepRetriever | None:
        """Searches for plans; None only answers from given contexts."""
        ...

    @property
    def answerers(self) -> Sequence[Answerer]:
        """The answerer; behind a chat model that the built-in reader checks, that reader."""
        ...

    def cited_writer(self, dialogue: Dialogue, check: Check) -> Answerer:
        """Return what writes a text for a question in a dialogue; what `check` allows of it is shown while it grows."""
        ...

    @property
    def documents(self) -> DocumentMetadata:
        """Metadata of the documents that may be cited, by id."""
        ...

    @property
    def replanner(self) -> Replanner | None:
        """Plans a deeper attempt anew, with its depth as seed, for answer.replan_on_retry; None keeps the first plan."""
        ...

    @property
    def judge(self) -> Judge | None:
        """Tells how far passages cover a question; None answers whatever they cover."""
        ...


@dataclass(frozen=True, slots=True)
class GivenParts:
    """Parts that exist already."""

    answerers: Sequence[Answerer]
    retriever: DeepRetriever | None = None
    documents: DocumentMetadata = field(default_factory=dict)
    planner: PlannerChat | None = None
    replanner: Replanner | None = None
    judge: Judge | None = None

    def cited_writer(self, dialogue: Dialogue, check: Check) -> Answerer:
        """Return the answerer that is given."""
        return self.answerers[0]


class Engine:
    """Plans, searches and answers by one set of settings over one index; threads may share it."""

    def __init__(self, settings: Settings, parts: EngineParts) -> None:
        self.settings, self.parts = settings, parts

    @cached_property
    def is_recorded(self) -> bool:
        """Whether the answers are those of recorded runs."""
        return self.settings.answerer == "replay"

    @cached_property
    def is_checked(self) -> bool:
        """Whether the built-in reader checks what a chat model answers."""
        return self.settings.is_checked

    @cached_property
    def _is_read(self) -> bool:
        """Whether a built-in reader answers."""
        return self.settings.answerer == "reader"

    def writes_text(self, dialogue: Dialogue) -> bool:
        """Whether a chat model answers in a dialogue by a text with citations: if settings say so, and about an image."""
        return self.settings.uses_chat and (self.settings.answer.form != "value" or bool(dialogue.images))

    @property
    def planner(self) -> PlannerChat | None:
        """The chat model that plans; None if queries are planned by rule."""
        return self.parts.planner if self.settings.planner.kind != "rule" else None

    def plan(self, questions: Sequence[Question], max_workers: int = 0) -> list[PlanningOutcome]:
        """Return the search queries of each question, in order; the question itself is the first.

        What fails of a plan is omitted and recorded. A question with a `problem` is not planned.
        """
        return list(map_items(self._plan, questions, max_workers))

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> Sequence[RetrievalResult]:
        """Return the context of each plan, in order, with `depth` times the usual number of results."""
        assert self.parts.retriever is not None
        return self.parts.retriever.retrieve(plans, depth)

    def search(self, query: str) -> RetrievalResult:
        """Return the ranking of a query as it is written; no language model plans it."""
        alone = self.settings.planner.model_copy(update={"max_queries": 1})
        return self.retrieve([plan_question(query, SEARCH_ID, alone, None).plan])[0]

    def context(self, question: Question) -> RetrievalResult:
        """Return the context of one question."""
        return self.retrieve([self._plan(question).plan])[0]

    def answer(
        self,
        question: Question,
        context: RetrievalResult,
        run: int = 0,
        deeper: DeepContexts | None = None,
        *,
        is_tolerant: bool = True,
        dialogue: Dialogue | None = None,
    ) -> Answer:
        """Return the answer to `question` from its `context`, or from deeper ones where that gives none.

        Where no language model answers, passages that cover less than 0.3 of the question are not read, a value whose proof
        is of another year than the question is none, and that of the latest edition is given where documents state several.

        Args:
            question: The question.
            context: Its passages.
            run: The ensemble run, from 0.
            deeper: The deeper contexts that several runs share.
            is_tolerant: Answer from the remaining channels where the search lost some.
            dialogue: The conversation in which it is asked.

        Raises:
            RetrievalError: A channel is lost, and the engine is not tolerant.
            CallError: The chat model fails.
        """
        written, question = question.text, _in_equal_signs(question)
        lost = {} if self.is_recorded else lost_channels(context.trace)
        if not is_tolerant:
            raise_for_lost_channels(lost)
        passages = self._of_asked_year(question, passages_of(context, uncaptioned=self.settings.answer.send_images))
        if deeper is None:
            deeper = self.deep_contexts()
        asking = _Asking(question, run, self._writer(question, dialogue), dialogue)
        outcome = self._read(asking, context, passages, deeper, is_tolerant)
        lost = lost | (deeper.lost.get(context.id, {}) if deeper else {})
        share = remaining_share(lost, self.settings.retrieval) if lost else 1.0
        told = {
            "question": written,
            "answered_by": outcome.answer.written_by or answerer_name(self.settings),
            "is_cited_by_node": self.settings.uses_chat and not asking.is_text and self.settings.answer.cite == "node",
        }
        if self.is_recorded:
            return replace(answer_of(question, outcome, lost, share, as_recorded=True), **told)
        if asking.has_picture:
            return replace(answer_of(question, outcome, lost, share, form="text", as_recorded=True), **told)
        if not self._is_read:
            others = other_values(question, outcome.answer, outcome.snippets)
            form = "text" if asking.is_text and outcome.answer.written_by != READER else "value"
            return replace(answer_of(question, outcome, lost, share, form=form), other_values=others, **told)
        settled = settle(question, outcome.answer, outcome.snippets)
        if not settled.is_latest:
            share /= 1 + sum(one.is_same_wording for one in settled.others)  # each of them may be the right one
        answer = answer_of(question, replace(outcome, answer=settled.answer), lost, share)
        return replace(answer, other_values=settled.others, **told)

    def with_passages(self, question: Question, answer: Answer) -> Answer:
        """Return an answer without a sure value with the passages that come closest; the reader's model finds them.

        A value of a built-in reader is unsure below one half, one of a chat model where no excerpt states it: it stays, with
        the passages beside it. A value of a chat model whose proof is about another year or thing than the question is none; a
        text that tells more than one statement has several proofs.
        """
        question = _in_equal_signs(question)
        is_proved = answer.form == "value" or is_answered_at_once(question.text)
        is_of_model = not (answer.is_blank or self._is_read or self.is_recorded)
        if is_of_model and is_proved and self._flaw(question.text, answer.trace):
            answer = without_value(answer)
        stated = answer.trace.answer.confidence  # whatever channels were lost, which make the reader no less sure
        is_unsure = (self._is_read or self.is_checked) and stated is not None and stated < LIKELY
        if not answer.is_blank and not is_unsure and not answer.trace.is_doubted:
            return answer
        from kohaku_lib.answering.closest.closest import find_closest

        closest = find_closest(question, answer.trace.snippets)
        if answer.trace.is_doubted and not answer.is_blank:
            return replace(answer, passages=closest.passages)
        return answer_by_passages(answer, closest)

    def sufficiency(self, question: str, passages: Sequence[Snippet]) -> Sufficiency:
        """Return whether `passages` can answer `question`, and what they lack."""
        return self.parts.judge(question, passages) if self.parts.judge is not None else Sufficiency()

    def deep_contexts(self) -> DeepContexts | None:
        """Return an empty cache of deeper contexts; None where there are none."""
        if self.is_recorded or self.parts.retriever is None:
            return None
        return DeepContexts(self.parts.retriever, uncaptioned=self.settings.answer.send_images)

    def load(self) -> None:
        """Load the tables and models that simple and complex questions need, so that none of them waits.

        Raises:
            ModelError: A key or a model is missing.
        """
        for query in _WARM_UP:
            self.search(query)
        self.parts.answerers  # noqa: B018 - made now, as a key may be missing
        if self._is_read or self.is_checked:
            from kohaku_lib.answering.extractive.reader.model import load_model

            load_model()

    def stop(self) -> None:
        """Start no further model calls; calls in flight finish."""
        for answerer in self.parts.answerers:
            answerer.stop()

    def _plan(self, question: Question) -> PlanningOutcome:
        text = question.text.strip()
        if question.problem is not None or not text:
            return PlanningOutcome(as_plan((question.id, [text] if text else [])))
        return plan_question(text, question.id, self.settings.planner, self.planner)

    def _is_uncovered(self, question: Question, passages: Sequence[Snippet]) -> bool:
        if self.parts.judge is None:
            return False
        return self.sufficiency(question.text, passages).coverage_score < ABSTAIN

    def _writer(self, question: Question, dialogue: Dialogue | None) -> Answerer:
        if dialogue is None or not self.writes_text(dialogue):
            return self.parts.answerers[0]

        def stands(checked: CheckedAnswer, shown: Sequence[Snippet]) -> bool:
            return self._stands(_Asking(question, 0, writer, dialogue), checked, shown)

        text = GrowingText(question, self.parts.documents, stands, has_picture=bool(dialogue.images))
        writer = self.parts.cited_writer(dialogue, text.shown)
        return writer

    def _stands(self, asking: _Asking, checked: CheckedAnswer, shown: Sequence[Snippet]) -> bool:
        """Return whether an answer passes all checks, as one that is complete has to."""
        if is_blank_answer(checked.answer) or checked.is_doubted:
            return False
        outcome = AnswerTrace(checked.answer, tuple(shown))
        if not asking.is_checkable:
            return True
        if self._flaw(asking.question.text, outcome):
            return False
        return not self.is_checked or is_borne_out(asking.question, outcome)

    def _read(
        self,
        asking: _Asking,
        context: RetrievalResult,
        passages: Sequence[Snippet],
        deeper: DeepContexts | None,
        is_tolerant: bool,
    ) -> AnswerTrace:
        deepen = (
            self._search(asking.question, deeper, context.plan, is_tolerant)
            if deeper and not asking.has_picture
            else None
        )
        narrow = deepen if self._narrows else None
        if self.is_checked and asking.is_checkable:
            return self._read_checked(asking, passages, deepen, narrow, is_tolerant)
        outcome = self._with_retries(asking, passages, deepen, narrow)
        flaw = self._flaw(asking.question.text, outcome) if self._is_read else None
        return _without_answer(outcome, flaw) if flaw else outcome

    def _read_checked(
        self,
        asking: _Asking,
        passages: Sequence[Snippet],
        deepen: Deepen | None,
        narrow: Narrow | None,
        is_tolerant: bool,
    ) -> AnswerTrace:
        question, reader = asking.question, self.parts.answerers[1]
        try:
            outcome = self._with_retries(asking, passages, deepen, narrow)
        except CallError as error:
            if not is_tolerant:  # another run may have the model's answer
                raise
            outcome = failed_outcome(str(error), passages)
        if flaw := self._flaw(question.text, outcome):
            outcome = _without_answer(outcome, flaw)

        def read() -> AnswerTrace:
            nothing = AnswerTrace(blank_answer(), tuple(passages))
            if self._is_uncovered(question, passages):
                return nothing
            own = replace(nothing, answer=replace(reader.answer(question, passages, asking.run), written_by=READER))
            return nothing if self._flaw(question.text, own) else own

        return checked_by_reader(question, outcome, read)

    def _with_retries(
        self, asking: _Asking, passages: Sequence[Snippet], deepen: Deepen | None, narrow: Narrow | None = None
    ) -> AnswerTrace:
        answer = self.settings.answer
        outcome = answer_with_retries(
            partial(self._ask, asking),
            passages,
            deepen,
            answer.max_retries,
            answer.deepening,
            answer.overflow,
            narrow,
        )
        if (
            not outcome.is_doubted
            or answer.keep_unstated
            or not asking.is_checkable
            or not is_unfounded(asking.question, outcome.answer, outcome.snippets)
        ):
            return outcome
        return _without_answer(
            outcome, "unfounded", f"The model said “{outcome.answer.answer_value}”, which no passage states."
        )

    def _ask(self, asking: _Asking, passages: Sequence[Snippet]) -> CheckedAnswer:
        is_covering = not (self._is_read or asking.is_text) or asking.has_picture
        if not is_covering and self._is_uncovered(asking.question, passages):
            return CheckedAnswer(blank_answer(), is_uncovered=True)
        answer = asking.answerer.answer(asking.question, passages, asking.run)
        if self.is_recorded or self._is_read:
            return CheckedAnswer(answer)
        check = checked_text if asking.is_text else checked_answer
        if asking.has_picture:
            check = checked_beside_picture
        return check(asking.question, answer, passages, self.parts.documents)

    def _flaw(self, question: str, outcome: AnswerTrace) -> str | None:
        """Return what keeps the proof of an answer from being one, as its attempt records it; None where nothing does.

        The reader quotes whole sentences, as it ranks them; what a model quotes is read with what stands around it.
        """
        answer = outcome.answer
        is_of_model = self.settings.uses_chat and answer.written_by != READER
        if is_of_model:
            is_of_other = is_answer_of_another_year(question, answer, outcome.snippets)
        else:
            is_of_other = is_of_another_year(question, answer.quote or "")
        if is_of_other:
            return "of_another_year"
        return "of_another_thing" if is_answer_of_another_thing(question, answer, outcome.snippets) else None

    @property
    def _narrows(self) -> bool:
        """Whether an overflow of the model's context is followed by a search for fewer results."""
        return self.settings.uses_chat and self.settings.answer.overflow != "measured"

    def _of_asked_year(self, question: Question, passages: Sequence[Snippet]) -> Sequence[Snippet]:
        return of_asked_year(question.text, passages) if self._is_read or self.is_checked else passages

    def _search(
        self, question: Question, deeper: DeepContexts, plan: QueryPlan, is_tolerant: bool
    ) -> Callable[..., Sequence[Snippet]]:
        """Return the search of a question at a depth, for so many results less; () where none are left."""
        replanner = self.parts.replanner if self.settings.answer.replan_on_retry and plan.queries else None

        @cache
        def plan_at(depth: int) -> QueryPlan:
            if replanner is None or depth == 1:
                return plan
            return plan_question(plan.queries[0].text, plan.id, self.settings.planner, replanner(depth)).plan

        def search(depth: int, less: int = 0) -> Sequence[Snippet]:
            top_k = self.settings.retrieval.top_k * depth - less
            if top_k < 1:
                return ()
            passages = deeper.get(plan_at(depth), depth, top_k if less else 0)
            if not is_tolerant:
                raise_for_lost_channels(deeper.lost.get(plan.id, {}))
            return self._of_asked_year(question, passages)

        return search


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question in one run, who answers it, and the dialogue in which it is asked."""

    question: Question
    run: int
    answerer: Answerer
    dialogue: Dialogue | None = None

    @property
    def is_text(self) -> bool:
        """Whether the answer is a text with citations."""
        return isinstance(self.answerer, CitedWriter)

    @property
    def has_picture(self) -> bool:
        """Whether it is about an image of the person who asks, which no passage tells of."""
        return self.dialogue is not None and bool(self.dialogue.images)

    @property
    def is_checkable(self) -> bool:
        """Whether the reader can check the answer: a value, or a text in answer to what one statement answers."""
        return not self.has_picture and (not self.is_text or is_answered_at_once(self.question.text))


def _in_equal_signs(question: Question) -> Question:
    return replace(question, text=equal_question(question.text))


def _without_answer(outcome: AnswerTrace, flaw: str, warning: str | None = None) -> AnswerTrace:
    *earlier, last = outcome.attempts
    told = outcome.answer
    blank = replace(blank_answer(raw_response=told.raw_response), written_by=told.written_by, warning=told.warning)
    none = warned(blank, warning)
    return AnswerTrace(none, outcome.snippets, (*earlier, last | {flaw: True}), replayed=outcome.replayed)
