"""Put the spans and letters of right-to-left lines into reading order; MuPDF gives some as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

_LETTER = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ALEF, _LAM = frozenset("\u0622\u0623\u0625\u0627"), "\u0644"
_SLACK_PT = 0.5


def is_right_to_left(text: str) -> bool:
    """Return whether most letters of `text` are of a right-to-left script.

    >>> is_right_to_left("לחם with"), is_right_to_left("לחם טוב")
    (False, True)
    """
    count = len(_LETTER.findall(text))
    return count > 0 and 2 * count > sum(map(str.isalpha, text))


def order_right_to_left(blocks: Sequence[dict[str, Any]], source: Any) -> None:
    """Put the right-to-left lines of `blocks`, MuPDF's dictionary of the text page `source`, into reading order, in place."""
    lines = [
        (index, place)
        for index, block in enumerate(blocks)
        for place, line in enumerate(block["lines"])
        if line["dir"] == (1.0, 0.0) and is_right_to_left("".join(span["text"] for span in line["spans"]))
    ]
    detailed: Any = source.extractRAWDICT()["blocks"] if lines else ()
    for index, place in lines:
        line = blocks[index]["lines"][place]
        for span, raw in zip(line["spans"], detailed[index]["lines"][place]["spans"], strict=True):
            span["text"] = "".join(_letters(raw["chars"]))
        line["spans"] = reading_order(line["spans"])


def reading_order(spans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans of a right-to-left line from the right to the left; words of other scripts keep their own order.

    >>> [span["text"] for span in reading_order([{"text": text, "bbox": (x, 0, x + 9, 9)} for text, x in
    ...     (("שלום", 70), ("PDF", 40), (" ", 50), ("files", 55), ("עולם", 10))])]
    ['שלום', 'PDF', ' ', 'files', 'עולם']
    """
    ordered = sorted(spans, key=lambda span: -(span["bbox"][0] + span["bbox"][2]))
    is_latin = [_is_latin(span["text"]) for span in ordered]
    runs = [
        latin or bool(0 < at < len(ordered) - 1 and is_latin[at - 1] and is_latin[at + 1] and span["text"].isspace())
        for at, (span, latin) in enumerate(zip(ordered, is_latin, strict=True))
    ]
    groups = groupby(zip(runs, ordered, strict=True), key=lambda pair: pair[0])
    return [span for latin, pairs in groups for _, span in (reversed(list(pairs)) if latin else pairs)]


def _is_latin(text: str) -> bool:
    return any(map(str.isalpha, text)) and not _LETTER.search(text)


def _letters(chars: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the letters; where one sign stands for lam and alef, MuPDF gives the alef first, within the box of the lam."""
    swapped = [
        one["c"] in _ALEF and other["c"] == _LAM and _is_within(one["bbox"], other["bbox"])
        for one, other in pairwise(chars)
    ]
    at = 0
    while at < len(chars):
        if at < len(swapped) and swapped[at]:
            yield chars[at + 1]["c"]
            yield chars[at]["c"]
            at += 2
        else:
            yield chars[at]["c"]
            at += 1


def _is_within(box: Sequence[float], other: Sequence[float]) -> bool:
    return box[0] >= other[0] - _SLACK_PT and box[2] <= other[2] + _SLACK_PT
