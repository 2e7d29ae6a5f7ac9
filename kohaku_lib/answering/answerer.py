"""The answerer port, the configured answerer, and blank answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank


class Answerer(Protocol):
    """A thread-safe source of structured answers to a question from its snippets."""

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the answer to `question` from `snippets` (best first) in ensemble run `run` (from 0)."""
        ...

    def stop(self) -> None:
        """Start no further model calls; calls in flight finish."""
        ...


def build_answerer(
    settings: Settings, chat: ChatModel | None = None, read_images: ReadImages | None = None
) -> Answerer:
    """Return the answerer that `answer.by` and `answer.reader` name.

    Args:
        settings: All settings.
        chat: The chat model, if one answers.
        read_images: Returns the bytes of figures, for multimodal models.

    Raises:
        ModelError: The chat model is missing.
        InputFileError: A recorded run cannot be read.
        SettingsError: There is no recorded run to replay.

    """
    if settings.uses_chat:
        from kohaku_lib.answering.chat.chat_answerer import build_chat_answerer

        return build_chat_answerer(settings, chat, read_images)
    if settings.answered_by == "replay":
        from kohaku_lib.answering.replay import ReplayAnswerer

        return ReplayAnswerer(settings.replay.runs)
    if settings.answer.reader == "learned":
        from kohaku_lib.answering.extractive.reading_answerer import build_reading

        return build_reading(settings.answer)
    return reader_by_rules()


def reader_by_rules() -> Answerer:
    """Return the reader that needs no model."""
    from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer

    return ExtractiveAnswerer()


def is_blank_answer(answer: StructuredAnswer) -> bool:
    """Return whether `answer` has no value or cites no document.

    >>> is_blank_answer(StructuredAnswer("4 t", "4", (), "")), is_blank_answer(StructuredAnswer("4 t", "4", ("d",), ""))
    (True, False)
    """
    return is_blank(answer.answer_value) or not any(not is_blank(ref) for ref in answer.ref_id)


def blank_answer(error: str | None = None, raw_response: str | None = None) -> StructuredAnswer:
    """Return an abstention; `error` is the reason if a failure caused it.

    >>> blank_answer().answer_value
    'is_blank'
    """
    return StructuredAnswer(BLANK, BLANK, (), BLANK, error=error, raw_response=raw_response)
