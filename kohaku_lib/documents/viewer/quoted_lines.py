"""The lines of a page that a quote of a parsed document stands in."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.documents.viewer.rendered_pages import TextLine
from kohaku_lib.text.equal_signs import equal_words

Box = tuple[float, float, float, float]
_SLACK_PT = 2.0
_LEAST_LETTERS = 8  # a shorter line may stand in a quote by chance


def quoted_lines(lines: Sequence[TextLine], quote: str, within: Box | None = None) -> list[TextLine]:
    """Return the lines that `quote` stands in, of those whose centre is in the box `within`; [] where it is not there.

    Letters and digits are compared alone, so that the bars of a table, hyphens and spaces count for nothing. Of a quote that
    goes on over several pages the lines that are part of it are returned.

    >>> box = (0.0, 0.0, 9.0, 9.0)
    >>> cells = [TextLine(text, box) for text in ("Oslo", "210 euros", "Vienna", "150 euros", "Paris")]
    >>> [line.text for line in quoted_lines(cells, "| Vienna | 150 euros |")]
    ['Vienna', '150 euros']
    """
    inside = [line for line in lines if within is None or _is_within(line.box, within)]
    letters = [_letters(line.text) for line in inside]
    wanted = _letters(quote)
    start = "".join(letters).find(wanted) if wanted else -1
    if start < 0:
        return [line for line, own in zip(inside, letters, strict=True) if len(own) >= _LEAST_LETTERS and own in wanted]
    found, place = [], 0
    for line, own in zip(inside, letters, strict=True):
        if own and place < start + len(wanted) and place + len(own) > start:
            found.append(line)
        place += len(own)
    return found


def boxes_by_line(boxes: Sequence[Box]) -> list[Box]:
    """Return one box for those that stand beside each other, such as the cells of a row.

    >>> boxes_by_line([(0, 0, 9, 10), (20, 1, 30, 11), (0, 12, 9, 22)])
    [(0, 0, 30, 11), (0, 12, 9, 22)]
    """
    lines: list[Box] = []
    for x0, y0, x1, y1 in boxes:
        if lines and lines[-1][1] < (y0 + y1) / 2 < lines[-1][3]:
            last = lines.pop()
            lines.append((min(last[0], x0), min(last[1], y0), max(last[2], x1), max(last[3], y1)))
        else:
            lines.append((x0, y0, x1, y1))
    return lines


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, equal_words(text)))


def _is_within(box: Box, within: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    x0, y0, x1, y1 = within
    return x0 - _SLACK_PT <= x <= x1 + _SLACK_PT and y0 - _SLACK_PT <= y <= y1 + _SLACK_PT
