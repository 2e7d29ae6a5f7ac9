"""The built-in default answerer: extraction from the snippets, without reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.answering.extractive.abstention import is_unsupported
from kohaku_lib.answering.extractive.calculation import find_calculated
from kohaku_lib.answering.extractive.choices.choices import choose_option
from kohaku_lib.answering.extractive.claims.claims import judge_claim
from kohaku_lib.answering.extractive.confidence import calibrated_confidence
from kohaku_lib.answering.extractive.evidence.evidence import Evidence, gather_evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.names.names import find_name
from kohaku_lib.answering.extractive.numbers.numbers import find_number
from kohaku_lib.answering.extractive.numbers.written_unit import as_written
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank, is_claim


class ExtractiveAnswerer:
    """Answers from the snippets alone, without a model or network access; deterministic."""

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the best supported value with its quote, or a blank answer if the support is too weak.

        Args:
            question: The question.
            snippets: The context, best first.
            run: Ignored; every run returns the same answer.

        """
        form = read_question(question)
        finding = find_by_rule(form, gather_evidence(form, snippets)) if may_have_value(form, question) else None
        return unsupported_answer() if finding is None else answer_from(form, question, finding)

    def stop(self) -> None:
        """Do nothing: there are no model calls."""


def may_have_value(form: QuestionForm, question: Question) -> bool:
    """Return whether a question may have a value: of those of yes or no "True or False: …" alone, the form of WattBot's claims.

    Rules that judge a sentence were measured on claims of papers, and are wrong too often on a question of everyday life:
    that is answered by the sentence that decides it.

    >>> text = "Can I return an opened box?"
    >>> may_have_value(read_question(Question("q", text)), Question("q", text))
    False
    """
    return form.kind != "claim" or is_claim(question.text)


def find_by_rule(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the answer of the rules with its calibrated confidence; None if nothing supports one."""
    return supported(form, evidence, _FINDERS[form.kind](form, evidence)) if evidence.sentences else None


def supported(form: QuestionForm, evidence: Evidence, finding: Finding | None) -> Finding | None:
    """Return a finding of the rules with its calibrated confidence; None if it is too weakly supported."""
    if finding is None or is_unsupported(form, evidence, finding):
        return None
    return replace(finding, confidence=calibrated_confidence(form.kind, finding))


def answer_from(form: QuestionForm, question: Question, finding: Finding) -> StructuredAnswer:
    """Return the answer to `question` that a finding gives.

    A value that reads as a blank, such as the country code NA, is given in quotation marks.
    """
    value = f'"{finding.value}"' if is_blank(finding.value) else finding.value
    return StructuredAnswer(
        answer=value if value != finding.value else _format_answer(form, question, finding),
        answer_value=value,
        ref_id=finding.document_ids,
        explanation=finding.quote,
        quote=finding.quote,
        confidence=finding.confidence,
    )


def unsupported_answer() -> StructuredAnswer:
    """Return the answer where nothing supports one."""
    return StructuredAnswer(BLANK, BLANK, (), BLANK, None, 0.0)


def _find_amount(form: QuestionForm, evidence: Evidence) -> Finding | None:
    calculated = find_calculated(form, evidence) if form.operation else None
    return calculated or find_number(form, evidence)


_FINDERS = {
    "claim": judge_claim,
    "number": _find_amount,
    "year": find_number,
    "choice": choose_option,
    "name": find_name,
}


def _format_answer(form: QuestionForm, question: Question, finding: Finding) -> str:
    if form.kind == "claim":
        return "True" if finding.value == "1" else "False"
    if question.unit:
        return f"{finding.value} {question.unit}" if form.unit is not None else finding.value
    return as_written(finding.value, finding.quote) if form.kind == "number" else finding.value
