"""The answerer port, and blank answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank

LOW_CONFIDENCE = 0.3  # of a chat model's guess, and of a value that no excerpt states


class Answerer(Protocol):
    """A thread-safe source of structured answers to a question from its snippets."""

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the answer to `question` from `snippets` (best first) in ensemble run `run` (from 0)."""
        ...

    def stop(self) -> None:
        """Start no further model calls; calls in flight finish."""
        ...


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


def warned(answer: StructuredAnswer, warning: str | None) -> StructuredAnswer:
    """Return `answer` with a further warning behind the one that it has; as it is for None.

    >>> warned(warned(blank_answer(), "The prompt was cut."), "No passage states it.").warning
    'The prompt was cut. No passage states it.'
    """
    return replace(answer, warning=" ".join(filter(None, (answer.warning, warning))) or None)
