"""The assistant: a service that stays open, and answers messages from the published index."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.assistant.cache.answer_cache import AnswerCache
from kohaku_lib.assistant.cache.semantic_cache import CacheCounts
from kohaku_lib.assistant.conversations import Conversation, Conversations, or_logged
from kohaku_lib.assistant.document_answers import DocumentAnswers
from kohaku_lib.assistant.follow_ups import complete_question
from kohaku_lib.assistant.followed_index import FollowedIndex
from kohaku_lib.assistant.generation import STAGE, Asked, generate_general, model_tier
from kohaku_lib.assistant.index_parts import IndexParts
from kohaku_lib.assistant.levels import question_settings
from kohaku_lib.assistant.memory.database import open_database
from kohaku_lib.assistant.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.assistant.memory.runtime_settings import RuntimeSettings
from kohaku_lib.assistant.memory.served_questions import ServedQuestions
from kohaku_lib.assistant.request import AssistantRequest, RequestError, check_request
from kohaku_lib.assistant.response.response import Response
from kohaku_lib.assistant.timer import Timer
from kohaku_lib.assistant.tool import DEFAULT_ITEMS, ToolResult, search_knowledge_base
from kohaku_lib.index import SearchFilter
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.llm import plain_chat
from kohaku_lib.retrieval.planning.routing import BY_FORM, classify_intent
from kohaku_lib.service.chat_models import make_chat
from kohaku_lib.service.keys_file import load_keys
from kohaku_lib.service.open_project import load_project_settings
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings, overlaid

OnText = Callable[[str], object]
WARM_UP = "warm-up"
REWRITING_TIERS = ("medium", "large")  # of chat models that complete follow-up questions better than the rules


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

    """

    def __init__(
        self,
        session: Session,
        clock: Callable[[], float] = time.perf_counter,
        cache_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if PROVIDERS.get(session.settings.llm.provider).is_recorded:  # nobody recorded what is asked now
            session = session.overlaid(overlaid(session.settings, {"llm.provider": "extractive"}))
        session.shared_chats = {} if session.shared_chats is None else session.shared_chats
        self._session, self._clock = session, clock
        self._index = FollowedIndex(session.store, partial(IndexParts, session))
        self._cache = AnswerCache(session.settings, cache_clock)
        self._documents = DocumentAnswers(session, self._index, self._cache)
        own = session.settings.assistant
        self._database = open_database(session.store, own.database)
        self._runtime = RuntimeSettings(self._database, session.settings.corpus.org_id, cache_clock)
        self._served = ServedQuestions(self._database, session.settings.corpus.org_id)
        self._conversations = Conversations(MessageStore(self._database), own.sessions, own.history_turns)
        with self._index.reading() as version:
            version.parts.pipeline(session.settings, SearchFilter()).retrieve(
                WARM_UP, WARM_UP
            )  # loads models and tables

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

    def respond(self, request: AssistantRequest, on_text: OnText | None = None) -> Response:
        """Return the response to a message, as the next turn of its session.

        Args:
            request: The message and its choices.
            on_text: Called with each part of the content as it becomes known.

        Raises:
            RequestError: The request breaks a rule, or its session belongs to another user.
            InputFileError: No document fulfils the filter.
            CallError: The chat model fails.

        """
        check_request(request, self.settings.assistant.max_message_chars)
        owner = Owner(self.settings.corpus.org_id, request.user_id)
        conversation = self._conversations.get(request.session_id, owner)
        with conversation.lock:
            self._conversations.refresh(conversation)
            answer_id = uuid.uuid4().hex
            self._conversations.add(conversation, Message(answer_id, "user", request.message, request.message))
            response = self._answer(request, conversation, answer_id, on_text)
            answer = Message(answer_id, "assistant", response.content, response.question, response.is_answer)
            self._conversations.add(conversation, answer)
        or_logged(partial(self._served.add, request, response), None)
        return response

    def give_feedback(
        self,
        answer_id: str,
        rating: int,
        *,
        user_id: str | None = None,
        correction: str | None = None,
        right_source: str | None = None,
    ) -> None:
        """Record what the user who got an answer says about it.

        Args:
            answer_id: That of the response.
            rating: 1 or -1.
            user_id: The user of the request.
            correction: The right answer.
            right_source: The id of the document that holds it.

        Raises:
            RequestError: The rating is neither, or the answer is unknown or another user's.

        """
        self._served.judge(answer_id, rating, user_id, correction, right_source)

    def served_questions(self) -> pa.Table:
        """Return all questions that were served, in every process, with answers, costs and feedback, oldest first."""
        return self._served.table(self._session.store / "llm_calls")

    def search_knowledge_base(
        self, query: str, org_id: str | None, limit: int = DEFAULT_ITEMS, category: str | None = None
    ) -> ToolResult:
        """Return the best passages for `query`, for agents; `TOOL_SCHEMA` describes it to a language model.

        Args:
            query: A question or key words.
            org_id: The tenant who asks; mandatory, and the one whose documents are served here (corpus.org_id).
            limit: The largest number of passages, 1 to 50.
            category: A collection of documents to search alone.

        Raises:
            RequestError: An argument is missing or out of range, or another tenant asks.

        """
        with self._index.reading() as version:
            settings = overlaid(self.settings, self._runtime_values())
            return search_knowledge_base(version.parts, settings, query, org_id, limit, category)

    def _runtime_values(self) -> dict[str, Any]:
        return {key: found.value for key, found in or_logged(self._runtime.values, {}).items()}

    def _answer(
        self, request: AssistantRequest, conversation: Conversation, answer_id: str, on_text: OnText | None
    ) -> Response:
        timer = Timer(self._clock)
        question = self._complete(request.message, conversation, answer_id)
        settings = question_settings(self.settings, request, question, self._runtime_values())
        blank = Response(
            content="",
            question=question,
            session_id=conversation.session_id,
            answer_id=answer_id,
            timings_ms=timer.laps_ms,
        )
        timer.lap("understand")
        asked = Asked(question, _intent_of(question), conversation.turns, answer_id, on_text)
        if request.mode == "general":
            response = self._answer_generally(asked, settings, blank)
        else:
            response = self._documents.answer(asked, settings, request, blank, timer)
        timer.lap("answer")
        return response

    def _complete(self, message: str, conversation: Conversation, answer_id: str) -> str:
        """Return the message as it can be understood without the turns before it."""
        assistant = self.settings.assistant
        if assistant.follow_ups == "off":
            return message.strip()
        by_chat = assistant.follow_ups == "auto" and model_tier(self.settings).name in REWRITING_TIERS
        chat = make_chat(self._session) if by_chat else None
        rewrite = plain_chat(chat, self.settings.llm, STAGE) if chat is not None else None
        return complete_question(message.strip(), conversation.turns, rewrite, answer_id)

    def _answer_generally(self, asked: Asked, settings: Settings, response: Response) -> Response:
        chat = make_chat(self._session.overlaid(settings))
        if chat is None:
            none = f"llm.provider = {settings.llm.provider!r} is none"
            msg = f"mode 'general' needs a language model, and {none}; set llm.provider and llm.model"
            raise RequestError(msg)
        draft = generate_general(asked, settings, chat)
        return replace(response, content=draft.content, suggested_questions=draft.suggested_questions)


def _intent_of(question: str) -> str:
    """Return the intent of `question`; a statement without a keyword of summaries is one to be checked."""
    intent, confidence = classify_intent(question)
    return "FACTUAL" if intent == "SUMMARY" and confidence == BY_FORM else intent
