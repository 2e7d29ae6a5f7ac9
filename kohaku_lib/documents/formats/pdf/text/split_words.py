"""Words that a wide gap between two letters tears in two, as in "Balance Shee t", made whole by the document's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kohaku_lib.documents.formats.pdf.text.page_text import Line, PageText

_PAIR = re.compile(r"(?<![^\s(“])([^\W\d_]+) ([^\W\d_]{1,3})(?=[\s.,;:)”]|\Z)")
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_COUNT = 2  # of the whole word elsewhere in the document
_LEAST_LETTERS = 4
_LEAST_FRAGMENT = 3  # letters; shorter ones are hardly words
_LONE_LETTERS = frozenset("aeiouyàáéíóúxnm")


def with_whole_words(pages: Sequence[PageText]) -> list[PageText]:
    """Return the pages with torn words whole.

    Two pieces are one word where the document has the whole at least twice and the first (and the second, if it has
    three letters) stands only before the other, or where the second is a single small letter that is no word.
    """
    torn = _torn_pairs(line.text for page in pages for line in page.lines)
    if not torn:
        return list(pages)
    return [replace(page, lines=tuple(_mended(line, torn) for line in page.lines)) for page in pages]


def _torn_pairs(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    text = "\n".join(texts)
    words, pairs = Counter[str](_WORD.findall(text.lower())), Counter[tuple[str, str]]()
    for (left, right), count in Counter[tuple[str, str]](_PAIR.findall(text)).items():
        if _is_one_case(left, right):
            pairs[left.lower(), right.lower()] += count
    return frozenset(pair for pair, count in pairs.items() if _is_torn(*pair, count, words))


def _is_one_case(left: str, right: str) -> bool:
    """Tell whether the second piece goes on as the first ends: in capitals, or in small letters."""
    return right.isupper() if left.isupper() and len(left) > 1 else right.islower()


def _is_torn(left: str, right: str, count: int, words: Counter[str]) -> bool:
    if len(left + right) < _LEAST_LETTERS or words[left + right] < _LEAST_COUNT:
        return False
    letter = len(right) == 1 and right not in _LONE_LETTERS
    fragment = len(right) < _LEAST_FRAGMENT or words[right] == count
    return (words[left] == count and fragment) or (letter and words[left + right] > count)


def _mended(line: Line, torn: frozenset[tuple[str, str]]) -> Line:
    def whole(match: re.Match[str]) -> str:
        left, right = match.groups()
        is_torn = (left.lower(), right.lower()) in torn and _is_one_case(left, right)
        return left + right if is_torn else match.group()

    text = _PAIR.sub(whole, line.text)
    return line if text == line.text else replace(line, text=text)
