"""One version of the index, opened: engines by settings and filter, built once, and searches."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from cachetools import LRUCache

from kohaku_lib.answering import Engine
from kohaku_lib.errors import InputFileError, StoreError
from kohaku_lib.index import SearchFilter, Snapshot, check_named
from kohaku_lib.project.index_parts import IndexParts, cached_embedder, citable_documents
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import TRACED
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Match, RetrievalResult

HIT_FIELDS = ("node_id", "document_id", "kind", "page", "text", "heading", "best_sentence", "also_in")

MOST_ENGINES = 32  # kept at once


class OpenIndex:
    """Answers and searches over `snapshot` by the settings of `session`, or by others; safe to share between threads."""

    def __init__(self, session: Session, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.organisations = frozenset[str](snapshot.documents.column("org_id").unique().to_pylist())
        self._session = session
        self._embed = cached_embedder(session, snapshot)
        self._engines: LRUCache[tuple[str, SearchFilter, int], Engine] = LRUCache(MOST_ENGINES)
        self._documents = cache(partial(citable_documents, snapshot))  # by organisation
        self._lock = threading.Lock()

    def vector(self, text: str) -> np.ndarray:
        """Return the query vector (dim,) of `text`."""
        return self._embed([text])[0]

    def engine(self, where: SearchFilter, settings: Settings | None = None, explained: int = TRACED) -> Engine:
        """Return the engine by `settings`, else those of the session, over the documents that `where` allows.

        The trace of a search holds the ranks of the first `explained` nodes.

        Raises:
            InputFileError: No document of the tenant fulfils `where`.
        """
        settings = settings or self._session.settings
        key = settings.model_dump_json(), where, explained
        with self._lock:
            found = self._engines.get(key)
        if found is not None:
            return found
        check_named(replace(where, org_id=settings.corpus.org_id), self.snapshot.documents)
        session = self._session.overlaid(settings)
        documents = partial(self._documents, settings.corpus.org_id)
        parts = IndexParts(session, self.snapshot, where, embed=self._embed, explained=explained, documents=documents)
        made = Engine(settings, parts)
        with self._lock:
            return self._engines.setdefault(key, made)

    def search(
        self,
        query: str,
        top_k: int,
        where: SearchFilter,
        settings: Settings | None = None,
        explained: int = TRACED,
    ) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
        """Return the ranking of one query among what `where` allows, and the `top_k` first nodes by id.

        Each node has its headings, and a paragraph the text of its best sentence, whose page it takes.

        The query is searched as written and, if the settings enable it, as corrected and by the strategy of its route. No
        language model is called.

        Raises:
            InputFileError: The query is empty, or no document fulfils `where`.

        """
        check_not_empty(query, "query", "search for")
        result = self.engine(where, settings, explained).search(query)
        return result, {match.node_id: self._shown(match) for match in result.matches[:top_k]}

    def _shown(self, match: Match) -> dict[str, Any]:
        [node] = self.snapshot.get_nodes([match.node_id])
        [heading] = self.snapshot.headings([self.snapshot.row_of(match.node_id)])
        best = self.snapshot.get_nodes([match.best_sentence])[0] if match.best_sentence else None
        more = {"best_sentence": best["text"], "page": best["page"]} if best else {"best_sentence": None}
        return {**node, "heading": heading, "also_in": list(match.also_in), **more}


def open_whole(session: Session, snapshot: Snapshot) -> OpenIndex:
    """Open a version with what is otherwise read at first use, so that no question waits for it."""
    for part in ("search", "lexical", "graph", "title_index"):
        with suppress(StoreError):  # a search names a damaged part
            getattr(snapshot, part)
    return OpenIndex(session, snapshot)


def check_not_empty(text: str, what: str, verb: str) -> None:
    """Raise InputFileError where `text` is blank; `what` and `verb` name it and the remedy."""
    if not text.strip():
        msg = f"the {what} is empty; {verb} something"
        raise InputFileError(msg)
