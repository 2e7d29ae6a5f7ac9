"""The value that a span of a passage gives: a name, a date, or a number in the asked unit."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from kohaku_lib.answering.extractive.formatting import format_value
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.stated_scale import in_stated_scale
from kohaku_lib.answering.extractive.numbers.units import in_unit
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.enumerations import asks_for_several, enumeration_at
from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.noughts import is_nought_asked
from kohaku_lib.answering.extractive.reader.passages import Cell, Line, Passage
from kohaku_lib.answering.extractive.text import content_stems, tokens_of
from kohaku_lib.text.dates import MONTHS
from kohaku_lib.text.units import Unit, find_unit

PLAIN_DATE = re.compile(rf"\b(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)}) \d{{4}}\b")


@dataclass(frozen=True, slots=True)
class Located:
    """A span with the passage and the sentence or row that hold it, and its cell if it lies in one."""

    start: int
    end: int
    passage: Passage
    line: Line
    cell: Cell | None

    @property
    def text(self) -> str:
        """The words of the span."""
        return self.passage.text[self.start : self.end]


def locate(span: Span, passage: Passage) -> Located | None:
    """Return where a span lies; in a row it is the whole cell. None if it lies in no line."""
    line = passage.line_at(span.start)
    if line is None:
        return None
    cell = next((cell for cell in line.cells if cell.start <= span.start < cell.end), None)
    if cell is not None:
        return Located(cell.start, cell.end, passage, line, cell)
    return Located(span.start, min(span.end, line.end), passage, line, None)


def value_of(form: QuestionForm, located: Located) -> str | None:
    """Return the value of a span in the output format; None if it is not of the asked kind or unit, nor one of the choices."""
    if form.kind == "choice":
        return _choice(form, located.text.casefold())
    if form.kind == "number":
        return _number(form, located) if _counts(form, located) else None
    if form.kind == "year" and _ASKS_FOR_YEAR.search(form.text):
        return _year(located)
    named = _named(form, located)
    return named and _NOTE_MARK.sub("", named)


def _choice(form: QuestionForm, text: str) -> str | None:
    """Return the one choice that a span names or is part of: "Holm" of "Ann Holm or Bo Lund"."""
    named = [one for one in form.options if one.casefold() in text or text in one.casefold()]
    return named[0] if len(named) == 1 else None


def _year(located: Located) -> str | None:
    """Return the year of a span; one before 1900 is none where a unit stands behind it, as in "1450 kg"."""
    text = located.text
    if found := _YEAR.search(text):
        return found[0]
    measured = [one for one in quantities_in(located.passage.text[located.start : located.line.end]) if one.unit]
    old = _OLD_YEAR.search(text)
    return old[0] if old and not any(one.start <= old.start() < one.end for one in measured) else None


def _named(form: QuestionForm, located: Located) -> str | None:
    if form.kind == "year" and (date := PLAIN_DATE.search(located.text)):
        return date[0]
    if located.cell is not None:
        return located.text.strip(_MARKS) or None
    return _enumeration(form, located) or _whole_name(located).strip(_MARKS) or None


def _enumeration(form: QuestionForm, located: Located) -> str | None:
    """Return all names of the enumeration that holds the span as a JSON list, if the question asks for several."""
    if not asks_for_several(form.text):
        return None
    line = located.line
    start, end = located.start - line.start, located.end - line.start
    names = enumeration_at(located.passage.text[line.start : line.end], start, end)
    return json.dumps(names, ensure_ascii=False) if len(names) > 1 else None


def _whole_name(located: Located) -> str:
    """Return the span with the capitalised words that stand directly beside it, if it begins with one itself."""
    text, (start, end) = located.passage.text, (located.start, located.end)
    if not text[start:end][:1].isupper():
        return text[start:end]
    before = _CAPITALISED_BEFORE.search(text, located.line.start, start)
    after = _CAPITALISED_AFTER.match(text, end, located.line.end)
    return text[before.start() if before else start : after.end() if after else end]


def _counts(form: QuestionForm, located: Located) -> bool:
    """Return whether a counted unit that was asked for apart ("teaspoons") is one that question or line speak of."""
    if form.unit is None or not form.unit.is_noun:
        return True
    stated = {stem for stem in form.unit_stems if stem in form.unit.measure}
    spoken = {token.stem for token in tokens_of(f"{form.text} {located.passage.text}")}
    return not stated or not stated.isdisjoint(spoken)


def _number(form: QuestionForm, located: Located) -> str | None:
    is_count = form.unit is None or form.unit.is_noun
    if _ZERO.match(located.text):
        return "0" if is_count else None
    quantity = _quantity(form, located)
    if quantity is None:
        return None
    text = located.passage.text[located.line.start : located.line.end]
    if is_count and is_nought_asked(form.text, text):
        return "0"
    return _in_asked_unit(form, located, quantity)


def _in_full(form: QuestionForm, located: Located, quantity: Quantity) -> Quantity:
    """Return an amount in the scale that its column, its caption or its sentence says."""
    cell, passage = located.cell, located.passage
    above = passage.text[: passage.lines[0].start] if cell else passage.text[located.line.start : located.line.end]
    return in_stated_scale(quantity, form.unit, cell.column if cell else "", above, is_cell=cell is not None)


def _in_asked_unit(form: QuestionForm, located: Located, quantity: Quantity) -> str | None:
    quantity = _in_full(form, located, quantity)
    own, unit = quantity.unit or _unit_of_table(form, located), form.unit
    if unit is None:
        return _bounded(form, quantity.low, quantity.high)
    if unit.is_noun:
        is_other = own is not None and not own.is_noun and (own.measure, unit.measure) != ("multiplier", "noun:time")
        return None if is_other else _bounded(form, quantity.low / unit.factor, quantity.high / unit.factor)
    if own is None:
        return None
    low, high = (in_unit(bound, own, unit) for bound in (quantity.low, quantity.high))
    return None if low is None or high is None else _bounded(form, low, high)


def _bounded(form: QuestionForm, low: float, high: float) -> str:
    """Return the range, or the bound of it that is asked for ("at most")."""
    return format_value(high if form.bound == "high" else low, low if form.bound == "low" else high)


def _quantity(form: QuestionForm, located: Located) -> Quantity | None:
    """Return the first quantity that overlaps the span, read in its sentence or cell; never a part of a date or a key.

    It is the only one of its sentence that counts what is asked for.
    """
    area = located.cell or located.line
    text = located.passage.text[area.start : area.end]
    others = [match.span() for pattern in (_ANY_DATE, _CLOCK, _KEY) for match in pattern.finditer(text)]
    for one in quantities_in(text):
        if one.start + area.start >= located.end or one.end + area.start <= located.start:
            continue
        if not any(one.start < high and low < one.end for low, high in others):
            return one if located.cell else _of_counted(form, text, one)
    return None


def _of_counted(form: QuestionForm, text: str, found: Quantity) -> Quantity:
    if form.unit is None or not form.unit.is_noun or _counts_asked(form, found):
        return found
    own = [one for one in quantities_in(text) if _counts_asked(form, one)]
    return own[0] if len(own) == 1 else found


def _counts_asked(form: QuestionForm, quantity: Quantity) -> bool:
    return not form.unit_stems.isdisjoint(content_stems(" ".join(quantity.nouns)))


def _unit_of_table(form: QuestionForm, located: Located) -> Unit | None:
    """Return the unit that the column of a cell names, or else the caption: "Energy (kWh)", "Rent in GBP", "Kg by plot".

    The bare last word of a column ("Total km") is one only where the question asks for that measure.
    """
    if located.cell is None:
        return None
    head = located.passage.text[: located.passage.lines[0].start]
    named = (*_UNIT_OF_COLUMN.finditer(located.cell.column), *_UNIT_OF_CAPTION.finditer(head))
    units = (find_unit(next(filter(None, one.groups()))) for one in named)
    return next(filter(None, units), None) or _asked_last_word(form, located.cell)


def _asked_last_word(form: QuestionForm, cell: Cell) -> Unit | None:
    match = _LAST_WORD.search(cell.column)
    unit = find_unit(match[1]) if match else None
    return unit if unit and form.unit and unit.measure == form.unit.measure else None


_CAPITALISED_BEFORE = re.compile(r"(?<=[\w,] )(?:[A-Z][\w’'-]* )+$")
_CAPITALISED_AFTER = re.compile(r"(?: [A-Z][\w’'-]*)+")
_ASKS_FOR_YEAR = re.compile(r"\b(?:year|jahr)\b", re.IGNORECASE)
_NOTE_MARK = re.compile(r"(?<=\d)(?<!\b10)(?<!\b2)[⁰¹²³⁴-⁹]{1,2}")  # a power of ten or two is no mark
_MARKS = " \t\n.,;:\"“”'‘’()"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_OLD_YEAR = re.compile(r"(?<!\d)1[0-8]\d{2}(?!\d)")
_CLOCK = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:])")
_ANY_DATE = re.compile(rf"{PLAIN_DATE.pattern}|\b\d{{1,2}}/\d{{1,2}}/\d{{4}}\b")  # 03/04/2025 stays as it is written
_KEY = re.compile(  # a phone number or the number of a file: 555-0177, +49 30 4455, 030 445 99, INV-2024-0031
    r"\b\d+-0\d+\b|\b\d+(?:-\d+){2,}\b|\+\d{1,3}[\d ()/-]{6,}\d|(?<![\w.,])\(?0\d{1,4}\)?[ /-]\d[\d /-]{2,}\d"
    r"|\b[A-Z]{2,}-\d[\d-]*-\d+\b"
)
_ZERO = re.compile(r"\s*(?:none|no|nobody|nothing|never|zero|nil|keine?[rsnm]?|niemand|nichts|null)\b", re.IGNORECASE)
_UNIT_OF_COLUMN = re.compile(r"\(([^()]+)\)\s*$|,\s*([^,]+)$|\bin (\S+)\s*$", re.IGNORECASE)
_LAST_WORD = re.compile(r"(?<!\bper)(?<!\ba)(?<!\ban)(?<!\beach)(?<!\bpro)(?<!\bje) (\w{2,})\s*$", re.IGNORECASE)
_UNIT_OF_CAPTION = re.compile(
    r"\((?:all )?(?:\w+ )?(?:in )?([^()\s]+)\)|\bin ((?-i:[A-Z]{3})\b|[€$£])|(?:^|[.:] )(\w+) (?:by|per) ",
    re.IGNORECASE,
)
