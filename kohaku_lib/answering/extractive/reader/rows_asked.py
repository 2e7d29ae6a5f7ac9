"""The rows of a table that can answer a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.reader.asked import Asked, content_words
from kohaku_lib.answering.extractive.reader.passages import Cell, Line, Passage
from kohaku_lib.answering.extractive.text import Token
from kohaku_lib.text.dates import plain_dates


def rows_asked_for(asked: Asked, passage: Passage) -> Sequence[Line]:
    """Return the rows of totals if the question asks for one, else those that it names with all words of a cell, else all.

    Rows of another thing of the same kind are none of them ("Room 4" where room 5 is asked for), nor are any where the
    question names a row of the table that lies in another passage; and no single row answers a question for all of them
    together.
    """
    totals = [line for line in passage.lines if _TOTAL.match(line.cells[0].text)]
    single = [line for line in passage.lines if line not in totals]
    named = [line for line in single if any(_is_named(asked, cell) for cell in line.cells)]
    is_span = len(named) > 1 and _FROM_TO.search(asked.text) is not None
    if totals and (
        _ASKS_FOR_TOTAL.search(asked.text) or (is_span and (named[0], named[-1]) == (single[0], single[-1]))
    ):
        return totals
    if is_span or (_IN_TOTAL.search(asked.text) and not any(_SAYS_TOTAL.search(one.column) for one in _cells(passage))):
        return []
    if not named and any(_is_named(asked, key) for key in passage.keys):
        return []
    return named or [line for line in single if not _is_of_another(asked, line)] or ([] if single else totals)


def is_measured_key(asked: Asked, cell: Cell) -> bool:
    """Return whether a cell with a measure names a row by words that the question says: "Copper pipe 18 mm"."""
    measure = next((one for one in quantities_in(cell.text) if one.unit is not None), None)
    return measure is not None and measure.start > 0 and asked.share_named_by(cell.text[: measure.start]) == 1.0


def _cells(passage: Passage) -> Sequence[Cell]:
    return passage.lines[0].cells


def _is_named(asked: Asked, cell: Cell) -> bool:
    is_word = any(sign.isalpha() for sign in cell.text)
    return is_word and (asked.share_named_by(cell.text) == 1.0 or is_measured_key(asked, cell))


def _is_of_another(asked: Asked, line: Line) -> bool:
    """Return whether the first cell of a row differs from a thing that the question names by its number or letter alone."""
    code, asked_codes = _CODE.fullmatch(line.cells[0].text), _CODE.finditer(asked.text)
    if code is not None:
        like = {one[0] for one in asked_codes if one[1] == code[1]}
        return bool(like) and code[0] not in like
    key = list(content_words(plain_dates(line.cells[0].text).text))
    signs = [token for token in key if _is_sign(token)]
    words = [token for token in key if not _is_sign(token)]
    if not signs or not words or key[0] in signs or not all(asked.says(word.stem) for word in words):
        return False
    in_row = {token.stem for cell in line.cells for token in content_words(plain_dates(cell.text).text)}
    kinds = {token.surface.isalpha() for token in signs if not asked.says(token.stem)}
    others = {word.surface.isalpha() for word in asked.words if _is_sign(word) and word.stem not in in_row}
    return len(kinds) > 0 and not kinds.isdisjoint(others)


def _is_sign(token: Token) -> bool:
    """Return whether a word tells apart things of the same name: a number, or a single capital."""
    return token.surface[0].isdigit() or (len(token.surface) == 1 and token.surface.isupper())


_CODE = re.compile(r"\b([A-Z]{1,4}-?)\d{2,}\b")  # S117
_TOTAL = re.compile(r"\W*(?:grand )?(?:total|sum|all|altogether|gesamt|summe|insgesamt)\b", re.IGNORECASE)
_SAYS_TOTAL = re.compile(r"\b(?:total|sum\b|all\b|overall|gesamt)", re.IGNORECASE)
_ASKS_FOR_TOTAL = re.compile(
    r"\b(?:total|sum|all|altogether|overall|together|insgesamt|gesamt|zusammen)\b", re.IGNORECASE
)
_IN_TOTAL = re.compile(r"\b(?:in total|altogether|in all|overall|together|insgesamt|zusammen)\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\b(?:from|von) \S+(?: \d{4})? (?:to|bis)\b", re.IGNORECASE)
