"""The answerer that reads with a small model and leaves blank what is likelier wrong than right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.answering.closest.ranking import MOST_PASSAGES, RankedLine, ranked_lines
from kohaku_lib.answering.extractive.claims.claims import judge_claim
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.written_unit import as_written
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.roles import find_holders
from kohaku_lib.answering.extractive.reader.row_lists import find_rows
from kohaku_lib.answering.extractive.reader.steps import steps_of
from kohaku_lib.settings import AnswerSettings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank, is_claim


def build_reading(settings: AnswerSettings) -> ReadingAnswerer:
    """Return the answerer that reads, with no language model."""
    return ReadingAnswerer(settings.wrong_answer_penalty, settings.read_passages)


class ReadingAnswerer:
    """Answers from the snippets alone, without a language model or network access.

    A small model reads. A question of yes or no has no value, and so the passage that answers it is shown; "True or false: …"
    alone gets a verdict, by rules. Differences and sums are worked out from values that are read one by one. An answer that is
    likelier wrong than `wrong_answer_penalty` allows is blank.
    """

    def __init__(self, wrong_answer_penalty: float = 1.5, read_passages: int = MOST_PASSAGES) -> None:
        self._wrong_cost, self._most = wrong_answer_penalty, read_passages

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the likeliest value with its quote, or a blank answer if it is likelier wrong than its cost allows.

        Args:
            question: The question.
            snippets: The context, best first.
            run: Ignored; every run returns the same answer.

        """
        form = read_question(question)
        best = self._find(form, question, snippets)
        if best is None or best.confidence < least_confidence(form, self._wrong_cost):
            return StructuredAnswer(BLANK, BLANK, (), BLANK, None, 0.0)
        return _answer_from(form, question, best)

    def stop(self) -> None:
        """Do nothing: there are no model calls."""

    def _find(self, form: QuestionForm, question: Question, snippets: Sequence[Snippet]) -> Finding | None:
        if form.kind == "claim" and not is_claim(question.text):
            return None
        if form.kind == "claim":
            return _verdict(form, ranked_lines(question, snippets, self._most))
        steps = steps_of(question.text)
        if steps is not None:
            worked_out = steps.result([self._read_step(text, question, snippets) for text in steps.questions])
            if worked_out is not None:
                return worked_out
        return read_value(form, question, snippets, self._most)

    def _read_step(self, text: str, question: Question, snippets: Sequence[Snippet]) -> Finding | None:
        step = replace(question, text=text)
        return read_value(read_question(step), step, snippets, self._most)


def read_value(
    form: QuestionForm, question: Question, snippets: Sequence[Snippet], most: int = MOST_PASSAGES
) -> Finding | None:
    """Return the value of the likeliest line that has one of the asked kind; None where none has.

    Rows that share a cell which the question names, and people listed with a role, are found by their place.
    """
    listed = find_rows(question.text, snippets) or find_holders(Asked.of(form, question.text), snippets)
    if listed is not None:
        return listed
    for one in ranked_lines(question, snippets, most):
        if one.line.value is not None and one.value_right is not None:
            return _finding(one, one.line.value, one.value_right)
    return None


def least_confidence(form: QuestionForm, wrong_answer_penalty: float) -> float:
    """Return from which confidence on an answer is given; half of all verdicts are right by chance.

    >>> least_confidence(read_question(Question("q", "How long is it?")), 1.5)
    0.6
    >>> least_confidence(read_question(Question("q", "True or false: it is long.")), 1.5)
    0.8
    """
    share = wrong_answer_penalty / (1.0 + wrong_answer_penalty)
    return (1.0 + share) / 2.0 if form.kind == "claim" else share


def _verdict(form: QuestionForm, ranked: Sequence[RankedLine]) -> Finding | None:
    """Return the verdict on a claim by the lines that come closest, quoting the closest."""
    verdict = judge_claim(form, [one.line.line.quote for one in ranked])
    return None if verdict is None else _finding(ranked[0], verdict, _VERDICT_RIGHT[verdict])


def _finding(ranked: RankedLine, value: str, confidence: float) -> Finding:
    line = ranked.line
    return Finding(value, line.line.quote, (line.passage.snippet.document_id,), confidence)


def _answer_from(form: QuestionForm, question: Question, finding: Finding) -> StructuredAnswer:
    """Return the answer that a finding gives; a value that reads as a blank, as the country code NA, in quotation marks."""
    value = f'"{finding.value}"' if is_blank(finding.value) else finding.value
    return StructuredAnswer(
        answer=value if value != finding.value else _in_words(form, question, finding),
        answer_value=value,
        ref_id=finding.document_ids,
        explanation=finding.quote,
        quote=finding.quote,
        confidence=finding.confidence,
    )


def _in_words(form: QuestionForm, question: Question, finding: Finding) -> str:
    if form.kind == "claim":
        return "True" if finding.value == "1" else "False"
    if question.unit:
        return f"{finding.value} {question.unit}" if form.unit is not None else finding.value
    return as_written(finding.value, finding.quote) if form.kind == "number" else finding.value


# Measured on the 773 claims of SciFact over their abstracts, two thirds of which are true (benchmarks/reading_elsewhere.py).
_VERDICT_RIGHT = {"1": 0.75, "0": 0.55}
