"""What stands around a question in a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kohaku_lib.llm import ImagePart


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was understood, and the text of its answer; empty where there was none."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The intent of a question, the turns before it (oldest first), the images that came with it, and who listens.

    Without an intent it is classified by rule. `on_text` is called with each part of a text that has been checked, while it is
    written.
    """

    intent: str | None = None
    turns: Sequence[Turn] = ()
    images: tuple[ImagePart, ...] = ()
    on_text: Callable[[str], object] | None = None
