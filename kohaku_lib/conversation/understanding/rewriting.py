"""Follow-ups that a chat model completes, as far as its reply can be trusted."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence

from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.understanding.wording import QUESTION_WORDS, WORD, content_words
from kohaku_lib.errors import ModelError
from kohaku_lib.prompts import follow_up as wording
from kohaku_lib.text.json_replies import strip_thinking
from kohaku_lib.text.stems import stem
from kohaku_lib.text.stop_words import filler_words

_LOG = logging.getLogger("kohaku")
CHAT_TURNS = 2  # shown to the model that rewrites
_ANSWER_CHARS = 500  # of each answer that is shown

Chat = Callable[[str, str, str], str]  # system, user, question id → text


def rewritten(message: str, turns: Sequence[Turn], chat: Chat, question_id: str = "") -> str | None:
    """Return `message` as a chat model completes it by the latest of `turns`; None where that is no such question.

    >>> turns = [Turn("Who maintains the model Gintaras-M?", "Milda Stankute")]
    >>> rewritten("Who owns it?", turns, lambda *_: "Question: Who owns the model Gintaras-M?")
    'Who owns the model Gintaras-M?'
    >>> rewritten("Who owns it?", turns, lambda *_: "Who owns the river regarding the model?")
    """
    turns = turns[-CHAT_TURNS:]
    shown = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer[:_ANSWER_CHARS]}" for turn in turns)
    try:
        reply = strip_thinking(chat(wording.SYSTEM, wording.USER.format(turns=shown, question=message), question_id))
    except ModelError as error:
        _LOG.warning("the follow-up question is completed by rule, as the chat model failed: %s", error)
        return None
    first = next((line.strip() for line in reply.splitlines() if line.strip()), "")
    question = _PREFIX.sub("", first).strip().strip('"')
    return question if _is_completion(question, message, f"{shown}\n{message}") else None


def _is_completion(question: str, message: str, said: str) -> bool:
    """Return whether `question` is one question that adds something to `message`, all of it from what was `said`."""
    own, asked = _stems(WORD.findall(question)), _stems([*content_words(message), *re.findall(r"\d+", message)])
    is_one = len(re.findall(r"[?.!](?=\s|$)", question)) <= 1 and len(question) <= len(said)
    return is_one and asked < own <= _stems(WORD.findall(said))


def _stems(tokens: Iterable[str]) -> set[str]:
    empty = filler_words("english") | filler_words("german") | QUESTION_WORDS
    return {stem(word) for word in map(str.lower, tokens) if word not in empty}


_PREFIX = re.compile(
    r"^(?:the\s+)?(?:(?:complete|standalone|rewritten|last)\s+)*(?:question|query)\s*:\s*", re.IGNORECASE
)
