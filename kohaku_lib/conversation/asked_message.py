"""A message as it is answered: what it asks, in which conversation, and who listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kohaku_lib.answering.cited.dialogue import Dialogue
from kohaku_lib.answering.cited.streaming import ShownText
from kohaku_lib.tables import Snippet


@dataclass(frozen=True, slots=True)
class AskedMessage:
    """A question as it was understood, and its conversation.

    `otherwise` is what the message can ask too, where that is not sure. `shown` is where its content appears as it becomes
    known, and `on_passage` is told the best passage before a chat model writes.
    """

    question: str
    question_id: str
    intent: str
    dialogue: Dialogue
    otherwise: str | None = None
    shown: ShownText | None = None
    on_passage: Callable[[Snippet], object] | None = None

    def show(self, content: str) -> None:
        """Show the whole content, or what of it is not shown yet."""
        if self.shown is not None:
            self.shown.finish(content)
