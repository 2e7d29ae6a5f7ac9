"""The built-in default answerer: extraction from the snippets, without a language model."""

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
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import values_equal

BLANK = "is_blank"


def build_extractive(settings: Settings, chat: ChatModel | None, read_images: ReadImages | None) -> ExtractiveAnswerer:
    """Return the answerer that needs no language model."""
    return ExtractiveAnswerer(settings.answer.wrong_cost)


class ExtractiveAnswerer:
    """Answers from the snippets alone, without a language model or network access; deterministic.

    Claims and choices are judged by rules, and so are differences; all else is read by a small model, whose answer gives
    way to that of the rules where theirs is the surer one. An answer that is likelier wrong than `wrong_cost` allows is
    blank.
    """

    def __init__(self, wrong_cost: float = 1.0) -> None:
        self._least = wrong_cost / (1.0 + wrong_cost)

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the best supported value with its quote, or a blank answer if the support is too weak.

        Args:
            question: The question.
            snippets: The context, best first.
            run: Ignored; every run returns the same answer.

        """
        form = read_question(question)
        best = _best_finding(form, question, snippets)
        if best is None or not self._is_sure_enough(form, best):
            return _blank_answer()
        return StructuredAnswer(
            answer=_format_answer(form, question, best),
            answer_value=best.value,
            ref_id=best.document_ids,
            explanation=best.quote,
            quote=best.quote,
            confidence=best.confidence,
        )

    def stop(self) -> None:
        """Do nothing: there are no model calls."""

    def _is_sure_enough(self, form: QuestionForm, finding: Finding) -> bool:
        """Return whether a finding is right often enough; half of the claims and choices are right by chance."""
        share = 2.0 * finding.confidence - 1.0 if form.kind in _JUDGED_KINDS else finding.confidence
        return share >= self._least


def surer(read: Finding | None, by_rule: Finding | None) -> Finding | None:
    """Return the answer that is likelier right: rules are right less often where the reader sees another answer.

    Where both give the same value, it is more likely than either says.
    """
    if by_rule is None:
        return read
    if read is not None and values_equal(read.value, by_rule.value):
        together = 1.0 - (1.0 - read.confidence) * (1.0 - _SHARE_IN_ACCORD * by_rule.confidence)
        return replace(read, confidence=together)
    doubted = replace(by_rule, confidence=_SHARE_ALONE * by_rule.confidence)
    return doubted if read is None or read.confidence < doubted.confidence else read


_JUDGED_KINDS = frozenset({"claim", "choice"})
# Measured on the seen half of benchmarks/trust.py: how much of its confidence a rule keeps on documents that no rule was
# made on, alone and where the reader gives the same value.
_SHARE_ALONE, _SHARE_IN_ACCORD = 0.55, 0.4


def _best_finding(form: QuestionForm, question: Question, snippets: Sequence[Snippet]) -> Finding | None:
    evidence = gather_evidence(form, snippets)
    calculated = find_calculated(form, evidence) if form.operation and evidence.sentences else None
    if calculated is not None or form.kind in _JUDGED_KINDS:
        return _calibrated(form, evidence, calculated or _find_answer(form, evidence))
    read = None if form.operation else load_reader().find(form, question.text, snippets)
    return surer(read, _calibrated(form, evidence, _find_answer(form, evidence)))


def _calibrated(form: QuestionForm, evidence: Evidence, finding: Finding | None) -> Finding | None:
    if finding is None or is_unsupported(form, evidence, finding):
        return None
    return replace(finding, confidence=calibrated_confidence(form.kind, finding))


def _find_answer(form: QuestionForm, evidence: Evidence) -> Finding | None:
    if not evidence.sentences:
        return None
    return _FINDERS[form.kind](form, evidence)


_FINDERS = {
    "claim": judge_claim,
    "number": find_number,
    "year": find_number,
    "choice": choose_option,
    "name": find_name,
}


def _format_answer(form: QuestionForm, question: Question, finding: Finding) -> str:
    if form.kind == "claim":
        return "True" if finding.value == "1" else "False"
    return f"{finding.value} {question.unit}" if form.unit is not None and question.unit else finding.value


def _blank_answer() -> StructuredAnswer:
    return StructuredAnswer(BLANK, BLANK, (), BLANK, None, 0.0)
