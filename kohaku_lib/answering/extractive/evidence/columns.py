"""Columns of tables that came as lines of text: which words of the header stand over a cell."""

from __future__ import annotations

import re
from functools import lru_cache

from kohaku_lib.answering.extractive.numbers.units import parse_unit

Span = tuple[int, int]


@lru_cache(maxsize=4096)
def cells_of(row: str) -> tuple[Span, ...]:
    """Return start and end of the cells with numbers, or with signs for none, that end a row; () where it has none.

    A number keeps its unit, its other bound and what stands in brackets after it.

    >>> row = "Azure Code 2511.28 ± 2133.54 1930 7,685 —"
    >>> [row[start:end] for start, end in cells_of(row)]
    ['2511.28 ± 2133.54', '1930', '7,685', '—']
    """
    match = _CELLS.search(row)
    if match is None:
        return ()
    return tuple(cell.span() for cell in _CELL.finditer(row, match.start()))


@lru_cache(maxsize=4096)
def header_columns(header: str, count: int, *, labelled: bool = False) -> tuple[Span, ...]:
    """Return where the words over each of `count` cells stand in the line `header`; () where it has too few words.

    The words are parted where that breaks least: before a capital, a number or a unit, hardly before a bracket or
    after a word such as "of". What comes before the first column heads the labels of the rows; there is such a
    word where the rows are `labelled`, as long as enough words are left.

    >>> header = "Trace Requests Mean length (tokens) Energy (Wh)"
    >>> [header[start:end] for start, end in header_columns(header, 3, labelled=True)]
    ['Requests', 'Mean length (tokens)', 'Energy (Wh)']
    """
    words = [match.span() for match in re.finditer(r"\S+", header)][-_MOST_WORDS:]
    if count < 1 or len(words) < count:
        return ()
    kept = 1 if labelled and len(words) > count else 0
    starts = _cheapest_starts([header[start:end] for start, end in words], count, kept)
    ends = [*starts[1:], len(words)]
    return tuple((words[first][0], words[last - 1][1]) for first, last in zip(starts, ends, strict=True))


_NUMBER = r"[~≈<>±+$€£-]{0,2}\d[\d,.]*\+?"
_UNIT = r"(?:\s?(?:%|[×x](?!\w)|\$/\w+|[kMGTm]?(?:Wh|W|J)(?!\w)|[kKMGT]i?B(?!\w)))?"
_ONE = rf"(?:{_NUMBER}(?:(?:\s?–\s?|\s-\s|-){_NUMBER})?(?:\s?±\s?{_NUMBER})?{_UNIT}(?:\s?\([^()]*\))?|[—–∞-]|N/A)"
_CELL = re.compile(rf"(?<!\S){_ONE}(?!\S)")
_CELLS = re.compile(rf"(?:(?<!\S){_ONE}(?:\s+|$))+$")
_MOST_WORDS = 40
_BINDS = frozenset({"of", "per", "in", "the", "for", "and", "&", "/", "±", "to", "with", "#"})


def _cheapest_starts(words: list[str], count: int, kept: int) -> list[int]:
    """Return the first word of each column, of `count`, by the cheapest way to part `words` after the `kept` ones."""
    best: dict[int, tuple[float, list[int]]] = {len(words): (0.0, [])}  # by the first word that is taken
    for _ in range(count):
        taken: dict[int, tuple[float, list[int]]] = {}
        for end, (cost, starts) in best.items():
            joined = 0.0
            for first in range(end - 1, kept - 1, -1):
                total = cost + joined + _cost_of_break(words, first)
                if first not in taken or total < taken[first][0]:
                    taken[first] = (total, [first, *starts])
                joined += _cost_of_joint(words, first)
        best = taken
    return min(best.values(), key=lambda parted: parted[0])[1]


def _cost_of_break(words: list[str], place: int) -> float:
    if place == 0:
        return 0.0
    word = words[place]
    if word.startswith("(") or word.lower() in _BINDS - {"#"} or words[place - 1].lower() in _BINDS:
        return 3.0
    return 0.0 if _opens(word) else 1.5


def _cost_of_joint(words: list[str], place: int) -> float:
    """Return what it costs that the word at `place` stands in one column with the word before it."""
    if place == 0 or words[place].startswith("("):
        return 0.0
    if words[place - 1].endswith((")", "%")):
        return 1.0
    return 0.4 if _opens(words[place]) else 0.0


def _opens(word: str) -> bool:
    unit = parse_unit(word)
    return not word[0].islower() or (unit is not None and not unit.is_noun)
