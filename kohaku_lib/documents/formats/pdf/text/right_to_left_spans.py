"""Put the spans and letters of right-to-left lines into reading order; MuPDF gives some as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

_LETTER = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ALEF, _LAM = frozenset("\u0622\u0623\u0625\u0627"), "\u0644"
_ROOM = 0.15  # of the height of a line, which it ends short of a blank
_WIDE_GAP = 0.3  # of the height of a line
_NONE: dict[str, Any] = {"c": "", "bbox": (0.0,) * 4}
_SLACK_PT = 0.5
_SEPARATORS = frozenset("/.,:")  # of numbers, which are read from the left: 1403/10/04


def is_right_to_left(text: str) -> bool:
    """Return whether most letters of `text` are of a right-to-left script.

    >>> is_right_to_left("לחם with"), is_right_to_left("לחם טוב")
    (False, True)
    """
    count = len(_LETTER.findall(text))
    return count > 0 and 2 * count > sum(map(str.isalpha, text))


def order_right_to_left(blocks: Sequence[dict[str, Any]], source: Any) -> None:
    """Put the right-to-left lines of `blocks`, MuPDF's dictionary of the text page `source`, into reading order, in place.

    Where there are any, the boxes of all lines end short of a blank, so that pieces of a word are told from words.
    """
    lines = [line for block in blocks for line in block["lines"]]
    if not any(map(runs_left, lines)):
        return
    detailed: Any = [line for block in source.extractRAWDICT()["blocks"] for line in block["lines"]]
    blanks = blank_boxes(detailed)
    for line, raw in zip(lines, detailed, strict=True):
        last = ""
        if runs_left(line):
            line["spans"] = spans_in_reading_order(raw["spans"])
            last = line["spans"][-1]["text"][-1:]
        if line["dir"] == (1.0, 0.0):
            x0, y0, x1, y1 = line["bbox"]
            left, right = (_ROOM * (y1 - y0) * is_blank_at(blanks, x, line["bbox"]) for x in (x0, x1))
            line["bbox"] = (x0 + (left or _ROOM * (y1 - y0) * last.isspace()), y0, x1 - right, y1)


def blank_boxes(lines: Sequence[dict[str, Any]]) -> list[Sequence[float]]:
    """Return the boxes of the blanks of detailed lines."""
    return [one["bbox"] for line in lines for span in line["spans"] for one in span["chars"] if one["c"].isspace()]


def is_blank_at(blanks: Sequence[Sequence[float]], x: float, box: Sequence[float]) -> bool:
    """Return whether a blank reaches to `x` in the row of `box`.

    >>> is_blank_at([(10, 0, 14, 9)], 14.2, (15, 0, 30, 9)), is_blank_at([(10, 0, 14, 9)], 14.2, (15, 9, 30, 18))
    (True, False)
    """
    return any(
        one[0] - _SLACK_PT <= x <= one[2] + _SLACK_PT and one[1] < (box[1] + box[3]) / 2 < one[3] for one in blanks
    )


def runs_left(line: dict[str, Any]) -> bool:
    """Return whether a line of MuPDF's dictionary is level and most of its letters are of a right-to-left script."""
    return line["dir"] == (1.0, 0.0) and is_right_to_left("".join(span["text"] for span in line["spans"]))


