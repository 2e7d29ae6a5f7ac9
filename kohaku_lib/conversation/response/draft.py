"""An answer before it is judged: its content and the passages that it may cite."""

from __future__ import annotations

from dataclasses import dataclass

from kohaku_lib.answering.answer import Answer
from kohaku_lib.tables import Snippet


@dataclass(frozen=True, slots=True)
class Draft:
    """A content, the passages that its [Source N] number from 1, and whether it answers the question.

    `answer` is that of the engine; None where a chat model wrote the content.
    """

    content: str
    sources: tuple[Snippet, ...] = ()
    suggested_questions: tuple[str, ...] = ()
    is_answer: bool = True
    answer: Answer | None = None
