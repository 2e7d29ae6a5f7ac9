"""Parse a model's reply into a structured answer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from kohaku_lib.answering.answerer import LOW_CONFIDENCE, blank_answer
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.numbers.units import in_unit, parse_unit
from kohaku_lib.tables import Question, StructuredAnswer
from kohaku_lib.text.json_replies import find_json_object, strip_thinking
from kohaku_lib.values import BLANK, is_blank, is_claim, normalise_answer, parse_refs, parse_value

KEYS = ("explanation", "answer", "answer_value", "ref_id", "supporting_materials")
_CONFIDENCES = {"high": 0.8, "low": LOW_CONFIDENCE}  # within the range of the extractive reader's levels
_DOUBT = "A best guess, which the excerpts do not settle: "
UNREADABLE = "the reply holds no JSON object with an answer"

_LONGEST_SENTENCE = 200  # characters
_STATING = re.compile(r"^(?:so,? )?(?:the |final )*(?:correct )?(?:answer|value)(?: is:?|:)\s+(?=\S)", re.IGNORECASE)
_DENYING = re.compile(
    r"\b(?:not|no|never|unknown|unclear|unstated|unspecified|cannot|nicht|keine?[rsnm]?|unbekannt|unklar)\b|n['’]t\b",
    re.IGNORECASE,
)
_MARKER = re.compile(r"\[?\s*\bref_id\s*[=:]\s*([^\]\s,]+)\s*\]?", re.IGNORECASE)


def parse_answer(reply: str, question: Question) -> StructuredAnswer:
    """Return the answer in `reply` with its value in canonical form; blank with an error if it cannot be parsed.

    References are cleaned but not checked against existing documents. The explanation of a low-confidence answer
    states that it is a guess.

    >>> parse_answer('{"answer_value": 2.50, "ref_id": "[ref_id=d1]"}', Question("q", "How many?")).answer_value
    '2.5'
    >>> parse_answer("The answer is 12 weeks.", Question("q", "How long?", "weeks")).answer_value
    '12'
    """
    fields = find_json_object(reply, KEYS) or _stated_answer(reply, question)
    if fields is None or not (fields.keys() & {"answer_value", "answer"}):
        return blank_answer(UNREADABLE, reply)
    quote = _to_text(fields.get("supporting_materials"))
    confidence = _CONFIDENCES.get(_to_text(fields.get("confidence")).lower())
    value = _bare_value(question, canonical_value(fields.get("answer_value")))
    doubt = _DOUBT if confidence == _CONFIDENCES["low"] else ""
    return StructuredAnswer(
        answer=_to_text(fields.get("answer")) or _in_words(question, value),
        answer_value=value,
        ref_id=clean_refs(fields.get("ref_id")),
        explanation=doubt + _to_text(fields.get("explanation")),
        quote=None if is_blank(quote) else quote,
        confidence=confidence,
        raw_response=reply,
    )


def canonical_value(value: Any) -> str:
    """Return a JSON value as answer text: plain digits, `[a,b]`, 1 or 0, is_blank, or the text itself.

    >>> [canonical_value(value) for value in (True, 5439000.0, 1e-5, [80, 90], None, " x ", float("nan"), ["a", "b"])]
    ['1', '5439000', '0.00001', '[80,90]', 'is_blank', 'x', 'is_blank', 'a, b']
    """
    if value is None or value in ([], {}):
        return BLANK
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return _format_number(value)
    if isinstance(value, list):
        return _format_list(value)
    if isinstance(value, dict):
        return canonical_value(value["value"]) if "value" in value else json.dumps(value, ensure_ascii=False)
    return str(value).strip() or BLANK


def clean_refs(value: Any) -> tuple[str, ...]:
    """Return the references of a reply (a string or nested lists) without markers, blanks and duplicates.

    >>> clean_refs(["[ref_id=a]", "ref_id=b", ["a", "is_blank"]]), clean_refs("a, b"), clean_refs("['c']")
    (('a', 'b'), ('a', 'b'), ('c',))
    """
    pieces = [_MARKER.sub(r" \1 ", text).strip().strip("\"'`") for text in _flatten_strings(value)]
    refs = parse_refs(pieces[0]) if len(pieces) == 1 and not isinstance(value, list) else pieces
    return tuple(dict.fromkeys(ref.strip() for ref in refs if not is_blank(ref)))


def _stated_answer(reply: str, question: Question) -> dict[str, Any] | None:
    """Return the fields of a reply that only says "The answer is …" and names a number or a truth value; None for any other."""
    text = strip_thinking(reply).strip()
    if not _STATING.match(text) or len(text) > _LONGEST_SENTENCE or _DENYING.search(text):
        return None
    value = _bare_value(question, text)
    is_value = value in {"0", "1"} if is_claim(question.text) else parse_value(value).kind in {"number", "range"}
    return {"answer": text, "answer_value": text} if is_value else None


def _in_words(question: Question, value: str) -> str:
    """Return a value as a short prompt's reply would say it in a sentence, which it leaves out."""
    if is_claim(question.text) and value in {"0", "1"}:
        return "True" if value == "1" else "False"
    is_amount = question.unit is not None and parse_value(value).kind in {"number", "range"}
    return f"{value} {question.unit}" if is_amount else ""


def _bare_value(question: Question, text: str) -> str:
    """Return a value in canonical form; of a sentence, what it says the answer is, else its one quantity of the asked unit."""
    value = normalise_answer(question.text, text, question.unit)
    if parse_value(value).kind != "text" or len(value) > _LONGEST_SENTENCE:
        return value
    stated = _STATING.sub("", value)
    if stated != value:
        return _bare_value(question, stated.rstrip(". "))
    unit = parse_unit(question.unit) if question.unit else None
    if unit is None or unit.is_noun or not value.count(" ") or _DENYING.search(value):
        return value
    single = [(one.low, one.unit) for one in quantities_in(value) if one.unit is not None and one.low == one.high]
    found = {number for low, own in single if (number := in_unit(low, own, unit)) is not None}
    return canonical_value(found.pop()) if len(found) == 1 else value


def _flatten_strings(value: Any) -> Iterable[str]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flatten_strings(item)
    elif value is not None:
        yield str(value)


def _format_number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return BLANK
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(Decimal(repr(value)), "f")


def _format_list(values: list[Any]) -> str:
    texts = [canonical_value(value) for value in values]
    if len(texts) == 1:
        return texts[0]
    is_range = len(texts) == 2 and all(isinstance(value, (int, float)) for value in values)
    return f"[{','.join(texts)}]" if is_range else ", ".join(texts)


def _to_text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_to_text(item) for item in value)
    return " ".join(str(value).split()) if value is not None else ""
