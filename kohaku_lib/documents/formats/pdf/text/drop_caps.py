"""Join drop caps with the word they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

_LEAST_SIZE = 1.8  # times the size of the text beside it
_FARTHEST_EM = 1.5
_LEAST_LINES = 2
_LONE_WORDS = frozenset("AIO")


def with_drop_caps(lines: Sequence[Line], vocabulary: Vocabulary) -> list[Line]:
    """Return the lines with every drop cap as the first letter of the line beside its top.

    A drop cap is a single letter (with at most quotation marks) at least 1.8 times as large as two or more lines to its
    right. Those lines are extended to its left edge, so that they do not look indented. "A" and "I" remain separate
    words if the document's vocabulary suggests it.
    """
    remaining = list(lines)
    for cap in [line for line in lines if _may_be_drop_cap(line)]:
        beside = [line for line in remaining if _is_beside(line, cap)]
        if len(beside) < _LEAST_LINES or cap.size < _LEAST_SIZE * median(line.size for line in beside):
            continue
        first = min(beside, key=lambda line: line.box.y0)
        widened = {id(line): _widen_to_left(line, cap.box.x0) for line in beside}
        widened[id(first)] = replace(widened[id(first)], text=_with_initial(cap.text, first.text, vocabulary))
        remaining = [widened.get(id(line), line) for line in remaining if line is not cap]
    return remaining


def _may_be_drop_cap(line: Line) -> bool:
    if len(line.text) > 2:
        return False
    letters = [character for character in line.text if character.isalpha()]
    return len(letters) == 1 and letters[0].isupper() and not line.text.endswith((".", ")"))


def _is_beside(line: Line, cap: Line) -> bool:
    middle = (line.box.y0 + line.box.y1) / 2
    near = -0.3 * cap.size < line.box.x0 - cap.box.x1 < _FARTHEST_EM * line.size
    return line is not cap and near and cap.box.y0 - 0.3 * line.size < middle < cap.box.y1


def _widen_to_left(line: Line, left: float) -> Line:
    box = line.box
    return replace(line, box=Box(min(left, box.x0), box.y0, box.x1, box.y1))


def _with_initial(initial: str, text: str, vocabulary: Vocabulary) -> str:
    word = text.split(" ", 1)[0].strip(".,;:").lower()
    is_whole = (initial + word).lower() in vocabulary.words
    apart = initial in _LONE_WORDS and not is_whole and word in vocabulary.words
    return f"{initial} {text}" if apart else initial + text
