"""Join words split by a wide gap between two letters, as in "Balance Shee t", using the document's vocabulary.

`Vocabulary.mend` of `kohaku_lib.tree.resegmenting.vocabulary` is bolder, since other extractors split more words: there any
piece may be the split-off one, such as the "R" of "R esearch". PyMuPDF splits off up to three letters at a word's end.
"""

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
_LEAST_FRAGMENT = 3  # letters; shorter fragments are rarely words
_LONE_LETTERS = frozenset("aeiouyàáéíóúxnm")


def with_whole_words(pages: Sequence[PageText]) -> list[PageText]:
    """Return the pages with split words joined.

    Two pieces are one word if the document contains the whole word at least twice, and either the first piece (and the
    second, if it has three letters) occurs only in this pair, or the second is a single lower-case letter that is not a
    word.
    """
    split_pairs = _split_pairs(line.text for page in pages for line in page.lines)
    if not split_pairs:
        return list(pages)
    return [replace(page, lines=tuple(_with_joined_words(line, split_pairs) for line in page.lines)) for page in pages]


def _split_pairs(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    text = "\n".join(texts)
    words, pairs = Counter[str](_WORD.findall(text.lower())), Counter[tuple[str, str]]()
    for (left, right), count in Counter[tuple[str, str]](_PAIR.findall(text)).items():
        if _has_same_case(left, right):
            pairs[left.lower(), right.lower()] += count
    return frozenset(pair for pair, count in pairs.items() if _is_split(*pair, count, words))


def _has_same_case(left: str, right: str) -> bool:
    """Return whether both pieces are in capitals, or the second one is in lower case."""
    return right.isupper() if left.isupper() and len(left) > 1 else right.islower()


def _is_split(left: str, right: str, count: int, words: Counter[str]) -> bool:
    if len(left + right) < _LEAST_LETTERS or words[left + right] < _LEAST_COUNT:
        return False
    letter = len(right) == 1 and right not in _LONE_LETTERS
    fragment = len(right) < _LEAST_FRAGMENT or words[right] == count
    return (words[left] == count and fragment) or (letter and words[left + right] > count)


def _with_joined_words(line: Line, split_pairs: frozenset[tuple[str, str]]) -> Line:
    def whole(match: re.Match[str]) -> str:
        left, right = match.groups()
        is_split = (left.lower(), right.lower()) in split_pairs and _has_same_case(left, right)
        return left + right if is_split else match.group()

    text = _PAIR.sub(whole, line.text)
    return line if text == line.text else replace(line, text=text)
