"""The answerer that reads with a small model and leaves blank what is likelier wrong than right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.answering.closest.ranking import MOST_PASSAGES, ranked_lines
from kohaku_lib.answering.extractive.answerer import (
    answer_from,
    find_by_rule,
    may_have_value,
    supported,
    unsupported_answer,
)
from kohaku_lib.answering.extractive.calculation import find_calculated
from kohaku_lib.answering.extractive.claims.polarity import negations_in
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.numbers import find_number
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.roles import find_holders
from kohaku_lib.answering.extractive.reader.row_lists import find_rows
from kohaku_lib.answering.extractive.reader.steps.asked import steps_of
from kohaku_lib.answering.extractive.reader.steps.steps import Steps
from kohaku_lib.answering.extractive.text import content_stems
from kohaku_lib.settings import AnswerSettings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import values_equal


def build_reading(settings: AnswerSettings) -> ReadingAnswerer:
    """Return the answerer that reads, with no language model."""
    return ReadingAnswerer(settings.wrong_answer_penalty, settings.read_passages)


class ReadingAnswerer:
    """Answers from the snippets alone, without a language model or network access.

    Claims after "True or False:" and choices are judged by rules; all else is read by a small model, whose answer gives way to
    that of the rules where theirs is the surer one. A question of yes or no has no value, and so the passage that answers it is
    shown. Differences and sums are worked out from values that are read one by one. An answer that is likelier wrong than
    `wrong_answer_penalty` allows is blank.
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
            return unsupported_answer()
        return answer_from(form, question, best)

    def stop(self) -> None:
        """Do nothing: there are no model calls."""

    def _find(self, form: QuestionForm, question: Question, snippets: Sequence[Snippet]) -> Finding | None:
        if not may_have_value(form, question):
            return None
        steps = steps_of(question.text)
        if steps is not None:
            worked_out = steps.result([self._read_step(steps, text, question, snippets) for text in steps.questions])
            if worked_out is not None or form.kind in _JUDGED_KINDS:
                return _judged(worked_out) if form.kind in _JUDGED_KINDS else worked_out
        evidence = gather_evidence(form, snippets)
        if form.operation and evidence.sentences:
            calculated = supported(form, evidence, find_calculated(form, evidence))
            return calculated or surer(None, supported(form, evidence, find_number(form, evidence)))
        by_rule = find_by_rule(form, evidence)
        if form.kind == "claim":
            return _stated(form, by_rule)
        if form.kind == "choice":
            return by_rule
        return surer(read_value(form, question, snippets, self._most), by_rule)

    def _read_step(self, steps: Steps, text: str, question: Question, snippets: Sequence[Snippet]) -> Finding | None:
        step = replace(question, text=text, unit=steps.unit or question.unit)
        return read_value(read_question(step), step, snippets, self._most)


def read_value(
    form: QuestionForm, question: Question, snippets: Sequence[Snippet], most: int = MOST_PASSAGES
) -> Finding | None:
    """Return the value of the line that likeliest answers; None if it has none of the asked kind.

    Rows that share a cell which the question names, and people listed with a role, are found by their place.
    """
    listed = find_rows(question.text, snippets) or find_holders(Asked.of(form, question.text), snippets)
    if listed is not None:
        return listed
    best = next(iter(ranked_lines(question, snippets, most)), None)
    if best is None or best.value_right is None or best.line.value is None:
        return None
    return Finding(best.line.value, best.line.line.quote, (best.line.passage.snippet.document_id,), best.value_right)


def least_confidence(form: QuestionForm, wrong_answer_penalty: float) -> float:
    """Return from which confidence on an answer is given; half of the claims and choices are right by chance.

    >>> least_confidence(read_question(Question("q", "How long is it?")), 1.5)
    0.6
    >>> least_confidence(read_question(Question("q", "True or false: it is long.")), 1.5)
    0.8
    """
    share = wrong_answer_penalty / (1.0 + wrong_answer_penalty)
    return (1.0 + share) / 2.0 if form.kind in _JUDGED_KINDS else share


def surer(read: Finding | None, by_rule: Finding | None) -> Finding | None:
    """Return the answer that is likelier right: rules are right less often where the reader sees another answer.

    Where both give the same value, it is more likely than either says.

    >>> read, rule = Finding("4", "It weighs 4 kg.", ("d",), 0.5), Finding("6", "It has 6 legs.", ("d",), 0.8)
    >>> surer(read, rule).value, surer(read, Finding("4", "It weighs 4 kg.", ("d",), 0.75)).confidence
    ('4', 0.65)
    """
    if by_rule is None:
        return read
    if read is not None and values_equal(read.value, by_rule.value):
        together = 1.0 - (1.0 - read.confidence) * (1.0 - _SHARE_IN_ACCORD * by_rule.confidence)
        return replace(read, confidence=together)
    doubted = replace(by_rule, confidence=_SHARE_ALONE * by_rule.confidence)
    return doubted if read is None or read.confidence < doubted.confidence else read


def _stated(form: QuestionForm, by_rule: Finding | None) -> Finding | None:
    """Return the verdict of the rules on a claim, unless its quote is a heading, or denies something where it says "true"."""
    if by_rule is None or not _STATEMENT.search(by_rule.quote):
        return None
    clause = max(_CLAUSE_END.split(by_rule.quote), key=lambda one: len(set(form.stems) & set(content_stems(one))))
    is_denied = by_rule.value == "1" and negations_in(clause) > 0 and not negations_in(form.text)
    return None if is_denied else by_rule


def _judged(comparison: Finding | None) -> Finding | None:
    """Return a comparison with the confidence of a judgement, which is right half of the time where its value is wrong."""
    return None if comparison is None else replace(comparison, confidence=0.5 + comparison.confidence / 2)


_CLAUSE_END = re.compile(r"[,;:.] |\b(?:but|aber|sondern)\b")
_STATEMENT = re.compile(r"[.!?;][\"”’)]*\s*$|\|")  # a sentence or a row
_JUDGED_KINDS = frozenset({"claim", "choice"})
# Measured on the seen half of benchmarks/trust.py: how much of its confidence a rule keeps on documents that no rule was
# made on, alone and where the reader gives the same value.
_SHARE_ALONE, _SHARE_IN_ACCORD = 0.55, 0.4