def reading_order(spans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans of a right-to-left line from the right to the left; words of other scripts keep their own order.

    So do the pieces of a number, such as a date with strokes.

    >>> [span["text"] for span in reading_order([{"text": text, "bbox": (x, 0, x + 9, 9)} for text, x in
    ...     (("שלום", 70), ("PDF", 40), (" ", 50), ("files", 55), ("עולם", 10))])]
    ['שלום', 'PDF', ' ', 'files', 'עולם']
    """
    ordered = sorted(spans, key=lambda span: -(span["bbox"][0] + span["bbox"][2]))
    texts = [span["text"] for span in ordered]
    groups = groupby(zip(_run_right(texts), ordered, strict=True), key=lambda pair: pair[0])
    return [span for right, pairs in groups for _, span in (reversed(list(pairs)) if right else pairs)]


def spans_in_reading_order(spans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the detailed spans of a right-to-left line as they are read, each with its text and its letters in order.

    Where one sign stands for lam and alef, MuPDF gives the alef first, within the box of the lam. Letters that it gives
    elsewhere than they stand, blanks mostly, are put in their places; blanks of its own across letters go, and there is
    one in each wide gap.
    """
    texts = [span | {"text": _text(span["chars"])} for span in spans]
    ordered: list[dict[str, Any]] = []
    for span in reading_order(texts):
        letters = _in_reading_order(span["chars"])
        is_beside = bool(ordered) and not (_is_latin(ordered[-1]["text"]) or _is_latin(span["text"]))
        parting = _parting(ordered[-1]["bbox"], span["bbox"]) if is_beside else []
        ordered.append(span | {"chars": [*parting, *letters], "text": _text([*parting, *letters])})
    return ordered


def _in_reading_order(chars: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    inked = [one for one in chars if not one["c"].isspace()]
    kept = [
        one
        for one in chars
        if not (one.get("synthetic") and one["c"].isspace() and any(_has_centre(one["bbox"], other) for other in inked))
    ]
    units = list(_units(kept))
    middles = [unit[0]["bbox"][0] + unit[-1]["bbox"][2] for unit in units]
    if any(after > before + 2 * _SLACK_PT for before, after in pairwise(middles)):
        units = [unit for _, unit in sorted(zip(middles, units, strict=True), key=lambda pair: -pair[0])]
    return [
        letter
        for before, unit in pairwise([[], *units])
        for letter in (*(_parting(_box(before), _box(unit)) if before else ()), *unit)
    ]


def _parting(box: Sequence[float], after: Sequence[float]) -> list[dict[str, Any]]:
    """Return the blank in a wide gap between two boxes of a row, if there is one."""
    gap = max(box[0] - after[2], after[0] - box[2])
    return [{"c": " ", "bbox": (after[2], box[1], box[0], box[3])}] if gap > _WIDE_GAP * (box[3] - box[1]) else []


def _box(unit: Sequence[dict[str, Any]]) -> Sequence[float]:
    x0, y0, x1, y1 = zip(*(letter["bbox"] for letter in unit), strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def _text(letters: Sequence[dict[str, Any]]) -> str:
    return "".join(letter["c"] for letter in letters)


def _run_right(texts: Sequence[str]) -> list[bool]:
    """Return of each piece of a line, from the right to the left, whether it is of a run that is read from the left."""
    latin, figures = [_is_latin(text) for text in texts], [text.strip().isdigit() for text in texts]

    def is_between(kinds: Sequence[bool], at: int) -> bool:
        return 0 < at < len(kinds) - 1 and kinds[at - 1] and kinds[at + 1]

    parts = [text in _SEPARATORS and is_between(figures, at) for at, text in enumerate(texts)]
    return [
        latin[at]
        or (text.isspace() and is_between(latin, at))
        or parts[at]
        or (figures[at] and any(parts[max(0, at - 1) : at + 2]))
        for at, text in enumerate(texts)
    ]


def _is_latin(text: str) -> bool:
    return any(map(str.isalpha, text)) and not _LETTER.search(text)


def _units(chars: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the letters alone, but lam and alef of one sign, marks on letters, and runs of other scripts with their blanks."""
    is_sign = [
        one["c"] in _ALEF and other["c"] == _LAM and _is_within(one["bbox"], other["bbox"])
        for one, other in pairwise([*chars, _NONE])
    ]
    at = 0
    while at < len(chars):
        unit = [chars[at + 1], chars[at]] if is_sign[at] else [chars[at]]
        at += len(unit)
        while at < len(chars) and not is_sign[at] and _belongs(unit[-1], chars[at]):
            unit.append(chars[at])
            at += 1
        yield unit


def _belongs(letter: dict[str, Any], after: dict[str, Any]) -> bool:
    own, other = letter["bbox"], after["bbox"]
    pair = letter["c"] + after["c"]
    runs_right = _is_latin(pair) if " " in pair else not any(_LETTER.match(c) and not c.isdigit() for c in pair)
    return (runs_right and abs(other[0] - own[2]) <= _SLACK_PT) or _is_within(other, own)


def _is_within(box: Sequence[float], other: Sequence[float]) -> bool:
    return box[0] >= other[0] - _SLACK_PT and box[2] <= other[2] + _SLACK_PT


def _has_centre(box: Sequence[float], other: dict[str, Any]) -> bool:
    return box[0] < (other["bbox"][0] + other["bbox"][2]) / 2 < box[2]
