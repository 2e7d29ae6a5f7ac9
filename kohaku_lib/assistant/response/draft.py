"""An answer before it is judged: its content and the passages that it may cite."""

from __future__ import annotations

from dataclasses import dataclass

from kohaku_lib.tables import Snippet


@dataclass(frozen=True, slots=True)
class Draft:
    """A content, the passages that its [Source N] number from 1, and whether it answers the question.

    `confidence` is that of the reader in the value it read, 0 to 1; None where no value was read.
    """

    content: str
    sources: tuple[Snippet, ...] = ()
    suggested_questions: tuple[str, ...] = ()
    is_answer: bool = True
    confidence: float | None = None
