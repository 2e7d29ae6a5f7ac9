"""Column detection for tables extracted as plain text lines."""

from __future__ import annotations

import re
from functools import lru_cache

from kohaku_lib.answering.extractive.numbers.units import parse_unit

Span = tuple[int, int]


@lru_cache(maxsize=4096)
def cells_of(row: str) -> tuple[Span, ...]:
    """Return the spans of the numeric (or empty-marked) cells at the end of a row; () if there are none.

    A cell includes its unit, its second bound and a bracketed remark.

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
    """Return the span of the heading of each of `count` columns in the line `header`; () if it has too few words.

    The words are split at minimum cost: cheap before a capital, number or unit, expensive before a bracket or after a word
    such as "of". Text before the first column is the heading of the row labels; if `labelled`, there is at least one such
    word, provided that enough words are left.

    >>> header = "Trace Requests Mean length (tokens) Energy (Wh)"
    >>> [header[start:end] for start, end in header_columns(header, 3, labelled=True)]
    ['Requests', 'Mean length (tokens)', 'Energy (Wh)']
    """
    words = [match.span() for match in re.finditer(r"\S+", header)][-_MAX_WORDS:]
    if count < 1 or len(words) < count:
        return ()
    label_words = 1 if labelled and len(words) > count else 0
    starts = _cheapest_starts([header[start:end] for start, end in words], count, label_words)
    ends = [*starts[1:], len(words)]
    return tuple((words[first][0], words[last - 1][1]) for first, last in zip(starts, ends, strict=True))


_NUMBER = r"[~≈<>±+$€£-]{0,2}\d[\d,.]*\+?"
_UNIT = r"(?:\s?(?:%|[×x](?!\w)|\$/\w+|[kMGTm]?(?:Wh|W|J)(?!\w)|[kKMGT]i?B(?!\w)))?"
_CELL_PATTERN = (
    rf"(?:{_NUMBER}(?:(?:\s?–\s?|\s-\s|-){_NUMBER})?(?:\s?±\s?{_NUMBER})?{_UNIT}(?:\s?\([^()]*\))?|[—–∞-]|N/A)"
)
_CELL = re.compile(rf"(?<!\S){_CELL_PATTERN}(?!\S)")
_CELLS = re.compile(rf"(?:(?<!\S){_CELL_PATTERN}(?:\s+|$))+$")
_MAX_WORDS = 40
_BINDING_WORDS = frozenset({"of", "per", "in", "the", "for", "and", "&", "/", "±", "to", "with", "#"})


def _cheapest_starts(words: list[str], count: int, label_words: int) -> list[int]:
    """Return the first word of each of `count` columns, by the cheapest split of `words` after `label_words`."""
    best: dict[int, tuple[float, list[int]]] = {len(words): (0.0, [])}  # by first word used
    for _ in range(count):
        extended: dict[int, tuple[float, list[int]]] = {}
        for end, (cost, starts) in best.items():
            joined = 0.0
            for first in range(end - 1, label_words - 1, -1):
                total = cost + joined + _cost_of_break(words, first)
                if first not in extended or total < extended[first][0]:
                    extended[first] = (total, [first, *starts])
                joined += _cost_of_joint(words, first)
        best = extended
    return min(best.values(), key=lambda split: split[0])[1]


def _cost_of_break(words: list[str], place: int) -> float:
    if place == 0:
        return 0.0
    word = words[place]
    if word.startswith("(") or word.lower() in _BINDING_WORDS - {"#"} or words[place - 1].lower() in _BINDING_WORDS:
        return 3.0
    return 0.0 if _can_start_column(word) else 1.5


def _cost_of_joint(words: list[str], place: int) -> float:
    """Return the cost of keeping the word at `place` in the same column as the previous word."""
    if place == 0 or words[place].startswith("("):
        return 0.0
    if words[place - 1].endswith((")", "%")):
        return 1.0
    return 0.4 if _can_start_column(words[place]) else 0.0


def _can_start_column(word: str) -> bool:
    unit = parse_unit(word)
    return not word[0].islower() or (unit is not None and not unit.is_noun)
