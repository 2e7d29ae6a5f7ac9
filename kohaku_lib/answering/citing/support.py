"""Whether a quote states the value that it is cited for, and from which words a number was converted."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.units import in_unit, parse_unit
from kohaku_lib.answering.extractive.table_lines import has_bars
from kohaku_lib.tables import Question
from kohaku_lib.text.dates import MONTHS, plain_dates
from kohaku_lib.text.units import MONEY, Unit
from kohaku_lib.values import is_blank, is_claim, parse_value
from kohaku_lib.values.references import literal_list

_SCALES_OF_TABLES = (1e3, 1e6, 1e9)
_TOLERANCE = 1e-3  # relative, as for equal values
_NONE = re.compile(
    r"\b(?:none|no|nobody|nothing|never|zero|nil|not|keine?[rsnm]?|niemand|nichts|null)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a quote states a value, None where that cannot be told, and what the value was converted from, if it was."""

    states_value: bool | None
    converted_from: str | None = None


def support_of(question: Question, value: str, quote: str | None) -> Support:
    """Return whether `quote` states `value` in the unit of `question`, as written or after conversion.

    Unknown without a quote, for truth values, which a quote bears out and does not state, and for blank ones. The parts
    of a list and both bounds of a range must stand in the quote; names in any case, dates in any spelling.

    >>> support_of(Question("q", "How much energy?", "kWh"), "6420000", "It used 6,420 MWh in 2024.")
    Support(states_value=True, converted_from='6,420 MWh')
    >>> support_of(Question("q", "Which code?"), '"NA"', "| Windhoek | NA |")
    Support(states_value=True, converted_from=None)
    >>> support_of(Question("q", "How many stores?"), "18", "Three stores opened on May 18, 2022.").states_value
    False
    """
    parsed = parse_value(value)
    word = value.strip('"')
    if quote and word != value and is_blank(word):  # a value that reads as a blank, such as the country code NA
        return Support(_states_text(word, quote))
    if not quote or is_claim(question.text) or parsed.kind in {"boolean", "blank"}:
        return Support(None)
    parts = literal_list(value) if parsed.low is None else None
    if parts:
        return Support(all(_states_text(str(part), quote) for part in parts))
    if parsed.low is None or parsed.high is None or _states_text(value, quote):
        return Support(_states_text(value, quote))
    text = _without_dates(plain_dates(quote).text)
    unit = parse_unit(question.unit) if question.unit else None
    low, high = (_stating(float(bound), unit, text) for bound in (parsed.low, parsed.high))
    if low is None or high is None:
        return Support(not parsed.low and not parsed.high and _NONE.search(quote) is not None)
    words = text[low.start : high.end] if low.start <= high.start else text[high.start : low.end]
    return Support(True, words if _is_converted(low, float(parsed.low)) else None)


def _states_text(value: str, quote: str) -> bool:
    whole = rf"(?<!\w){re.escape(_folded(value))}(?!\w)"
    readings = {
        _folded(quote, is_day_first) for is_day_first in (None, True, False)
    }  # of 03/04/2025, as its column has it
    return not _is_number(value) and any(re.search(whole, one) is not None for one in readings)


def _is_number(value: str) -> bool:
    return parse_value(value).low is not None


def _folded(text: str, is_day_first: bool | None = None) -> str:
    return " ".join(plain_dates(text, is_day_first).text.casefold().split())


def _without_dates(text: str) -> str:
    """Return the text with the days and years of dates blanked, so that they count as no amounts."""
    return _DATE.sub(lambda match: re.sub(r"\d", "_", match[0]), text)


_MONTH = f"(?:{'|'.join(MONTHS)})"
_DATE = re.compile(rf"\b\d{{1,2}} (?={_MONTH}\b)|\b{_MONTH} \d{{1,2}}\b|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b")


def _stating(value: float, unit: Unit | None, text: str) -> Quantity | None:
    """Return the first quantity of `text` that is `value` as written, in the asked or the table's scale, or converted.

    Whatever convention the document has for decimal commas counts, and a bracket as a minus sign.
    """
    return next(
        (
            one
            for decimal_commas in (False, True)
            for one in quantities_in(text, decimal_commas=decimal_commas)
            if not one.decorated and any(_equal(number, value) for number in _meant(one, unit, text))
        ),
        None,
    )


def _meant(one: Quantity, unit: Unit | None, text: str) -> list[float]:
    """Return what a quantity may stand for: cells of a row may be in thousands, which the quote does not say."""
    numbers = _in_unit(one, unit)
    is_amount = one.scale == 1 and (one.unit is None or one.unit.measure in MONEY)
    if has_bars(text) and is_amount and (unit is None or unit.measure in MONEY or unit.is_noun):
        numbers += [bound * scale for bound in (one.low, one.high) for scale in _SCALES_OF_TABLES]
    is_bracketed = text[one.start - 1 : one.start] == "(" and one.start > 0
    return numbers + [-number for number in numbers if is_bracketed]


def _in_unit(one: Quantity, unit: Unit | None) -> list[float]:
    bounds = [one.low, one.high]
    if unit is None:
        return bounds
    if unit.is_noun:
        return [*bounds, *(bound / unit.factor for bound in bounds)]
    if one.unit is None:
        return [*bounds, *(bound / one.scale for bound in bounds)]
    return [found for bound in bounds if (found := in_unit(bound, one.unit, unit)) is not None]


def _is_converted(one: Quantity, value: float) -> bool:
    return not any(
        _equal(abs(bound) / scale, abs(value)) for bound in (one.low, one.high) for scale in (1.0, one.scale)
    )


def _equal(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=_TOLERANCE, abs_tol=1e-12)
