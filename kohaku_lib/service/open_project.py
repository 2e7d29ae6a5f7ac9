"""A project opened for questions from Python: search, contexts and answers over its published index."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.composition import LoadedSettings, load_settings
from kohaku_lib.errors import InputFileError
from kohaku_lib.index import SearchFilter, Snapshot, check_named
from kohaku_lib.retrieval import plan_question
from kohaku_lib.service.keys_file import load_keys
from kohaku_lib.service.published_index import fetch_published_index, open_published_index, published_version
from kohaku_lib.service.question_answering import QuestionAnswering
from kohaku_lib.service.retrievers import make_retriever
from kohaku_lib.service.session import Session
from kohaku_lib.tables import QUESTIONS, RetrievalResult
from kohaku_lib.values import is_blank

_NODE_COLUMNS = ("node_id", "document_id", "kind", "page", "text")
ADHOC_ID = "ask"  # of a question that is in no file


def open_project(path: str | Path = ".", *, settings: Mapping[str, Any] | None = None) -> OpenProject:
    """Open a project for questions to its published index.

    Nothing is built: `kohaku refresh` or `kohaku_assets.refresh` does that.

    Args:
        path: The project's folder, or its kohaku.toml.
        settings: Values by dotted name that override those of the file and the environment.

    Raises:
        SettingsError: A setting is unknown or wrong.
        StoreError: The project has no index yet, or a damaged one.

    docs/python.md shows it at work.

    """
    loaded = load_project_settings(path, settings)
    load_keys(loaded.home)
    return OpenProject(Session(loaded.settings, loaded.home))


def load_project_settings(path: str | Path, settings: Mapping[str, Any] | None = None) -> LoadedSettings:
    """Return the settings of a project's folder or kohaku.toml, overridden by values by dotted name; None drops one."""
    path = Path(path)
    if not path.exists():
        msg = f"there is no project at {str(path)!r}; name a folder with a kohaku.toml, or 'kohaku init' one"
        raise InputFileError(msg)
    overrides = [f"{key}={_toml_text(value)}" for key, value in (settings or {}).items()]
    is_file = path.is_file()
    return load_settings(path if is_file else None, overrides, folder=path.parent if is_file else path)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A node of the index that fits a query; higher scores are better, and pages count from 1."""

    node_id: str
    document_id: str
    kind: str
    page: int | None
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its citations.

    `value` is None where the documents support none; `confidence` is 0 to 1, None where the answerer gives none;
    `lost_channels` are those that could not be searched, each with the reason.
    """

    question: str
    text: str
    value: str | None
    unit: str | None
    explanation: str
    confidence: float | None
    citations: tuple[Citation, ...]
    error: str | None
    lost_channels: Mapping[str, str]

    @property
    def is_blank(self) -> bool:
        """Whether the documents support no answer."""
        return self.value is None


class OpenProject:
    """Questions to the published index of a project.

    Threads may share it. It follows the index: what is published while it is open answers the next question.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        fetch_published_index(session.settings)
        self._snapshot: Snapshot | None = open_published_index(session.store)

    def __enter__(self) -> OpenProject:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index; a later question opens it again."""
        with self._lock:
            self._snapshot = None

    @property
    def index_version(self) -> str:
        """The version of the index that answers now."""
        return self._open_index().version

    def search(
        self,
        query: str,
        top_k: int = 10,
        *,
        documents: Iterable[str] = (),
        collections: Iterable[str] = (),
        folders: Iterable[str] = (),
    ) -> list[SearchHit]:
        """Return the `top_k` best nodes for a query, best first; no language model is called.

        With `documents` (ids), `collections` or `folders`, nothing else is searched.

        Raises:
            InputFileError: The query is empty, or no document fulfils the filter.

        """
        snapshot = self._open_index()
        where = _search_filter(documents, collections, folders)
        result, nodes = search_index(self._session, snapshot, query, top_k, where)
        return [
            SearchHit(**{name: nodes[match.node_id][name] for name in _NODE_COLUMNS}, score=match.score)
            for match in result.matches[:top_k]
        ]

    def retrieve(
        self,
        questions: Sequence[str],
        *,
        documents: Iterable[str] = (),
        collections: Iterable[str] = (),
        folders: Iterable[str] = (),
    ) -> list[RetrievalResult]:
        """Return queries, matches and snippets for each question, in their order, as the answerer would receive them.

        Raises:
            InputFileError: A question is empty, or no document fulfils the filter.

        """
        answering = self._question_answering(_search_filter(documents, collections, folders))
        return answering.results(_question_table(questions, None))

    def ask(
        self,
        question: str,
        unit: str | None = None,
        *,
        documents: Iterable[str] = (),
        collections: Iterable[str] = (),
        folders: Iterable[str] = (),
    ) -> Answer:
        """Return the answer to one question, in `unit` if given.

        Raises:
            InputFileError: The question is empty, or no document fulfils the filter.

        """
        answering = self._question_answering(_search_filter(documents, collections, folders))
        row = ask_index(answering, question, unit)
        return _answer_from_row(row)

    def answers(self, questions: Sequence[str], unit: str | None = None) -> list[Answer]:
        """Return an answer per question, in their order; chat models are called concurrently."""
        table, _ = self._question_answering(SearchFilter()).answer_despite_lost_channels(
            _question_table(questions, unit)
        )
        first = {row["id"]: row for row in table.to_pylist() if row["run"] == 0}
        return [_answer_from_row(first[str(number)]) for number in range(len(questions))]

    def _open_index(self) -> Snapshot:
        with self._lock:
            if self._snapshot is None or self._snapshot.version != published_version(self._session.store):
                self._snapshot = open_published_index(self._session.store)
            return self._snapshot

    def _question_answering(self, where: SearchFilter) -> QuestionAnswering:
        snapshot = self._open_index()
        check_filter(self._session, snapshot, where)
        return QuestionAnswering(self._session, snapshot, where)


