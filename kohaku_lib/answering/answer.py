"""An answer as every door gives it: value, unit, words, citations, confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.answering.citing.other_values import OtherValue
from kohaku_lib.answering.citing.other_year import is_of_another_year
from kohaku_lib.answering.citing.quotes import Citation, cite, cite_nodes
from kohaku_lib.answering.citing.support import Support, support_of
from kohaku_lib.answering.closest.passage import LIKELY, Closest, ClosestPassage
from kohaku_lib.answering.deepening import AnswerTrace
from kohaku_lib.answering.extractive.numbers.written_unit import number_as_written, with_written_unit
from kohaku_lib.tables import Question
from kohaku_lib.text.inert_markdown import inert_markdown
from kohaku_lib.values import is_blank
from kohaku_lib.values.references import named_items

Outcome = Literal["value", "passage", "silent"]
Form = Literal["value", "text"]
SILENT, COMES_CLOSEST = "The documents do not say.", "This passage comes closest:"
NEEDS_WHOLE = "No single row or item answers this: it takes the whole table or list."
OTHERWISE = "Other documents say otherwise:"
NO_TRACE = AnswerTrace(blank_answer())  # of an answer that is kept without its passages and replies


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with its citations.

    `form` tells whether `text` is the value or a text whose [Source N] is the N-th of `citations`.
    `outcome` tells what is given: a value; where none is sure, the passage that likelier answers than not; else silence.
    `confidence` is how likely that is right, 0 to 1, None where unknown. `value` is None where the documents support none.
    `unit` is the one that was asked for, else the one that a bare number has in its quote or column. `passages` are the
    nearest ones, best first, where there is no sure value; `needs_whole` tells that only all rows of a table or items of a list
    together answer. `other_values` are those that other documents state instead, in the same words. `lost_channels` are those
    that could not be searched, each with the reason. `answered_by` names the model that answered, or the built-in reader;
    `warning` tells why an answer is doubtful. With `is_cited_by_node` the JSON's references are ids of nodes. `trace` tells how
    the answer came about.
    """

    question: str
    text: str
    value: str | None
    form: Form = "value"
    unit: str | None = None
    explanation: str = ""
    outcome: Outcome = "value"
    confidence: float | None = None
    passages: tuple[ClosestPassage, ...] = ()
    citations: tuple[Citation, ...] = ()
    other_values: tuple[OtherValue, ...] = ()
    needs_whole: bool = False
    answered_by: str = ""
    is_cited_by_node: bool = False
    error: str | None = None
    warning: str | None = None
    lost_channels: Mapping[str, str] = field(default_factory=dict)
    trace: AnswerTrace = NO_TRACE

    @property
    def is_blank(self) -> bool:
        """Whether the documents support no answer."""
        return self.value is None

    @property
    def ref_id(self) -> list[str]:
        """The ids of the cited documents, or of the cited nodes with `is_cited_by_node`, each once."""
        nodes = [citation.node_id if self.is_cited_by_node else None for citation in self.citations]
        refs = (node or citation.document_id for node, citation in zip(nodes, self.citations, strict=True))
        return list(dict.fromkeys(refs))

    def as_json(self) -> dict[str, Any]:
        """Return the answer as the JSON object of the server; no Markdown in what a model or document says is active."""
        return {
            "question": self.question,
            "outcome": self.outcome,
            "form": self.form,
            "answer": inert_markdown(self.text),
            "answer_value": self.value,
            "answer_unit": self.unit,
            "ref_id": self.ref_id,
            "explanation": inert_markdown(self.explanation),
            "confidence": self.confidence,
            "citations": [asdict(citation) for citation in self.citations],
            "other_values": [other.as_json() for other in self.other_values],
            "passages": [passage.as_json() for passage in self.passages],
            "needs_whole": self.needs_whole,
            "answered_by": self.answered_by,
            "error": self.error,
            "warning": None if self.warning is None else inert_markdown(self.warning),
            "lost_channels": dict(self.lost_channels),
        }


