"""From a message to its response: what is asked, by which settings, and where the answer comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kohaku_lib.answering.cited.cited_writer import STAGE, intent_of, model_tier
from kohaku_lib.answering.cited.dialogue import Dialogue, Turn
from kohaku_lib.answering.cited.streaming import ShownText
from kohaku_lib.composition import overlaid
from kohaku_lib.conversation.asked_message import AskedMessage
from kohaku_lib.conversation.conversations import Conversation
from kohaku_lib.conversation.document_answers import DocumentAnswers
from kohaku_lib.conversation.general_answers import generate_general
from kohaku_lib.conversation.levels import question_values
from kohaku_lib.conversation.organisations import Organisation, merged_values
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.conversation.response.response import Response
from kohaku_lib.conversation.timer import Timer
from kohaku_lib.conversation.understanding.small_talk import small_talk_reply
from kohaku_lib.conversation.understanding.understand import Understood, understand
from kohaku_lib.conversation.vision import request_images, required_chat
from kohaku_lib.llm import plain_chat
from kohaku_lib.project.chat_models import make_chat
from kohaku_lib.project.session import Session
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Snippet
from kohaku_lib.text.inert_markdown import InertStream, inert_markdown

OnText = Callable[[str], object]
OnPassage = Callable[[Snippet], object]
REWRITING_TIERS = ("medium", "large")  # of chat models that complete follow-up questions better than the rules


class MessageAnswers:
    """Answers messages from the documents or by the language model alone; `clock` (seconds) is for timings."""

    def __init__(self, session: Session, documents: DocumentAnswers, clock: Callable[[], float]) -> None:
        self._session, self._documents, self._clock = session, documents, clock

    def answer(
        self,
        request: AssistantRequest,
        organisation: Organisation,
        conversation: Conversation,
        answer_id: str,
        on_text: OnText | None,
        on_passage: OnPassage | None,
    ) -> Response:
        """Return the response to the message of `request`, the next one of `conversation`, whose lock the caller holds.

        It is answered for `organisation`, who asks.

        Raises:
            RequestError: The mode needs a language model and there is none.
            InputFileError: No document fulfils the filter.
            CallError: The chat model fails.
        """
        timer = Timer(self._clock)
        chosen = merged_values(organisation, conversation.settings)
        base = overlaid(organisation.settings, chosen) if chosen else organisation.settings
        turns = conversation.turns[-base.assistant.history_turns :]
        understood = self._understood(request.message, turns, base, answer_id)
        question = understood.question
        values = question_values(organisation.settings, request, question, chosen)
        settings = overlaid(organisation.settings, values) if values else organisation.settings
        blank = Response(
            content="",
            question=question,
            session_id=conversation.session_id,
            answer_id=answer_id,
            timings_ms=timer.laps_ms,
            trace={"settings": values},
        )
        timer.lap("understand")
        images = request_images(request.images, settings.answer)
        shown = ShownText(InertStream(on_text).add) if on_text is not None else None
        intent = intent_of(question)
        dialogue = Dialogue(intent, turns, images, shown.add if shown is not None else None)
        asked = AskedMessage(question, answer_id, intent, dialogue, understood.otherwise, shown, on_passage)
        reply = small_talk_reply(question) if not images else None
        if request.mode == "general":
            response = self._answer_generally(asked, settings, blank)
        elif reply is not None:
            response = _said(reply, asked, blank)
        else:
            response = self._documents.answer(asked, settings, request, blank, timer)
        timer.lap("answer")
        suggested = tuple(map(inert_markdown, response.suggested_questions))
        return replace(response, content=inert_markdown(response.content), suggested_questions=suggested)

    def _understood(self, message: str, turns: Sequence[Turn], settings: Settings, answer_id: str) -> Understood:
        """Return the message as it can be understood without the turns before it."""
        if settings.assistant.follow_ups == "off":
            return Understood(message.strip())
        by_chat = settings.assistant.follow_ups == "auto" and model_tier(settings).name in REWRITING_TIERS
        chat = make_chat(self._session.overlaid(settings)) if by_chat else None
        rewrite = plain_chat(chat, settings.llm, STAGE) if chat is not None else None
        return understand(message, turns, rewrite, answer_id)

    def _answer_generally(self, asked: AskedMessage, settings: Settings, response: Response) -> Response:
        chat = required_chat(make_chat(self._session.overlaid(settings)), "general", settings)
        draft = generate_general(asked, settings, chat)
        return replace(response, content=draft.content, suggested_questions=draft.suggested_questions)


def _said(reply: str, asked: AskedMessage, response: Response) -> Response:
    """Return `response` with a reply to thanks, a greeting or a bare yes; nothing is searched for."""
    asked.show(reply)
    return replace(response, content=reply)
