"""A project opened for questions from Python: search, contexts and answers over its published index."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kohaku_lib.answering import Answer
from kohaku_lib.answering.many import answer_all
from kohaku_lib.composition import LoadedSettings, load_settings, overlaid
from kohaku_lib.errors import InputFileError
from kohaku_lib.index import SearchFilter
from kohaku_lib.project.followed_index import FollowedIndex
from kohaku_lib.project.index_parts import open_engine
from kohaku_lib.project.keys_file import load_keys
from kohaku_lib.project.open_index import HIT_FIELDS, OpenIndex, check_not_empty
from kohaku_lib.project.published_index import fetch_published_index
from kohaku_lib.project.session import Session
from kohaku_lib.project.stored_tables import StoredTables
from kohaku_lib.tables import Question, RetrievalResult, Snippet

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
    """A node of the index that fits a query; higher scores are better, and pages count from 1.

    `heading` are the headings above it, outermost first; empty where there are none but the document's title. A paragraph
    stands for its sentences: `best_sentence` is the one that fits best, and `page` that one's. Near-copies of a passage are
    one hit; the further documents that have one are `also_in`.
    """

    node_id: str
    document_id: str
    kind: str
    page: int | None
    text: str
    score: float
    heading: str = ""
    best_sentence: str | None = None
    also_in: Sequence[str] = ()


class OpenProject:
    """Questions to the published index of a project.

    Threads may share it. It follows the index: what is published while it is open answers the next question.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        fetch_published_index(session.settings)
        self._index: FollowedIndex[OpenIndex] | None = self._opened()

    def __enter__(self) -> OpenProject:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index; a later question opens it again."""
        with self._lock:
            self._index = None

    @property
    def index_version(self) -> str:
        """The version of the index that answers now."""
        with self._reading() as index:
            return index.snapshot.version

    @property
    def tables(self) -> StoredTables:
        """The questions, answers, scores, nodes, experiments and calls of the project as pandas DataFrames."""
        return StoredTables(self._session.store, self._session.settings.corpus.org_id)

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
        where = _search_filter(documents, collections, folders)
        with self._reading() as index:
            result, nodes = index.search(query, top_k, where)
        return [
            SearchHit(**{name: nodes[match.node_id][name] for name in HIT_FIELDS}, score=match.score)
            for match in result.matches[:top_k]
        ]

    def ranking(self, query: str, top_k: int, where: SearchFilter) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
        """Return the ranking of a query with its trace, which has the ranks of the `top_k` first nodes, and these by id.

        Raises:
            InputFileError: The query is empty, or no document fulfils the filter.

        """
        with self._reading() as index:
            return index.search(query, top_k, where, explained=top_k)

    def retrieve(
        self,
        questions: str | Sequence[str],
        *,
        documents: Iterable[str] = (),
        collections: Iterable[str] = (),
        folders: Iterable[str] = (),
    ) -> list[RetrievalResult]:
        """Return queries, matches and snippets for each question, in their order, as the answerer would receive them.

        A single question may be given as a text.

        Raises:
            InputFileError: A question is empty, or no document fulfils the filter.

        """
        with self._reading() as index:
            engine = index.engine(_search_filter(documents, collections, folders))
            plans = [outcome.plan for outcome in engine.plan(_as_questions(questions, None))]
            return list(engine.retrieve(plans))

    def ask(  # noqa: PLR0913
        self,
        question: str,
        unit: str | None = None,
        *,
        documents: Iterable[str] = (),
        collections: Iterable[str] = (),
        folders: Iterable[str] = (),
        with_images: bool | None = None,
        top_k_images: int | None = None,
        send_images: bool | None = None,
        on_passage: Callable[[Snippet], object] | None = None,
    ) -> Answer:
        """Return the answer to one question, in `unit` if given.

        Args:
            question: The question.
            unit: The unit of the answer.
            documents: Ids of the documents that are searched; all without a filter.
            collections: Their collections.
            folders: Their folders.
            with_images: Replaces retrieval.with_images for this question.
            top_k_images: Replaces retrieval.top_k_images.
            send_images: Replaces answer.send_images.
            on_passage: Called with the best passage before a chat model answers, which may take long.

        Raises:
            InputFileError: The question is empty, or no document fulfils the filter.
            SettingsError: Images are asked for that the model or the index cannot give.

        """
        [asked] = _as_questions([question], unit, [ADHOC_ID])
        images = {
            "retrieval.with_images": with_images,
            "retrieval.top_k_images": top_k_images,
            "answer.send_images": send_images,
        }
        own = {key: value for key, value in images.items() if value is not None}
        settings = overlaid(self._session.settings, own) if own else None
        where = _search_filter(documents, collections, folders)
        with self._reading() as index:
            return answer_all(index.engine(where, settings), [asked], on_passage)[0]

    def answers(self, questions: str | Sequence[str], unit: str | None = None) -> list[Answer]:
        """Return an answer per question, in their order; chat models are called concurrently."""
        with self._reading() as index:
            engine = open_engine(self._session, index.snapshot)  # of its own, as a batch that fails stops it
            return answer_all(engine, _as_questions(questions, unit))

    @contextmanager
    def _reading(self) -> Iterator[OpenIndex]:
        """Give the published version, which stays open until the block ends."""
        with self._lock:
            followed = self._index = self._index or self._opened()
        followed.follow()
        with followed.reading() as version:
            yield version.parts

    def _opened(self) -> FollowedIndex[OpenIndex]:
        return FollowedIndex(self._session.store, partial(OpenIndex, self._session))


def _as_questions(texts: str | Sequence[str], unit: str | None, ids: Sequence[str] = ()) -> list[Question]:
    texts = [texts] if isinstance(texts, str) else texts
    for text in texts:
        check_not_empty(text, "question", "ask")
    names = ids or [str(number) for number in range(len(texts))]
    return [Question(name, text, unit) for name, text in zip(names, texts, strict=True)]


def _search_filter(documents: Iterable[str], collections: Iterable[str], folders: Iterable[str]) -> SearchFilter:
    return SearchFilter(documents=tuple(documents), collections=tuple(collections), folders=tuple(folders))


def _toml_text(value: object) -> str:
    """Return a value as TOML; None drops what file and environment set."""
    return "" if value is None else json.dumps(value, default=str, ensure_ascii=False)