def answer_of(
    question: Question,
    trace: AnswerTrace,
    lost_channels: Mapping[str, str] | None = None,
    share: float = 1.0,
    *,
    form: Form = "value",
    as_recorded: bool = False,
) -> Answer:
    """Return the answer in `trace`; its confidence is times `share`, the weight of the channels that were not lost.

    What has no value or cites no document is blank throughout. A text has a citation for each node that it cites, in the order
    of their numbers, a value one for each document. `as_recorded` keeps value and references unchanged even if
    one of them is missing.

    >>> from kohaku_lib.tables import Snippet, StructuredAnswer
    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg in all.", 1, 1.0)
    >>> read = StructuredAnswer("4", "4", ("d",), "", quote="It weighs 4 kg in all.", confidence=0.8)
    >>> found = answer_of(Question("q", "How heavy is it?"), AnswerTrace(read, (snippet,)), share=0.5)
    >>> found.value, found.unit, found.text, found.confidence, found.citations[0].page
    ('4', 'kg', '4 kg', 0.4, 1)
    >>> read = StructuredAnswer('["Ann", "Bo"]', '["Ann", "Bo"]', ("d",), "", quote="Ann and Bo lift it.")
    >>> found = answer_of(Question("q", "Who lifts it?"), AnswerTrace(read, (snippet,)))
    >>> found.text, found.unit
    ('Ann, Bo', None)
    """
    answer = trace.answer
    if is_blank_answer(answer) and not as_recorded:
        answer = replace(blank_answer(answer.error, answer.raw_response), warning=answer.warning)
        trace = replace(trace, answer=answer)
    value = answer.answer_value
    if form == "text":
        citations = cite_nodes(answer.cited_nodes, answer.quote, trace.snippets, value)
    else:
        citations = cite(answer.ref_id, answer.quote, trace.snippets, answer.cited_nodes, value)
    supports = (_support(question, value, citation, trace) for citation in citations)
    text, unit = answer.answer or value, question.unit
    if text == value and (items := named_items(value)) and not as_recorded:
        text = ", ".join(items)
    elif unit is None and text == value and not as_recorded:
        text = with_written_unit(text, answer.quote, _passage(citations, trace))
        unit = text.replace(number_as_written(value, answer.quote), "", 1).strip() or None
    return Answer(
        question=question.text,
        text=text,
        value=None if is_blank(value) else value,
        form=form,
        outcome="silent" if is_blank(value) else "value",
        unit=None if is_blank(value) else unit,
        explanation=answer.explanation or answer.quote or answer.answer or value,
        confidence=None if answer.confidence is None else answer.confidence * share,
        citations=tuple(
            replace(citation, supports_value=support.states_value, converted_from=support.converted_from)
            for citation, support in zip(citations, supports, strict=True)
        ),
        error=answer.error if is_blank_answer(answer) else None,
        warning=answer.warning,
        lost_channels=lost_channels or {},
        trace=trace,
    )


def answer_by_passages(answer: Answer, closest: Closest) -> Answer:
    """Return an answer that has no sure value with the passages closest to its question.

    The first takes the place of the value if it likely answers, and of a blank if it is likelier to answer than silence is to
    be right, unless it is about another year; else a value that there is stays, and a blank is silence.
    How likely silence is right is unknown where the answer failed, a search channel was lost, or only all rows together answer.
    """
    best = next(iter(closest.passages), None)
    least = LIKELY if not answer.is_blank or closest.needs_whole or closest.silence is None else closest.silence
    is_of_other = best is not None and is_of_another_year(answer.question, best.text)
    if best is not None and best.score >= least and not is_of_other and answer.error is None:
        kind, text, confidence = "passage", best.text, best.score
    elif not answer.is_blank:
        return answer
    else:
        is_known = answer.error is None and not answer.lost_channels and not closest.needs_whole
        text = answer.error or (NEEDS_WHOLE if closest.needs_whole else SILENT)
        kind, confidence = "silent", closest.silence if is_known else None
    told = {
        "text": text,
        "explanation": text,
        "confidence": confidence,
        "passages": closest.passages,
        "needs_whole": closest.needs_whole,
    }
    return replace(without_value(answer), outcome=kind, **told)


def without_value(answer: Answer) -> Answer:
    """Return an answer as one that the documents support no value for."""
    return replace(answer, value=None, form="value", unit=None, citations=(), other_values=(), outcome="silent")


def failed_answer(question: Question, error: str) -> Answer:
    """Return the blank answer to a question that failed with `error`."""
    return answer_of(question, AnswerTrace(blank_answer(error)))


def _support(question: Question, value: str, citation: Citation, trace: AnswerTrace) -> Support:
    """Return whether the quote of a citation states the value, else whether its whole excerpt does, as a quote may paraphrase.

    A quote that was not found states nothing.
    """
    if citation.quote is None:
        return Support(None)
    quoted = support_of(question, value, citation.quote) if citation.quote_found else Support(None)
    excerpt = next((one.text for one in trace.snippets if one.node_id == citation.node_id), "")
    return quoted if quoted.states_value or not excerpt else support_of(question, value, excerpt)


def _passage(citations: tuple[Citation, ...], trace: AnswerTrace) -> str:
    """Return the text of the passage that holds the quote; empty if none does."""
    quoted = next((one.node_id for one in citations if one.quote_found), None)
    return next((snippet.text for snippet in trace.snippets if snippet.node_id == quoted), "")
