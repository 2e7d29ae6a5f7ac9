"""What answers questions over one index version: retrievers and answerers by settings and filter, built once."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial

import numpy as np
from cachetools import LRUCache

from kohaku_lib.answering import Answerer
from kohaku_lib.answering.answer_one_question import checked_answer
from kohaku_lib.answering.deep_contexts import DeepContexts
from kohaku_lib.answering.deepening import AnswerOutcome, answer_with_retries
from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.assistant.response.extract import is_of_another_year
from kohaku_lib.composition import overlaid
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval import PlannerChat, Retriever, plan_question
from kohaku_lib.retrieval.rerank.vector_cache import VectorCache
from kohaku_lib.service.answerers import make_answerer
from kohaku_lib.service.chat_models import make_planner
from kohaku_lib.service.open_project import check_filter
from kohaku_lib.service.retrievers import make_retriever, query_embedder
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, RetrievalResult, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK

MOST_VECTORS = 4096  # query vectors kept
MOST_PIPELINES = 32  # kept at once


class IndexParts:
    """The parts that answer questions over `snapshot`; safe to share between threads."""

    def __init__(self, session: Session, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.organisations = frozenset[str](snapshot.documents.column("org_id").unique().to_pylist())
        self._session = session
        self._embed = VectorCache(query_embedder(session, snapshot), MOST_VECTORS).of
        self._pipelines: LRUCache[tuple[str, SearchFilter], QuestionPipeline] = LRUCache(MOST_PIPELINES)
        self._lock = threading.Lock()

    def vector(self, text: str) -> np.ndarray:
        """Return the query vector (dim,) of `text`."""
        return self._embed([text])[0]

    def pipeline(self, settings: Settings, where: SearchFilter) -> QuestionPipeline:
        """Return what answers questions by `settings` from the documents that `where` allows.

        Raises:
            InputFileError: No document of the tenant fulfils `where`.
            ModelError: A model or its key is missing.
        """
        key = settings.model_dump_json(), where
        with self._lock:
            found = self._pipelines.get(key)
            if found is not None:
                return found
        session = self._session.overlaid(settings)
        check_filter(session, self.snapshot, where)
        retriever = make_retriever(session, self.snapshot, where, embed=self._embed)
        answerers = [make_answerer(session, self.snapshot)]
        if settings.llm.provider == "reader":  # the rules read again what the model reads for another year
            by_rule = overlaid(settings, {"llm.provider": "extractive"})
            answerers.append(make_answerer(session.overlaid(by_rule), self.snapshot))
        made = QuestionPipeline(settings, retriever, make_planner(session), tuple(answerers))
        with self._lock:
            self._pipelines[key] = made
        return made


@dataclass(eq=False)
class QuestionPipeline:
    """Plans, searches and reads by one set of settings over one index version and filter."""

    settings: Settings
    retriever: Retriever
    planner: PlannerChat | None
    answerers: tuple[Answerer, ...]

    def retrieve(self, question: str, question_id: str) -> RetrievalResult:
        """Return the context of `question`."""
        plan = plan_question(question, question_id, self.settings.planner, self.planner).plan
        return self.retriever.retrieve([plan])[0]

    def read(self, question: str, result: RetrievalResult) -> AnswerOutcome:
        """Return the answer of the settings' answerer, from deeper contexts where the first one gives none.

        Where its proof is of another year than the question, the next answerer reads.

        Raises:
            CallError: The chat model fails.
        """
        outcomes = (self._read(answerer, question, result) for answerer in self.answerers)
        return next(
            (one for one in outcomes if not is_of_another_year(question, one.answer)), AnswerOutcome(NOTHING_READ)
        )

    def _read(self, answerer: Answerer, question: str, result: RetrievalResult) -> AnswerOutcome:
        asked, deeper = Question(result.id, question), DeepContexts(self.retriever)
        return answer_with_retries(
            lambda snippets: checked_answer(asked, answerer.answer(asked, snippets), snippets),
            context_of(result),
            partial(deeper.get, result.plan),
            self.settings.answer.max_retries,
            self.settings.answer.deepening,
            self.settings.answer.overflow,
        )


NOTHING_READ = StructuredAnswer(BLANK, BLANK, (), "")


def context_of(result: RetrievalResult) -> tuple[Snippet, ...]:
    """Return the passages of `result`, best first, followed by the captions of its figures."""
    return (*result.snippets, *figure_snippets(result.images, len(result.snippets), uncaptioned=False))
