"""Match cells of plain-text tables with the header words of their columns."""

from __future__ import annotations

import math
import re

from kohaku_lib.answering.extractive.evidence.columns import cells_of, header_columns
from kohaku_lib.answering.extractive.evidence.evidence import Sentence
from kohaku_lib.answering.extractive.evidence.lines import has_bars, is_caption
from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.text import tokens_of
from kohaku_lib.text.table_rows import between_bars
from kohaku_lib.text.units import Unit


def header_unit(sentence: Sentence, start: int, measure: str) -> Unit | None:
    """Return the unit of `measure` in the header closest to the column of the cell at `start`; None if there is none."""
    named = [
        (1.0 - _column_match(sentence, match.start(), start), unit)
        for match in _HEADER_UNIT.finditer(sentence.header)
        if (unit := parse_unit(match.group(1) or match.group())) is not None and unit.measure == measure
    ]
    if not named:
        return None
    far, unit = min(named, key=lambda pair: pair[0])
    return unit if far < _OTHER_COLUMN or not has_bars(sentence.header) else None


def column_and_captions(sentence: Sentence, start: int) -> tuple[str, tuple[str, ...]]:
    """Return the heading above the cell at `start`, "" if it is not known, and the texts that speak of all cells."""
    above = sentence.conventions.captions
    if not (has_bars(sentence.header) and has_bars(sentence.text)):
        return "", (sentence.header or sentence.text, *above)
    parts, column = between_bars(sentence.header), _column(sentence.text, start)
    return parts[column].strip() if 0 < column < len(parts) else "", (parts[0], parts[1], *above)


def column_weight(stem_to_weight: dict[str, float], sentence: Sentence, start: int) -> float:
    """Return the question's weight in the header, each stem discounted by its distance from the cell's column."""
    stem_to_near: dict[str, float] = {}
    for token in tokens_of(sentence.header):
        weight = stem_to_weight.get(token.stem)
        if weight is None or token.stem in sentence.stems:
            continue
        near = weight * _column_match(sentence, token.start, start)
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


_STEEPNESS = 4.0
_OTHER_COLUMN, _CAPTION = 0.9, 0.3  # discount outside the column; weight of the caption for every column
_HEADER_UNIT = re.compile(r"\(([^()]{1,20})\)|\b(?:[kMGT]?Wh|[kMGT]B|GiB|hours?|days?|seconds?)\b|%|\$")


def _column_match(sentence: Sentence, above: int, start: int) -> float:
    """Return the likelihood that the header position `above` belongs to the column of the cell at `start`, 0 to 1."""
    if not (has_bars(sentence.header) and has_bars(sentence.text)):
        return _plain_column_match(sentence, above, start)
    column = _column(sentence.header, above)
    if column == 0:
        return _CAPTION
    return 1.0 if column == _column(sentence.text, start) else 1.0 - _OTHER_COLUMN


def _column(row: str, start: int) -> int:
    """Return the number of bars before `start`."""
    return len(between_bars(row[:start])) - 1


def _plain_column_match(sentence: Sentence, above: int, start: int) -> float:
    cells = cells_of(sentence.text)
    first_of_line = sentence.header.rfind("\n", 0, above) + 1
    line = sentence.header[first_of_line:].partition("\n")[0]
    columns = () if is_caption(line) else header_columns(line, len(cells), labelled=cells[:1] != () and cells[0][0] > 0)
    mine = next((place for place, (first, last) in enumerate(cells) if first <= start < last), None)
    if mine is None or not columns:
        return _CAPTION if mine is not None else math.exp(-_STEEPNESS * _relative_distance(sentence, above, start))
    at = above - first_of_line
    if at < columns[0][0]:
        return _CAPTION
    return 1.0 if columns[mine][0] <= at < columns[mine][1] else 1.0 - _OTHER_COLUMN


def _relative_distance(sentence: Sentence, above: int, start: int) -> float:
    return abs(above / max(1, len(sentence.header)) - start / max(1, len(sentence.text)))
