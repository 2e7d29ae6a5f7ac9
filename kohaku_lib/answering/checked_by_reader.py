"""A chat model's answer that the built-in reader checks, and completes where it is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.deepening import AnswerTrace
from kohaku_lib.tables import Question

_LEAST = 0.1  # likelihood of the line that a value comes from


def checked_by_reader(question: Question, outcome: AnswerTrace, read: Callable[[], AnswerTrace]) -> AnswerTrace:
    """Return a model's `outcome` with the likelihood of its value as confidence, or what `read` gives where that is better.

    `read` is called where the model has no value, one from a line that hardly answers the question, or one that no excerpt
    states. What it gives is taken if it is likelier right than not; else the outcome has no value. A warning stays.
    """
    from kohaku_lib.answering.closest.closest import answer_likelihood

    answer = outcome.answer
    has_value = not is_blank_answer(answer)
    likelihood = answer_likelihood(question, answer, outcome.snippets) if has_value else None
    if likelihood is not None and likelihood >= _LEAST:
        return replace(outcome, answer=replace(answer, confidence=likelihood))
    if has_value and likelihood is None and not outcome.is_doubted:
        return outcome
    own = read()
    *earlier, last = outcome.attempts
    attempts = (*earlier, last | {"reader_value": own.answer.answer_value})
    if not is_blank_answer(own.answer) and (own.answer.confidence or 0.0) >= LIKELY:
        taken = replace(own.answer, warning=answer.error or answer.warning)
        return AnswerTrace(taken, own.snippets, attempts, replayed=outcome.replayed)
    kept = blank_answer(answer.error) if has_value else answer
    return AnswerTrace(kept, outcome.snippets, attempts, replayed=outcome.replayed)
