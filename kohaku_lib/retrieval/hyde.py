"""A hypothetical passage that would answer a question: its vector is nearer to real answers than the question's."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.prompts import hypothetical_passage as wording
from kohaku_lib.retrieval.plan_chat import UnusableReplyError
from kohaku_lib.text.json_replies import strip_thinking

MOST_CHARACTERS = 500
ABSTRACT_WORDS = 5  # a question with fewer says too little by itself


def hypothetical_passage(question: str, question_id: str, chat: Callable[[str, str, str], str]) -> str:
    """Return a passage of at most 500 characters, cut at the end of a word.

    Raises UnusableReplyError for an empty reply, and whatever `chat` raises. After Gao et al. (2022), HyDE.

    >>> hypothetical_passage("PUE?", "q1", lambda *_: "<think>hm</think> The PUE was 1.1.")
    'The PUE was 1.1.'
    """
    passage = " ".join(
        strip_thinking(chat(wording.SYSTEM, wording.USER.format(question=question), question_id)).split()
    )
    if not passage:
        msg = "a hypothetical passage must have a text, got an empty reply; try another planner.model"
        raise UnusableReplyError(msg)
    if len(passage) <= MOST_CHARACTERS:
        return passage
    return passage[: MOST_CHARACTERS + 1].rpartition(" ")[0] or passage[:MOST_CHARACTERS]


def is_abstract(question: str) -> bool:
    """Return whether `question` is too short to be near to its answers."""
    return len(question.split()) < ABSTRACT_WORDS
