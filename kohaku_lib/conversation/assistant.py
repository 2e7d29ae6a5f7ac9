"""The assistant: a service that stays open, and answers messages from the published index."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.composition import overlaid
from kohaku_lib.conversation.cache.answer_cache import AnswerCache
from kohaku_lib.conversation.cache.semantic_cache import CacheCounts
from kohaku_lib.conversation.conversations import Conversations, or_logged
from kohaku_lib.conversation.document_answers import DocumentAnswers
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.memory.runtime_settings import changed_values
from kohaku_lib.conversation.memory.stored_sessions import StoredSessions
from kohaku_lib.conversation.message_answers import MessageAnswers, OnPassage, OnText
from kohaku_lib.conversation.organisations import Organisation, Organisations, asking_organisation, merged_values
from kohaku_lib.conversation.request import AssistantRequest, RequestError, check_request
from kohaku_lib.conversation.response.response import Response
from kohaku_lib.conversation.tool import DEFAULT_ITEMS, ToolResult, search_knowledge_base
from kohaku_lib.index import SearchFilter
from kohaku_lib.project.followed_index import FollowedIndex
from kohaku_lib.project.keys_file import load_keys
from kohaku_lib.project.open_index import OpenIndex, open_whole
from kohaku_lib.project.open_project import load_project_settings
from kohaku_lib.project.published_index import fetch_published_index
from kohaku_lib.project.session import Session
from kohaku_lib.settings import Settings
from kohaku_lib.settings.assistant_settings import MOST_TURNS


def open_assistant(path: str | Path = ".", *, settings: Mapping[str, Any] | None = None) -> Assistant:
    """Open the assistant of a project: models and index are loaded once, for many threads.

    Args:
        path: The project's folder, or its kohaku.toml.
        settings: Values by dotted name that override those of the file and the environment.

    Raises:
        SettingsError: A setting is unknown or wrong.
        StoreError: The project has no index yet, or a damaged one.
        ModelError: A model or its key is missing.

    docs/python.md shows it at work.

    """
    loaded = load_project_settings(path, settings)
    load_keys(loaded.home)
    return Assistant(Session(loaded.settings, loaded.home))


class Assistant:
    """Answers messages from the published index, which it follows; safe to share between threads.

    Args:
        session: The settings and what is shared by all questions.
        clock: Seconds, monotonic; for timings.
        cache_clock: Seconds, monotonic; for the age of cached answers and runtime settings.
        serves_anybody: Serve organisations without documents too, as whoever calls knows who asks.

    """

    def __init__(
        self,
        session: Session,
        clock: Callable[[], float] = time.perf_counter,
        cache_clock: Callable[[], float] = time.monotonic,
        *,
        serves_anybody: bool = False,
    ) -> None:
        if session.settings.answerer == "replay":  # nobody recorded what is asked now
            session = session.overlaid(overlaid(session.settings, {"answer.by": "reader"}))
        session.shared_chats = {} if session.shared_chats is None else session.shared_chats
        self._session = session
        fetch_published_index(session.settings)
        self._index = FollowedIndex(session.store, partial(open_whole, session))
        self._cache = AnswerCache(session.settings, cache_clock)
        own = session.settings.assistant
        self._database = open_database(session.store, own.database)
        self._serves_anybody = serves_anybody
        self._organisations = Organisations(session.settings, self._database, cache_clock)
        self._answers = MessageAnswers(session, DocumentAnswers(session, self._index, self._cache), clock)
        self._conversations = Conversations(MessageStore(self._database), own.sessions, MOST_TURNS)
        with self._index.reading() as version:
            version.parts.engine(SearchFilter()).load()

    def __enter__(self) -> Assistant:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self._database.dispose()

    @property
    def settings(self) -> Settings:
        """The settings of the project."""
        return self._session.settings

    @property
    def open_versions(self) -> tuple[str, ...]:
        """The index versions that are open now; one, unless a question still reads an earlier one."""
        return self._index.open_versions

    @property
    def cache_counts(self) -> CacheCounts:
        """Hits, misses and evictions of the semantic cache."""
        return self._cache.counts

    def respond(
        self, request: AssistantRequest, on_text: OnText | None = None, on_passage: OnPassage | None = None
    ) -> Response:
        """Return the response to a message, as the next turn of its session.

        Args:
            request: The message and its choices.
            on_text: Called with each part of the content as it becomes known.
            on_passage: Called with the best passage where a chat model is to write from it, which may take long.

        Raises:
            RequestError: The request breaks a rule, its session belongs to another user, or the documents are of several
                organisations and it names none.
            InputFileError: No document fulfils the filter.
            CallError: The chat model fails.

        """
        check_request(request, self.settings.assistant.max_message_chars)
        organisation = self.organisation(request.org_id)
        owner = Owner(organisation.org_id, request.user_id)
        conversation = self._conversations.get(request.session_id, owner)
        with conversation.lock:
            self._conversations.refresh(conversation)
            answer_id = uuid.uuid4().hex
            self._conversations.add(conversation, Message(answer_id, "user", request.message, request.message))
            response = self._answers.answer(request, organisation, conversation, answer_id, on_text, on_passage)
            answer = Message(answer_id, "assistant", response.content, response.question, response.is_answer)
            self._conversations.add(conversation, answer)
        or_logged(partial(organisation.served.add, request, response), None)
        return response

    def give_feedback(
        self,
        answer_id: str,
        rating: int,
        *,
        user_id: str | None = None,
        org_id: str | None = None,
        correction: str | None = None,
        right_source: str | None = None,
    ) -> None:
        """Record what the user who got an answer says about it.

        Args:
            answer_id: That of the response.
            rating: 1 or -1.
            user_id: The user of the request.
            org_id: The organisation of the request.
            correction: The right answer.
            right_source: The id of the document that holds it.

        Raises:
            RequestError: The rating is neither, or the answer is unknown or another user's.

        """
        self.organisation(org_id).served.judge(answer_id, rating, user_id, correction, right_source)

    def served_questions(self, org_id: str | None = None) -> pa.Table:
        """Return the questions that an organisation was served, in every process, with costs and feedback, oldest first.

        Raises:
            RequestError: The documents are of several organisations and none is named, or one without documents.
        """
        return self.organisation(org_id).served.table(self._session.paths.llm_calls)

    def session_settings(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None, org_id: str | None = None
    ) -> dict[str, Any]:
        """Change settings for the questions of a session, and return all that are changed for it, by key.

        Args:
            session_id: The session; a new one if it is unknown.
            values: By dotted name; None drops one. All are set, or none.
            user_id: Its user.
            org_id: The organisation of its user.

        Raises:
            RequestError: The session belongs to another user.
            SettingsError: A key is unknown or not read for each question, or a value is wrong.

        """
        organisation = self.organisation(org_id)
        conversation = self._conversations.get(session_id, Owner(organisation.org_id, user_id))
        with conversation.lock:
            self._conversations.refresh(conversation)
            kept = changed_values(conversation.settings, values)
            overlaid(organisation.settings, merged_values(organisation, kept))
            self._conversations.choose_settings(conversation, kept)
        return kept

    def search_knowledge_base(
        self, query: str, org_id: str | None, limit: int = DEFAULT_ITEMS, category: str | None = None
    ) -> ToolResult:
        """Return the best passages for `query`, for agents; `TOOL_SCHEMA` describes it to a language model.

        Args:
            query: A question or key words.
            org_id: The organisation that asks; mandatory.
            limit: The largest number of passages, 1 to 50.
            category: A collection of documents to search alone.

        Raises:
            RequestError: An argument is missing or out of range, or the organisation has no documents here.

        """
        if not org_id:
            msg = f"search_knowledge_base needs org_id, the organisation that asks, got {org_id!r}"
            raise RequestError(msg)
        with self.reading(org_id) as (index, settings):
            return search_knowledge_base(index, settings, query, limit, category)

    def follow(self) -> None:
        """Open the published index: every question that is asked after this call is answered from it.

        Raises:
            StoreError: It cannot be opened.
        """
        self._index.follow()

    @contextmanager
    def reading(self, org_id: str | None = None) -> Iterator[tuple[OpenIndex, Settings]]:
        """Give what answers questions over the published index, the same until the block ends, and an organisation's settings.

        Raises:
            RequestError: The documents are of several organisations and none is named, or one without documents.
        """
        organisation = self.organisation(org_id)
        with self._index.reading() as version:
            yield version.parts, overlaid(organisation.settings, organisation.runtime_values())

    def sessions(self, org_id: str | None = None) -> StoredSessions:
        """Return the sessions of an organisation, to list and to delete.

        Raises:
            RequestError: The documents are of several organisations and none is named, or one without documents.
        """
        return StoredSessions(self._database, self.organisation(org_id).org_id, self._conversations.forget)

    def organisation(self, org_id: str | None = None) -> Organisation:
        """Return what an organisation has of its own: settings, runtime settings and served questions.

        Raises:
            RequestError: The documents are of several organisations and none is named, or one without documents.
        """
        if self._serves_anybody and org_id:
            return self._organisations.get(org_id)
        with self._index.reading() as version:
            served = version.parts.organisations
        return self._organisations.get(asking_organisation(org_id, self.settings.corpus.org_id, served))
