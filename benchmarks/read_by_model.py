"""What a learned reader (train_reader.py) answers in place of the rules, on the questions of two benchmarks.

    python benchmarks/read_by_model.py WEIGHTS [--data FOLDER] [--least 0.5]

It reads every passage of a context and takes the span of the passage that answers likeliest; claims are left to the
rules. Printed are, for the rules and for the model, the seen half of the trust benchmark, HotpotQA's names and the single
steps of MuSiQue. WEIGHTS is the reader.safetensors that train_reader.py wrote; answers below --least are blank.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reader_model import Reading, SpanModel, load_model
from reader_passages import Cell, Line, Passage, passages_of
from reading_elsewhere import hotpot_names, musique_steps, report_spans
from shared_data import data_parser
from trust import index_half, judge, report
from trust_truth import read_asked

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.answerer import BLANK, ExtractiveAnswerer
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.formatting import format_value
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.units import convert, without_counted_denominator
from kohaku_lib.answering.extractive.question.question import QuestionForm, read_question
from kohaku_lib.kinds import PROVIDERS, ProviderKind
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.text.units import Unit, find_unit

MOST_PASSAGES = 40


def main() -> None:
    """Answer by the rules, then by the model, and print both."""
    arguments = _arguments()
    rules = ExtractiveAnswerer()
    by_model = ModelAnswerer(load_model(arguments.weights), rules, arguments.least)
    PROVIDERS.register(ProviderKind("model", lambda settings, chat, read_images: by_model))
    seen = [one for one in read_asked() if one.half == "seen"]
    answerers: tuple[tuple[str, Answerer], ...] = (("extractive", rules), ("model", by_model))
    with tempfile.TemporaryDirectory() as folder:
        home = index_half("seen", Path(folder) / "seen")
        for provider, answerer in answerers:
            print(f"\n{provider}:")
            report(judge(home, seen, provider=provider), in_detail=True)
            print("\n| questions over their own paragraphs | n | exact | F1 | blank |\n|---|---|---|---|---|")
            report_spans("HotpotQA, names and spans", hotpot_names(arguments.data), answerer)
            report_spans("MuSiQue, its single steps", list(musique_steps(arguments.data)), answerer)


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """Answers by the model; claims by the rules, and nothing below the probability `least` of having an answer."""

    model: SpanModel
    rules: Answerer
    least: float

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the span of the passage that answers likeliest, with the sentence or row that holds it."""
        form = read_question(question)
        if form.kind == "claim":
            return self.rules.answer(question, snippets, run)
        finding = read_answer(self.model, question, form, snippets)
        if finding is None or finding.confidence < self.least:
            return StructuredAnswer(BLANK, BLANK, (), BLANK, None, 0.0)
        value, quote = finding.value, finding.quote
        return StructuredAnswer(value, value, finding.document_ids, quote, quote, finding.confidence)

    def stop(self) -> None:
        """Do nothing: there are no calls."""


def read_answer(
    model: SpanModel, question: Question, form: QuestionForm, snippets: Sequence[Snippet]
) -> Finding | None:
    """Return the likeliest answer of a kind that fits the question, with the probability that its passage answers it.

    A number must be of the asked unit, or convert to it. None if no passage has a span that fits.
    """
    passages = passages_of(snippets)[:MOST_PASSAGES]
    if not passages:
        return None
    readings = model.read(question.text, [(passage.text, passage.start) for passage in passages])
    ranked = sorted(zip(readings, passages, strict=True), key=lambda pair: -pair[0].has_answer)
    for reading, passage in ranked:
        found = _located(reading, passage)
        value = None if found is None else _value(form, found)
        if found is not None and value is not None:
            return Finding(
                value,
                found.line.quote,
                (passage.snippet.document_id,),
                reading.has_answer,
                reading.share,
            )
    return None


@dataclass(frozen=True, slots=True)
class _Span:
    """A span with the sentence or row that holds it, and the cell if it is one."""

    text: str
    start: int
    end: int
    line: Line
    cell: Cell | None
    passage: Passage


def _located(reading: Reading, passage: Passage) -> _Span | None:
    line = passage.line_at(reading.start)
    if line is None or reading.end <= reading.start:
        return None
    cell = next((cell for cell in line.cells if cell.start <= reading.start <= cell.end), None)
    start, end = (cell.start, cell.end) if cell else (reading.start, min(reading.end, line.end))
    return _Span(passage.text[start:end], start, end, line, cell, passage)


def _value(form: QuestionForm, span: _Span) -> str | None:
    if form.kind == "number":
        return _number(form.unit, span)
    if form.kind == "year" and "year" in form.text.lower():
        found = _YEAR.search(span.text)
        return found[0] if found else None
    return _trimmed(span.text) or None


def _number(unit: Unit | None, span: _Span) -> str | None:
    if _ZERO.match(span.text) and (unit is None or unit.is_noun):
        return "0"
    quantity = _quantity(span)
    if quantity is None:
        return None
    own = quantity.unit or _column_unit(span.cell)
    if unit is None:
        return format_value(quantity.low, quantity.high)
    if unit.is_noun:
        return None if own is not None and not own.is_noun else _scaled(quantity, unit)
    if own is None:
        return None
    bounds = [
        convert(bound, without_counted_denominator(own), without_counted_denominator(unit))
        for bound in (quantity.low, quantity.high)
    ]
    low, high = bounds
    return None if low is None or high is None else format_value(low, high)


def _scaled(quantity: Quantity, unit: Unit) -> str:
    """Return a count in the asked scale ("million users")."""
    return format_value(quantity.low / unit.factor, quantity.high / unit.factor)


def _quantity(span: _Span) -> Quantity | None:
    """Return the first quantity that overlaps the span, read in its sentence, or in its cell alone."""
    low, high = (span.start, span.end) if span.cell else (span.line.start, span.line.end)
    text = span.passage.text[low:high]
    return next((one for one in quantities_in(text) if one.start + low < span.end and one.end + low > span.start), None)


def _column_unit(cell: Cell | None) -> Unit | None:
    """Return the unit that a column names in brackets or behind a comma: "Energy (kWh)"."""
    found = _UNIT_OF_COLUMN.search(cell.column) if cell else None
    return find_unit(found[1] or found[2]) if found else None


def _trimmed(text: str) -> str:
    return text.strip(" \t\n.,;:\"“”'‘’()")


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_ZERO = re.compile(r"\s*(?:none|no|nobody|nothing|never|zero|nil|keine?[rsnm]?|niemand|nichts|null)\b", re.IGNORECASE)
_UNIT_OF_COLUMN = re.compile(r"\(([^()]+)\)\s*$|,\s*([^,]+)$")


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--least", type=float, default=0.5, help="the probability of having an answer (0.5)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
