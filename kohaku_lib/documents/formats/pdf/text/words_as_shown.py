"""The words of a page in the rows that they stand in, read from the side that each row is read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import (
    blank_boxes,
    is_blank_at,
    reading_order,
    runs_left,
    spans_in_reading_order,
)

LEAST_BLANK_EM = 0.12
_SAME_ROW = 0.4

Box = tuple[float, float, float, float]
Word = tuple[float, float, float, float, str, int, int, int]  # as of PyMuPDF: box, text, row, 0, place in the row


def words_as_shown(source: Any, signs: Iterable[tuple[Box, str]] = (), *, from_right: bool) -> list[Word]:
    """Return the words of MuPDF's text page `source` and further `signs` in rows; pieces that touch are one word.

    MuPDF gives the pieces of a row in the order in which they were drawn, and splits words where the font changes.
    """
    lines = [line for block in source.extractRAWDICT()["blocks"] for line in block["lines"]]
    words = [word for line in lines for word in _words(line)]
    words += [{"text": sign, "bbox": box, "is_whole": True, "is_sign": True} for box, sign in signs]
    blanks = blank_boxes(lines)
    ordered = (
        reading_order(row) if from_right else sorted(row, key=lambda one: one["bbox"][0]) for row in _rows(words)
    )
    rows = [_joined(row, blanks) for row in ordered]
    return [
        (*word["bbox"], word["text"], at, 0, place) for at, row in enumerate(rows) for place, word in enumerate(row)
    ]


def _words(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the words between the blanks of a line; `is_whole` says that a blank follows."""
    texts = [{"text": "".join(one["c"] for one in span["chars"])} for span in line["spans"]]
    from_right = runs_left({"dir": line["dir"], "spans": texts})
    spans = spans_in_reading_order(line["spans"]) if from_right else line["spans"]
    letters: list[dict[str, Any]] = []
    for letter in (letter for span in spans for letter in span["chars"]):
        if not letter["c"].isspace():
            letters.append(letter)
        elif letters:
            yield _word(letters, is_whole=True)
            letters = []
    if letters:
        yield _word(letters, is_whole=False)


def _word(letters: Sequence[dict[str, Any]], *, is_whole: bool) -> dict[str, Any]:
    x0, y0, x1, y1 = zip(*(letter["bbox"] for letter in letters), strict=True)
    text = "".join(letter["c"] for letter in letters)
    return {"text": text, "bbox": (min(x0), min(y0), max(x1), max(y1)), "is_whole": is_whole}


def _rows(words: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    rows: list[list[dict[str, Any]]] = []
    for word in sorted(words, key=lambda word: word["bbox"][1] + word["bbox"][3]):
        if rows and _share_row(rows[-1][0]["bbox"], word["bbox"]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _share_row(box: Sequence[float], other: Sequence[float]) -> bool:
    offset = abs(box[1] + box[3] - other[1] - other[3]) / 2
    return offset < _SAME_ROW * min(box[3] - box[1], other[3] - other[1])


def _joined(row: Sequence[dict[str, Any]], blanks: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    joined: list[dict[str, Any]] = []
    for word in row:
        before = joined[-1] if joined else {"is_whole": True}
        if not (before["is_whole"] or "is_sign" in word) and _touch(before["bbox"], word["bbox"], blanks):
            boxes = zip(before["bbox"], word["bbox"], strict=True)
            box = tuple(one(pair) for one, pair in zip((min, min, max, max), boxes, strict=True))
            joined[-1] = {**word, "text": before["text"] + word["text"], "bbox": box}
        else:
            joined.append(word)
    return joined


def _touch(box: Sequence[float], other: Sequence[float], blanks: Sequence[Sequence[float]]) -> bool:
    gap = max(box[0] - other[2], other[0] - box[2])
    between = (max(box[0], other[0]) + min(box[2], other[2])) / 2
    return gap < LEAST_BLANK_EM * min(box[3] - box[1], other[3] - other[1]) and not is_blank_at(blanks, between, box)
