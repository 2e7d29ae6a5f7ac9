"""Numbers in a text with their units, ranges, hedges and positions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from kohaku_lib.answering.extractive.numbers.number_words import MULTIPLIER_PREFIXES, NUMBER_WORD, WORD_VALUES
from kohaku_lib.answering.extractive.numbers.units import ABBREVIATED, in_sterling
from kohaku_lib.answering.extractive.numbers.units_beside import currency_at, is_symbol_at, unit_at
from kohaku_lib.answering.extractive.numbers.written_numbers import WrittenNumber, numbers_in
from kohaku_lib.answering.extractive.text import term_of
from kohaku_lib.text.equal_signs import with_equal_signs
from kohaku_lib.text.units import MONEY, SCALES, Unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or range in a text: its value, the words after it, and its span.

    `low` equals `high` unless it is a range. `unit` is None if no known unit is adjacent; `nouns` are the stems of the next
    few words, which may name the counted thing.
    """

    low: float
    high: float
    unit: Unit | None
    nouns: tuple[str, ...]
    start: int
    end: int
    hedge: str = ""  # "up to", "at least", ... in lower case
    scale: float = 1.0  # 1e6 for "million"
    decorated: bool = False  # part of a name, a reference or a heading rather than an amount

    @property
    def is_range(self) -> bool:
        """Return whether there are two bounds."""
        return self.low != self.high

    @property
    def is_year(self) -> bool:
        """Return whether this may be a year: a bare whole number from 1900 to 2100."""
        return self.unit is None and self.low == int(self.low) and 1900 <= self.low <= 2100


@lru_cache(maxsize=4096)
def quantities_in(text: str, *, decimal_commas: bool = False) -> tuple[Quantity, ...]:
    """Return the quantities of `text` in order; a range is one quantity.

    With `decimal_commas` its numbers are read as most of Europe writes them.

    >>> [(q.low, q.high, q.unit.measure) for q in quantities_in("It used 80-90% or 1.2 GWh.")]
    [(80.0, 90.0, 'percent'), (1.2, 1.2, 'energy')]
    >>> quantities_in("about $2.51 million")[0].low, [q.low for q in quantities_in("forty-three; half an hour; drei Wochen")]
    (2510000.0, [43.0, 0.5, 3.0])
    >>> [q.low for q in quantities_in("nineteen days, two and a half weeks, fünfundzwanzig Minuten, anderthalb Stunden")]
    [19.0, 2.5, 25.0, 1.5]
    """
    text = with_equal_signs(text)
    found = [_parse_number(text, number) for number in numbers_in(text, decimal_commas=decimal_commas)]
    found += [_parse_number_word(text, match) for match in NUMBER_WORD.finditer(text)]
    found += [_parse_fraction(text, match) for match in _FRACTION.finditer(text)]
    found += [
        _build_quantity(text, _PARTS_OF_TIME[str(match.lastgroup)], *match.span())
        for match in _PART_OF_TIME.finditer(text)
    ]
    found.sort(key=lambda quantity: (quantity.start, -quantity.end))
    return tuple(_merge_ranges(text, [quantity for quantity in found if quantity.high < _LARGEST]))