def search_index(
    session: Session, snapshot: Snapshot, query: str, top_k: int, where: SearchFilter | None = None
) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
    """Return the ranking of one query among what `where` allows, and the `top_k` first nodes by id.

    The query is searched as written and, if the settings enable it, as corrected and by the strategy of its route.
    The trace contains the ranks of these nodes in every channel.

    Raises:
        InputFileError: The query is empty, or no document fulfils `where`.

    """
    check_not_empty(query, "query", "search for")
    if where is not None:
        check_filter(session, snapshot, where)
    alone = session.settings.planner.model_copy(update={"max_queries": 1})
    plan = plan_question(query, ADHOC_ID, alone, None).plan
    [result] = make_retriever(session, snapshot, where, explained=top_k).retrieve([plan])
    ids = [match.node_id for match in result.matches[:top_k]]
    return result, dict(zip(ids, snapshot.get_nodes(ids), strict=True)) if ids else {}


def ask_index(answering: QuestionAnswering, question: str, unit: str | None = None) -> dict[str, Any]:
    """Return the prediction row (PREDICTIONS) for one question.

    Where the search lost a channel, the others answer: the trace of the row names it, and its confidence is lower.

    Raises:
        InputFileError: The question is empty.

    """
    table, _ = answering.answer_despite_lost_channels(_question_table([question], unit, [ADHOC_ID]))
    return table.slice(0, 1).to_pylist()[0]


def check_not_empty(text: str, what: str, verb: str) -> None:
    """Raise InputFileError where `text` is blank; `what` and `verb` name it and the remedy."""
    if not text.strip():
        msg = f"the {what} is empty; {verb} something"
        raise InputFileError(msg)


def check_filter(session: Session, snapshot: Snapshot, where: SearchFilter) -> None:
    """Raise InputFileError where no document of the session's tenant fulfils `where`."""
    check_named(replace(where, org_id=session.settings.corpus.org_id), snapshot.documents)


def _question_table(questions: Sequence[str], unit: str | None, ids: Sequence[str] = ()) -> pa.Table:
    for question in questions:
        check_not_empty(question, "question", "ask")
    names = ids or [str(number) for number in range(len(questions))]
    rows = [
        {"id": name, "question": question, "answer_unit": unit, "has_truth": False, "row_json": "{}"}
        for name, question in zip(names, questions, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


def _search_filter(documents: Iterable[str], collections: Iterable[str], folders: Iterable[str]) -> SearchFilter:
    return SearchFilter(documents=tuple(documents), collections=tuple(collections), folders=tuple(folders))


def _answer_from_row(row: Mapping[str, Any]) -> Answer:
    blank = is_blank(row["answer_value"])
    return Answer(
        question=row["question"],
        text=row["answer"],
        value=None if blank else row["answer_value"],
        unit=None if blank or is_blank(row["answer_unit"]) else row["answer_unit"],
        explanation=row["explanation"],
        confidence=row["confidence"],
        citations=tuple(Citation(**citation) for citation in row["citations"]),
        error=row["error"],
        lost_channels=json.loads(row["trace_json"]).get("lost_channels", {}),
    )


def _toml_text(value: object) -> str:
    """Return a value as TOML; None drops what file and environment set."""
    return "" if value is None else json.dumps(value, default=str, ensure_ascii=False)
