"""Rows of tables that came as plain lines: which header words stand over a cell."""

from __future__ import annotations

import math
import re

from kohaku_lib.answering.reader.evidence import Sentence
from kohaku_lib.answering.reader.text import tokens_of
from kohaku_lib.answering.reader.units import Unit, parse_unit


def header_unit(sentence: Sentence, start: int, measure: str) -> Unit | None:
    """Return the unit of `measure` that the header names nearest above the cell at `start`; None where it names none."""
    named = [
        (abs(_position(sentence.header, match.start()) - _position(sentence.text, start)), unit)
        for match in _HEADER_UNIT.finditer(sentence.header)
        if (unit := parse_unit(match.group(1) or match.group())) is not None and unit.measure == measure
    ]
    return min(named, key=lambda pair: pair[0])[1] if named else None


def column_weight(stem_to_weight: dict[str, float], sentence: Sentence, start: int) -> float:
    """Return the question's weight in the header, each stem discounted by how far from the cell's column it stands."""
    place = _position(sentence.text, start)
    stem_to_near: dict[str, float] = {}
    for token in tokens_of(sentence.header):
        weight = stem_to_weight.get(token.stem)
        if weight is None or token.stem in sentence.stems:
            continue
        near = weight * math.exp(-_STEEPNESS * abs(_position(sentence.header, token.start) - place))
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


_STEEPNESS = 4.0
_HEADER_UNIT = re.compile(r"\(([^()]{1,20})\)|\b(?:[kMGT]?Wh|[kMGT]B|GiB|hours?|days?|seconds?)\b|%|\$")


def _position(text: str, start: int) -> float:
    return start / max(1, len(text))
