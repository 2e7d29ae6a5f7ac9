"""Join the lines of a paragraph and resolve hyphenation.

`kohaku_lib.tree.resegmenting.vocabulary` does the same by other rules, for pages whose extraction is not ours. Here soft
hyphens survive and mark a continued word for certain, prefixes such as "multi-" keep their hyphen, and it suffices that the
document contains a word; there nothing tells the two hyphens apart, so the counts of both spellings are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kohaku_lib.text.hanging_hyphens import hangs

_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LINE_END = re.compile(r"([^\W\d_]+(?:[-‐][^\W\d_]+)*)[-‐\u00ad]\Z")
_LINE_START = re.compile(r"[^\W\d_]+")
_HYPHENS = ("-", "‐", "\u00ad")
_LEAST_HALF = 3
_KEEPING = frozenset(
    {"self", "non", "well", "cross", "long", "short", "high", "low", "large", "full", "multi", "half", "real"}
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The lower-case words of a document: unbroken words, and words with a hyphen."""

    words: frozenset[str]
    hyphenated: frozenset[str]


def vocabulary_of(lines: Iterable[str]) -> Vocabulary:
    """Return the words of `lines` except those hyphenated at a line's end."""
    unbroken: set[str] = set()
    for line in lines:
        unbroken.update(_WORD.findall(_LINE_END.sub("", line)))
    whole = {word.lower().replace("‐", "-") for word in unbroken}
    hyphenated = {word for word in whole if "-" in word}
    parts = {part for word in hyphenated for part in word.split("-")}
    return Vocabulary(frozenset(whole - hyphenated | parts), frozenset(hyphenated))


def join_with_offsets(lines: Sequence[str], vocabulary: Vocabulary) -> tuple[str, list[int]]:
    """Return the dehyphenated text of the lines, and the offset of each line in it.

    A hyphen is kept if the document writes the word with it elsewhere, if both halves are words but the whole is not,
    and before capitals and digits; one that stands for the rest of a word keeps its blank, too.

    >>> join_with_offsets(["environ-", "mental cost"], vocabulary_of(["environmental"]))
    ('environmental cost', [0, 7])
    """
    text = ""
    offsets: list[int] = []
    for index, line in enumerate(lines):
        # soft hyphens are removed except at a line's end, where they mark a continued word
        cut = len(line) - 1 if index + 1 < len(lines) else len(line)
        piece = line[:cut].replace("\u00ad", "") + line[cut:]
        text = join_two(text, piece, vocabulary) if text else piece
        offsets.append(len(text) - len(piece))
    return text, offsets


def join_two(left: str, right: str, vocabulary: Vocabulary) -> str:
    """Return `left` and `right` as one text."""
    last_word = left.rsplit(" ", 1)[-1] if left.endswith(_HYPHENS) else ""
    end, start = _LINE_END.search(last_word), _LINE_START.match(right)
    if last_word and left[-1] != "\u00ad" and _hangs(last_word[:-1], right, vocabulary):
        return f"{left} {right}"
    if end and start:
        glue = "-" if _keeps_hyphen(end[1], start.group(), vocabulary, left[-1]) else ""
        return left[:-1] + glue + right
    if left.endswith(("-", "‐", "–")) and right[:1].isalnum() and left[-2:-1].isalnum():
        return left + right
    if left.endswith(("/", "_")) and "//" in left.rsplit(" ", 1)[-1]:
        return left + right  # a continued URL
    left = left.removesuffix("\u00ad")
    glue = "" if _is_ideographic(left[-1:]) and _is_ideographic(right[:1]) else " "
    return left + glue + right


def _hangs(left: str, right: str, vocabulary: Vocabulary) -> bool:
    start = _LINE_START.match(right)
    is_whole = start is not None and f"{left}{start.group()}".lower() in vocabulary.words
    return bool(left) and not is_whole and hangs(left, right)


def _keeps_hyphen(left: str, right: str, vocabulary: Vocabulary, sign: str) -> bool:
    before, after = left.lower(), right.lower()
    last = before.replace("‐", "-").rsplit("-", 1)[-1]
    if sign == "\u00ad" or (last == before and last + after in vocabulary.words):
        return False
    if not right[0].islower() and not left.isupper():
        return True
    if f"{before}-{after}" in vocabulary.hyphenated or f"{last}-{after}" in vocabulary.hyphenated:
        return True
    if last != before or last in _KEEPING:
        return True
    halves_are_words = {last, after} <= vocabulary.words
    return halves_are_words and min(len(last), len(after)) >= _LEAST_HALF


def _is_ideographic(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"
