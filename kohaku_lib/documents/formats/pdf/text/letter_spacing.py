"""Close up words whose letters a PDF sets apart, "Test i ng" or "A n n u a l", by the gaps between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

_LONE_LETTER = re.compile(r"(?<!\S)[^\W\d_aAIO](?!\S)")
_LEAST_LONE = 2
_WIDEST_GAP_EM, _GAP_WITHIN_WORDS_EM = 0.6, 0.2  # where words are clearly farther apart, and elsewhere
_LEAST_SHARE_WITHOUT_BLANKS = 0.6  # of lone letters among the pieces of a line that has gaps only
_LEAST_SHARE_OF_SMALL = 0.3  # of lone small letters among the pieces of a line that has blanks
_LEAST_PIECES = 5
_WORD_GAP = 1.6  # in usual gaps


def has_letters_apart(text: str) -> bool:
    """Return whether at least two letters of a line stand alone that are no words.

    >>> has_letters_apart("Test i ng Dedupl i cat i on"), has_letters_apart("Plan B is a plan")
    (True, False)
    """
    return len(_LONE_LETTER.findall(text)) >= _LEAST_LONE


def closed_texts(line: dict[str, Any]) -> list[str]:
    """Return the text of each span of a line of PyMuPDF's "rawdict", without the blanks that stand within words.

    PyMuPDF puts a blank, marked as synthetic, into every wide gap. Where the line has blanks of its own, they divide
    its words, and none between two letters is needed but these; where it has none and mostly lone letters, gaps that
    are clearly wider than the others do.
    """
    characters = [character for span in line["spans"] for character in span["chars"]]
    false = _false_blanks(characters, max((span["size"] for span in line["spans"]), default=0.0))
    return [
        "".join(character["c"] for character in span["chars"] if id(character) not in false) for span in line["spans"]
    ]


def _false_blanks(characters: Sequence[dict[str, Any]], size: float) -> set[int]:
    gaps = list(_letter_gaps(characters))
    pieces = "".join(character["c"] for character in characters).split()
    if any(character["c"].isspace() and not character.get("synthetic") for character in characters[1:-1]):
        return {key for key, gap in gaps if gap <= _WIDEST_GAP_EM * size} if _is_in_pieces(pieces) else set()
    lone = sum(len(piece) == 1 for piece in pieces)
    is_spaced = len(pieces) >= _LEAST_PIECES and lone >= _LEAST_SHARE_WITHOUT_BLANKS * len(pieces)
    if not (gaps and is_spaced and all(map(str.isalpha, pieces))):  # signs and digits are those of formulas
        return set()
    usual = median(gap for _, gap in gaps)
    has_words = any(gap >= _WORD_GAP * usual for _, gap in gaps)
    widest = size * (_WIDEST_GAP_EM if has_words else _GAP_WITHIN_WORDS_EM)
    return {key for key, gap in gaps if gap < _WORD_GAP * usual and gap <= widest}


def _is_in_pieces(pieces: Sequence[str]) -> bool:
    """Return whether small letters stand alone often, or nearly all letters do; capitals and few letters are names."""
    lone = [piece for piece in pieces if len(piece) == 1 and piece.isalpha()]
    small = sum(map(str.islower, lone))
    is_spaced = len(pieces) >= _LEAST_PIECES and len(lone) >= _LEAST_SHARE_WITHOUT_BLANKS * len(pieces)
    return is_spaced or (small >= _LEAST_LONE and small >= _LEAST_SHARE_OF_SMALL * len(pieces))


def _letter_gaps(characters: Sequence[dict[str, Any]]) -> Iterator[tuple[int, float]]:
    """Yield the identity of each synthetic blank between two letters, and the gap in points."""
    for before, blank, after in zip(characters, characters[1:], characters[2:], strict=False):
        if blank.get("synthetic") and before["c"].isalpha() and after["c"].isalpha():
            yield id(blank), after["bbox"][0] - before["bbox"][2]
