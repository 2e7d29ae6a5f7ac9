"""The error class of each question, and the pipeline step where it was lost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.metrics.answers.wattbot import value_right_official
from kohaku_lib.evaluation.metrics.evidence import evidence_recall, gold_documents, is_quoted
from kohaku_lib.evaluation.metrics.retrieval_metrics import ranked_documents
from kohaku_lib.evaluation.metrics.score_answers import truth_rows
from kohaku_lib.tables import ERROR_REPORT, StageReport
from kohaku_lib.text.units import conversion_factor, unit_name
from kohaku_lib.values import BLANK, Value, is_blank, is_claim, parse_refs, parse_value

_UNITS = (
    "Wh",
    "kWh",
    "MWh",
    "GWh",
    "TWh",
    "J",
    "kJ",
    "MJ",
    "GJ",
    "s",
    "min",
    "h",
    "day",
    "week",
    "g",
    "kg",
    "t",
    "lb",
    "oz",
)
_UNITS += ("L", "mL", "gal", "m", "km", "mi", "b", "B")
_FACTOR_TOLERANCE = 0.005
_MIN_QUOTE_SHARE = 0.5  # share of a quote's shingles: parsing garbles some of almost every quote


ERROR_CLASSES = {
    "document not retrieved": "no document with the answer was found",
    "evidence not in context": "a document was found, but its evidence is not in the context",
    "value not read": "the evidence was in the context, but another value was read",
    "wrong unit": "the right value, a power of ten or a unit away",
    "wrong blank": "left blank, though an answer exists",
    "invented": "answered, though no answer exists",
    "wrong reference": "the right value, other documents cited",
    "no answer": "the question was not answered at all",
}
RIGHT = "right"


def report_errors(questions: pa.Table, votes: pa.Table, contexts: pa.Table | None) -> tuple[pa.Table, StageReport]:
    """Return ERROR_REPORT for the questions with truth, in their order; empty without truth.

    Categories: ok, reference (value right, documents not), value, rounding, unit_conversion, type, categorical,
    false_positive, false_negative, missing (no vote). `lost_at` is retrieval if no gold document was matched, context
    if its evidence is not in the context, else generation; None if nothing is lost, and always if `contexts` is None.
    `error_class` combines both in one of ERROR_CLASSES, the first that applies in pipeline order. The metrics of the
    report count the categories and the steps.
    """
    vote_by_id = {row["id"]: row for row in votes.to_pylist()}
    context_by_id = None if contexts is None else {row["id"]: row for row in contexts.to_pylist()}
    text_by_id = {row["id"]: row["question"] for row in questions.to_pylist()}
    rows = [
        _report_row(truth, text_by_id[truth["id"]], vote_by_id.get(truth["id"]), context_by_id)
        for truth in truth_rows(questions)
    ]
    counts = Counter(f"category/{row['category']}" for row in rows)
    counts.update(f"lost_at/{row['lost_at']}" for row in rows if row["lost_at"])
    metrics = {name: float(count) for name, count in sorted(counts.items())}
    return pa.Table.from_pylist(rows, schema=ERROR_REPORT), StageReport(len(rows), metrics=metrics)


def class_of(category: str, lost_at: str | None) -> str:
    """Return the error class of a category and the step where the answer was lost.

    >>> class_of("value", "retrieval"), class_of("false_negative", "generation"), class_of("ok", None)
    ('document not retrieved', 'wrong blank', 'right')
    """
    if category in _CLASS_BY_CATEGORY:
        return _CLASS_BY_CATEGORY[category]
    if lost_at in _CLASS_BY_STEP:
        return _CLASS_BY_STEP[lost_at]
    return {"unit_conversion": "wrong unit", "false_negative": "wrong blank"}.get(category, "value not read")


_CLASS_BY_CATEGORY = {
    "ok": RIGHT,
    "missing": "no answer",
    "false_positive": "invented",
    "reference": "wrong reference",
}
_CLASS_BY_STEP = {"retrieval": "document not retrieved", "context": "evidence not in context"}


def classify_value(question: str, truth: str, answer: str, unit: str = "") -> tuple[str, str]:
    """Return the category of an answer value given the truth, and a sentence on the difference.

    unit_conversion: the ratio is within 5 % of a power of ten other than 1, or within 0.5 % of the factor from another
    unit to the requested `unit`; rounding: within 10 %.

    >>> [classify_value("", "5.4", answer)[0] for answer in ("5.4", "5400", "5.6", "7", "[5,6]", "is_blank")]
    ['ok', 'unit_conversion', 'rounding', 'value', 'type', 'false_negative']
    """
    if is_blank(truth):
        return ("ok", "") if is_blank(answer) else ("false_positive", f"{answer!r} where nothing can be known.")
    if is_blank(answer):
        return "false_negative", f"No answer, though {truth!r} can be known."
    if value_right_official(truth, answer):
        return "ok", ""
    true_value, answered_value = parse_value(truth), parse_value(answer)
    if is_claim(question):
        return "categorical", f"{answer!r} instead of {truth!r}."
    return _classify_difference(true_value, answered_value, unit)


def _classify_difference(true_value: Value, answered_value: Value, unit: str) -> tuple[str, str]:
    if _value_form(true_value) != _value_form(answered_value):
        return (
            "type",
            f"{answered_value.text!r} is a {_value_form(answered_value)}, {true_value.text!r} a {_value_form(true_value)}.",
        )
    pairs = [
        (truth, answer)
        for truth, answer in ((true_value.low, answered_value.low), (true_value.high, answered_value.high))
        if truth is not None and answer is not None
    ]
    if not pairs:
        return "categorical", f"{answered_value.text!r} instead of {true_value.text!r}."
    if all(_is_power_of_ten(truth, answer) for truth, answer in pairs):
        return "unit_conversion", f"{answered_value.text} is a power of ten away from {true_value.text}."
    other = next(
        (name for name, factor in _other_units(unit) if all(_is_factor(*pair, factor) for pair in pairs)), None
    )
    if other:
        return "unit_conversion", f"{answered_value.text} {other} are {true_value.text} {unit}."
    errors = [_relative_error(truth, answer) for truth, answer in pairs]
    category = "rounding" if max(errors) <= 0.1 else "value"
    return category, f"{answered_value.text} instead of {true_value.text}, off by {max(errors):.1%}."


def _report_row(
    truth: Mapping[str, str],
    question: str,
    vote: Mapping[str, Any] | None,
    context_by_id: Mapping[str, Mapping[str, Any]] | None,
) -> dict[str, Any]:
    answer, refs = (vote["answer_value"], vote["ref_id"]) if vote else (BLANK, [])
    category, detail = "missing", "No vote."
    if vote is not None:
        category, detail = classify_value(question, truth["answer_value"], answer, truth.get("answer_unit", ""))
    if category == "ok" and gold_documents(truth) != {ref.lower() for ref in refs}:
        category, detail = "reference", f"Cites {list(refs)!r} instead of {list(parse_refs(truth['ref_id']))!r}."
    lost_at = None
    if category != "ok" and context_by_id is not None:
        lost_at = _lost_at(truth, context_by_id.get(truth["id"]))
    return {
        "id": truth["id"],
        "question": question,
        "truth_value": truth["answer_value"],
        "answer_value": answer,
        "truth_refs": list(parse_refs(truth["ref_id"])),
        "ref_id": list(refs),
        "category": category,
        "lost_at": lost_at,
        "error_class": class_of(category, lost_at),
        "detail": detail,
    }


def _lost_at(truth: Mapping[str, str], context: Mapping[str, Any] | None) -> str:
    gold = gold_documents(truth)
    if not gold:
        return "generation"
    if context is None or not gold & set(ranked_documents(context)):
        return "retrieval"
    return "generation" if _holds_evidence(truth, gold, context["snippets"]) else "context"


def _holds_evidence(truth: Mapping[str, str], gold: set[str], snippets: Sequence[Mapping[str, Any]]) -> bool:
    if not any(snippet["document_id"].lower() in gold for snippet in snippets):
        return False
    texts = [snippet["text"] for snippet in snippets]
    recall = evidence_recall(truth.get("supporting_materials", ""), texts)
    return not is_quoted(truth) or recall is None or recall >= _MIN_QUOTE_SHARE


def _value_form(value: Value) -> str:
    return "number" if value.kind == "boolean" else value.kind


def _is_power_of_ten(truth: float, answer: float) -> bool:
    if truth * answer <= 0:
        return truth == answer == 0
    ratio = answer / truth
    power = round(math.log10(ratio))
    return power != 0 and abs(ratio / 10.0**power - 1) <= 0.05


def _other_units(unit: str) -> Iterator[tuple[str, float]]:
    """Yield other units of the dimension of `unit`, with the factor that converts them to `unit`."""
    target = unit_name(unit) if unit else None
    for name in _UNITS if target else ():
        factor = conversion_factor(name, str(target))
        if factor is not None and factor != 1:
            yield name, float(factor)


def _is_factor(truth: float, answer: float, factor: float) -> bool:
    return answer != 0 and abs(answer * factor - truth) <= _FACTOR_TOLERANCE * abs(truth)


def _relative_error(truth: float, answer: float) -> float:
    """Return the error relative to the truth; the absolute error for a zero truth."""
    return abs(answer - truth) / (abs(truth) or 1.0)
