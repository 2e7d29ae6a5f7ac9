"""From a message to its response: what is asked, by which settings, and where the answer comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kohaku_lib.assistant.conversations import Conversation, or_logged
from kohaku_lib.assistant.document_answers import DocumentAnswers
from kohaku_lib.assistant.follow_ups import complete_question
from kohaku_lib.assistant.generation import STAGE, Asked, generate_general, model_tier
from kohaku_lib.assistant.levels import question_settings
from kohaku_lib.assistant.memory.runtime_settings import RuntimeSettings
from kohaku_lib.assistant.request import AssistantRequest, RequestError
from kohaku_lib.assistant.response.response import Response
from kohaku_lib.assistant.timer import Timer
from kohaku_lib.llm import plain_chat
from kohaku_lib.retrieval.planning.routing import BY_FORM, classify_intent
from kohaku_lib.service.chat_models import make_chat
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings

OnText = Callable[[str], object]
REWRITING_TIERS = ("medium", "large")  # of chat models that complete follow-up questions better than the rules


class MessageAnswers:
    """Answers messages from the documents or by the language model alone; `clock` (seconds) is for timings."""

    def __init__(
        self, session: Session, documents: DocumentAnswers, runtime: RuntimeSettings, clock: Callable[[], float]
    ) -> None:
        self._session, self._documents, self._runtime, self._clock = session, documents, runtime, clock

    def answer(
        self, request: AssistantRequest, conversation: Conversation, answer_id: str, on_text: OnText | None
    ) -> Response:
        """Return the response to the message of `request`, the next one of `conversation`, whose lock the caller holds.

        Raises:
            RequestError: The mode needs a language model and there is none.
            InputFileError: No document fulfils the filter.
            CallError: The chat model fails.
        """
        timer = Timer(self._clock)
        question = self._complete(request.message, conversation, answer_id)
        settings = question_settings(self._session.settings, request, question, runtime_values(self._runtime))
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
        assistant = self._session.settings.assistant
        if assistant.follow_ups == "off":
            return message.strip()
        by_chat = assistant.follow_ups == "auto" and model_tier(self._session.settings).name in REWRITING_TIERS
        chat = make_chat(self._session) if by_chat else None
        rewrite = plain_chat(chat, self._session.settings.llm, STAGE) if chat is not None else None
        return complete_question(message.strip(), conversation.turns, rewrite, answer_id)

    def _answer_generally(self, asked: Asked, settings: Settings, response: Response) -> Response:
        chat = make_chat(self._session.overlaid(settings))
        if chat is None:
            none = f"llm.provider = {settings.llm.provider!r} is none"
            msg = f"mode 'general' needs a language model, and {none}; set llm.provider and llm.model"
            raise RequestError(msg)
        draft = generate_general(asked, settings, chat)
        return replace(response, content=draft.content, suggested_questions=draft.suggested_questions)


def runtime_values(runtime: RuntimeSettings) -> dict[str, Any]:
    """Return the runtime values by key; none where the database fails, which is logged."""
    return {key: found.value for key, found in or_logged(runtime.values, {}).items()}


def _intent_of(question: str) -> str:
    """Return the intent of `question`; a statement without a keyword of summaries is one to be checked."""
    intent, confidence = classify_intent(question)
    return "FACTUAL" if intent == "SUMMARY" and confidence == BY_FORM else intent
