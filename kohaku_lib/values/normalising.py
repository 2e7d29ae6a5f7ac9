"""Normalisation of answer values to the plain form that the metrics read."""

from __future__ import annotations

import re
from decimal import Decimal

from kohaku_lib.text.stems import stem
from kohaku_lib.text.units import conversion_factor, unit_name
from kohaku_lib.values.blanks import BLANK
from kohaku_lib.values.claims import is_claim
from kohaku_lib.values.comparison import without_bracket
from kohaku_lib.values.parsing import Value, parse_value, plain_text

_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|far|large|big|fast|old|high)\b"
    r"|\b(?:number|percentage|amount|total|factor|range|size|cost|share|proportion)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^\W*(?:which|who|where)\b|\bwhat (?:is|was|are) the (?:name|term|title|acronym|version)\b|\bwhat model\b|\bcalled\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:period|fiscal|academic|season|edition|(?:which|what|school) year|when)\b|\bname\b", re.IGNORECASE
)
_SPAN = re.compile(r"\b(?:range|interval|between|span|years)\b", re.IGNORECASE)
_YEARS = re.compile(r"^(?:1[89]|20)\d\d\s?[-–—]\s?(?:1[89]|20)\d\d$")
_LETTERED = re.compile(r"^[\d.,]+\s?[kKMBT]$")
_NUMBER_AND_WORDS = re.compile(r"^(?P<number>.*\d)\s*(?P<words>[^\d\s][^\d]*)$")


def normalise_answer(question: str, value: str | None, unit: str | None = None) -> str:
    """Return `value` in the form that metrics expect: is_blank, 1 or 0, plain digits, `[low,high]`, or the trimmed text.

    Commas, one hedge, currency, percent signs and units are removed and K/M/B/T and scale words expanded, unless
    the question is about a name; two years with a hyphen stay text if the question is about a period.

    Args:
        question: the text of the question, which decides between number, name and truth value.
        value: the answer value as written.
        unit: the expected unit, if known. A number in another unit is converted; if the units are incompatible, the
            value is returned unchanged.

    >>> normalise_answer("True or False: it rains.", "The statement is true."), normalise_answer("How many?", "2B")
    ('1', '2000000000')
    >>> normalise_answer("What is the range?", "80 – 90 %"), normalise_answer("In which period?", "2020-2021")
    ('[80,90]', '2020-2021')
    >>> normalise_answer("How much energy?", "2.5 GWh", "MWh"), normalise_answer("How much energy?", "3 L", "MWh")
    ('2500', '3 L')
    """
    parsed = parse_value(value or "")
    if parsed.kind == "blank":
        return BLANK
    text = (value or "").strip()
    if is_claim(question):
        return _claim_value(text) or parsed.text
    if parsed.kind == "text":
        return _number_without_words(question, text, unit) or without_bracket(text) or text
    factor = _factor_to_unit(parsed, unit)
    if factor is None or _is_name(question, text):
        return text
    return _converted_text(parsed, factor) if factor != 1 else _text_in_scale(text, parsed, unit)


def _claim_value(text: str) -> str | None:
    words = set(re.findall(r"[a-z]+", text.lower())) & {"true", "false"}
    return {"true": "1", "false": "0"}[words.pop()] if len(words) == 1 else None


def _is_name(question: str, text: str) -> bool:
    """Return whether `text` looks like a number, but is the name of a period or of a model."""
    if _YEARS.match(text):
        return bool(_PERIOD.search(question)) and not _SPAN.search(question)
    return bool(_LETTERED.match(text) and _NAME.search(question) and not _QUANTITY.search(question))


def _factor_to_unit(parsed: Value, unit: str | None) -> Decimal | None:
    """Return the factor to the expected unit: 1 if either unit is unknown, None if they are incompatible."""
    target = unit_name(unit) if unit else None
    return Decimal(1) if target is None or parsed.unit is None else conversion_factor(parsed.unit, target)


def _converted_text(parsed: Value, factor: Decimal) -> str:
    bounds = [plain_text(Decimal(bound) * factor) for bound in parsed.text.strip("[]").split(",")]
    return f"[{','.join(bounds)}]" if parsed.kind == "range" else bounds[0]


def _text_in_scale(text: str, parsed: Value, unit: str | None) -> str:
    """Return the digits as written if the expected unit names the scale ("million liters"), else the full number."""
    scale = re.search(r"\b(?:thousand|million|billion|trillion)\b", unit or "", re.IGNORECASE)
    written = re.split(rf"\s*{scale[0]}", text, maxsplit=1, flags=re.IGNORECASE) if scale else [text]
    return parse_value(written[0]).text if len(written) == 2 else parsed.text


def _number_without_words(question: str, text: str, unit: str | None) -> str | None:
    """Return the number before words that are the expected unit or occur in a question about a quantity."""
    match = _NUMBER_AND_WORDS.match(text)
    number = parse_value(match["number"]) if match else None
    if match is None or number is None or number.kind not in {"number", "range"}:
        return None
    words = _word_stems(match["words"])
    is_expected = words == _word_stems(unit or "") or (
        bool(_QUANTITY.search(question)) and words <= _word_stems(question)
    )
    return number.text if words and is_expected else None


def _word_stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]+", text.lower())}
