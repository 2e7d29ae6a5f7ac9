"""A chat model's answer that the built-in reader checks, and completes where it is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.deepening import AnswerTrace
from kohaku_lib.answering.labels import READER
from kohaku_lib.tables import Question

_LEAST = 0.1  # likelihood of the line that a value comes from


def checked_by_reader(question: Question, outcome: AnswerTrace, read: Callable[[], AnswerTrace]) -> AnswerTrace:
    """Return a model's `outcome` with the likelihood of its value as confidence, or what `read` gives where that is better.

    `read` is called where the model has no value, one from a line that hardly answers the question, or one that no excerpt
    states. What it gives is taken if it is likelier right than not; else the outcome has no value. A warning stays.
    """
    answer = outcome.answer
    has_value = not is_blank_answer(answer)
    likelihood = _likelihood(question, outcome) if has_value else None
    if has_value and _is_enough(likelihood, outcome):
        return outcome if likelihood is None else replace(outcome, answer=replace(answer, confidence=likelihood))
    own = read()
    *earlier, last = outcome.attempts
    attempts = (*earlier, last | {"reader_value": own.answer.answer_value})
    if not is_blank_answer(own.answer) and (own.answer.confidence or 0.0) >= LIKELY:
        taken = replace(own.answer, warning=answer.error or answer.warning)
        return AnswerTrace(taken, own.snippets, attempts, replayed=outcome.replayed)
    kept = blank_answer(answer.error) if has_value else answer
    if kept.error:
        kept = replace(kept, written_by=READER)  # the passages that are shown are of its choice
    return AnswerTrace(kept, outcome.snippets, attempts, replayed=outcome.replayed)


def is_borne_out(question: Question, outcome: AnswerTrace) -> bool:
    """Return whether a model's value comes from a line that may answer the question, as far as the reader can tell."""
    return _is_enough(_likelihood(question, outcome), outcome)


def _likelihood(question: Question, outcome: AnswerTrace) -> float | None:
    from kohaku_lib.answering.closest.closest import answer_likelihood

    return answer_likelihood(question, outcome.answer, outcome.snippets)


def _is_enough(likelihood: float | None, outcome: AnswerTrace) -> bool:
    return not outcome.is_doubted if likelihood is None else likelihood >= _LEAST
