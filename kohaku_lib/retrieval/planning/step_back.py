"""Step-back questions: more general questions whose answers are background for the question."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.prompts import broader_question as wording
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.text.json_replies import strip_thinking

MOST_CHARACTERS = 300


def broader_question(question: str, question_id: str, chat: Callable[[str, str, str], str]) -> str:
    """Return a more general question than `question`. After Zheng et al. (2023), step-back prompting.

    Raises:
        UnusableReplyError: The reply is empty, too long, or the same question.

    >>> broader_question("Why did the PUE of site B fall in 2021?", "q1", lambda *_: "What determines a PUE?")
    'What determines a PUE?'
    """
    reply = " ".join(strip_thinking(chat(wording.SYSTEM, wording.USER.format(question=question), question_id)).split())
    if not reply or len(reply) > MOST_CHARACTERS or reply.casefold() == question.strip().casefold():
        msg = f"a step back must be one other question, got {reply[:80]!r}; try another planner.model"
        raise UnusableReplyError(msg)
    return reply
