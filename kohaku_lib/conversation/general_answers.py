"""Answers by the chat model alone, without documents."""

from __future__ import annotations

from dataclasses import replace

from kohaku_lib.answering.cited.cited_writer import model_tier, text_request, token_budget, turns_block
from kohaku_lib.answering.cited.replies import parse_reply
from kohaku_lib.answering.cited.streaming import ShownReply
from kohaku_lib.conversation.asked_message import AskedMessage
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.llm import ChatModel
from kohaku_lib.prompts import cited_answer as wording
from kohaku_lib.settings import Settings


def generate_general(asked: AskedMessage, settings: Settings, chat: ChatModel) -> Draft:
    """Return the model's answer without documents.

    Raises:
        CallError: The call fails, or its reply was cut.
    """
    tier = model_tier(settings)
    budget = token_budget(settings, tier, wording.GENERAL, 0)
    user = f"{turns_block(asked.dialogue.turns, budget, tier)}Question: {asked.question}"
    on_text = None if asked.shown is None else ShownReply(asked.shown, 0).add
    request = text_request(asked.question_id, settings, wording.GENERAL, user, budget)
    reply = chat.complete(replace(request, on_text=on_text))
    parsed = parse_reply(reply.text, 0)
    asked.show(parsed.content)
    return Draft(parsed.content, (), parsed.suggested_questions)