_LARGEST = 1e30  # larger values are identifiers or concatenated digits
_PART_OF_TIME = re.compile(
    r"\b(?:(?P<half>half an?|eine[rns]? halben?)|(?P<quarter>a quarter of an|eine Viertel(?=stunde))"
    r"|(?P<three>three quarters of an|eine Dreiviertel(?=stunde)))(?= ?(?:hour|day|week|month|year|stunde)\b)",
    re.IGNORECASE,
)
_PARTS_OF_TIME = {"half": 0.5, "quarter": 0.25, "three": 0.75}
_FRACTION = re.compile(
    r"\b(?:(?P<half>half)|(?:(?P<times>a|one|two|three|four)[ -])(?P<part>third|quarter|fifth|tenth)s?)"
    r"(?= (?:of|the|its|their|all|that)\b)(?! (?:of )?(?:a|an)\b)",
    re.IGNORECASE,
)
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6, "B": 1e9, "T": 1e12}
_SUFFIX = re.compile(r"[kKMBT](?=[\s.,;:)–-]|$)")
_SUFFIX_OF_MONEY = re.compile(r"[kKMmBT](?=[\s.,;:)–-]|$)")  # £7.3m
_HEDGE = re.compile(
    r"(up to|at most|as (?:much|many|high) as|no more than|a maximum of|maximum|at least|as (?:low|little|few) "
    r"as|no less than|a minimum of|"
    r"minimum|more than|over|less than|fewer than|under|below|above|approximately|about|around|roughly|nearly|"
    r"almost|~|≈|∼|>|<|≥|≤)\s*(?:of\s+)?$",
    re.IGNORECASE,
)
_RANGE_SEPARATOR = re.compile(r"^\s*(?:-|–|—|−|to|and|bis|und|~|∼)\s*$", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen)\s*[~≈$€£]?\s*$", re.IGNORECASE)
_DECORATION = re.compile(
    r"(?:\b(?:figures?|figs?\.?|tables?|tab\.|sections?|sec\.|§|equations?|eqs?\.?|appendix|chapter|pages?|"
    r"pp?\.|step|phase|"
    r"version|algorithm|layer|no\.|volume|vol\.|scope|article|recital|part|tier|level|question|observation|"
    r"takeaway)\s*|§)$",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\d{1,2} ?(?=[A-Z][a-z’']+ )")
_SCALE = re.compile(rf"\s*-?({'|'.join(sorted(SCALES, key=len, reverse=True))})\b{ABBREVIATED}", re.IGNORECASE)
_NEXT_WORDS = re.compile(r"[\s-]*(?:(?:[A-Z]\.)+|[^\W\d_](?:[\w.-]*\w)?)")


def _parse_number(text: str, number: WrittenNumber) -> Quantity:
    value, end = number.value, number.end
    suffix = (_SUFFIX_OF_MONEY if number.currency else _SUFFIX).match(text, end)
    if suffix is not None and not (number.currency == "" and is_symbol_at(text, end)):
        value, end = value * _SUFFIXES[suffix[0]], suffix.end()
    scale = _SCALE.match(text, end)
    times = SCALES[scale.group(1).lower()] if scale else 1.0
    whole = _build_quantity(
        text, float(f"{value * times:.12g}"), number.start, scale.end() if scale else end, number.currency
    )
    return replace(whole, scale=times, unit=in_sterling(whole.unit, times))


def _build_quantity(text: str, value: float, start: int, end: int, currency: str = "") -> Quantity:
    unit, end = currency_at(text, end, currency) if currency else unit_at(text, end)
    before = text[max(0, start - 24) : start]
    hedge = _HEDGE.search(before)
    return Quantity(
        value,
        value,
        unit,
        _nouns_at(text, end),
        start,
        end,
        hedge=hedge.group(1).lower() if hedge else "",
        decorated=_is_decorated(text, start, end),
    )


def _nouns_at(text: str, end: int) -> tuple[str, ...]:
    nouns: list[str] = []
    for _ in range(5):
        match = _NEXT_WORDS.match(text, end)
        if match is None:
            break
        nouns.extend(term_of(part) for part in re.split(r"[\s.-]+", match.group().strip(" .-")) if part)
        end = match.end()
    return tuple(nouns)


def _is_decorated(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 14) : start], text[end : end + 2]
    if _DECORATION.search(before) or (start == 0 and _FOOTNOTE.match(text)):
        return True
    if re.search(r"\[[\d,\s–-]*$", before) and re.match(r"[\d,\s–-]*\]", text[end : end + 40]):
        return True
    if re.search(r"[A-Za-z]\d*(?:-|–|_)$", before):
        return True
    return bool(re.match(r"[-_][A-Za-z]*\d", after)) and bool(re.search(r"\w$", before))


def _parse_number_word(text: str, match: re.Match[str]) -> Quantity:
    word = match.group(1).lower()
    if word in WORD_VALUES:
        value = float(WORD_VALUES[word])
        scale = _SCALE.match(text, match.end())
        end = scale.end() if scale else match.end()
        return _build_quantity(text, value * (SCALES[scale.group(1).lower()] if scale else 1.0), match.start(), end)
    value = MULTIPLIER_PREFIXES[word[:3]]
    return Quantity(value, value, Unit("multiplier"), (), match.start(), match.end())


def _parse_fraction(text: str, match: re.Match[str]) -> Quantity:
    """Return "half of" or "two thirds of" as a percentage."""
    part = _PARTS[match["part"].lower()] if match["part"] else 2
    times = WORD_VALUES.get((match["times"] or "one").lower(), 1)
    hedge = _HEDGE.search(text[max(0, match.start() - 24) : match.start()])
    share = float(f"{100 * times / part:.4g}")
    return Quantity(share, share, Unit("percent"), (), *match.span(), hedge=hedge.group(1).lower() if hedge else "")


def _merge_ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    merged: list[Quantity] = []
    for quantity in found:
        last = merged[-1] if merged else None
        if last is not None and quantity.start < last.end:
            continue
        whole = _merge_range(text, last, quantity) if last is not None else None
        if whole is None:
            merged.append(quantity)
        else:
            merged[-1] = whole
    return merged


def _merge_range(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    if first.is_range or second.is_range or not _RANGE_SEPARATOR.match(text[first.end : second.start]):
        return None
    if text[first.end : second.start].strip().lower() in {"and", "und"} and not _BETWEEN.search(text[: first.start]):
        return None
    low = _low_bound(first, second)
    if low is None or not low < second.high:
        return None
    decorated = first.decorated and second.decorated
    unit = second.unit or first.unit
    return replace(
        second, low=float(f"{low:.12g}"), unit=unit, start=first.start, hedge=first.hedge, decorated=decorated
    )


def _low_bound(first: Quantity, second: Quantity) -> float | None:
    shares_scale = first.scale == 1.0 < second.scale and first.low < 1000
    low = first.low * second.scale if shares_scale else first.low
    if first.unit is None:
        return low
    if second.unit is None:
        return low if first.unit.measure in MONEY else None
    if first.unit.measure != second.unit.measure:
        return None
    return low * first.unit.factor / second.unit.factor
