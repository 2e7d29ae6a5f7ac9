"""Convert OCR lines to the page text model of PDFs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, normalised_text
from kohaku_lib.documents.ocr.engine import OcrLine
from kohaku_lib.documents.ocr.read_image import OcrText

_CERTAIN_BULLET = re.compile(r"[·●•]\s*(?=[^\W\d])")
_BULLET = re.compile(r"(?:[·●*•]\s*|[¢©®]\s+)(?=[^\W\d])")
_LEAST_BULLETS = 3  # on a page; one or two may be a footnote or copyright sign
_SIZE_SHARE = 0.75  # font size as a share of the line height
_SAME_SIZE = 1.35  # a line's height depends on its letters: "once" is lower than "Only"
_BOLD = 1.3  # times the median stroke width
_SAME_EDGE_EM = 0.5


def page_of_ocr(read: OcrText, number: int, scale: float, turn: int) -> PageText:
    """Return page `number` with the lines of `read`; `scale` is points per pixel, `turn` as in PageText.

    Line heights depend on the letters and left edges are noisy; similar sizes are unified and nearly aligned edges
    snapped, so that paragraphs are not split.
    """
    converted = [(_page_line(line, scale), (line.stroke or 0.0) * scale) for line in read.lines]
    converted = [
        (line, stroke) for line, stroke in converted if line.text and line.box.width > 0 and line.box.height > 0
    ]
    sized = _with_uniform_sizes(_with_normal_bullets([line for line, _ in converted]))
    lines = _with_snapped_edges(_with_bold(sized, [stroke for _, stroke in converted]))
    return PageText(number, read.width * scale, read.height * scale, tuple(lines), turn=turn)


def _page_line(line: OcrLine, scale: float) -> Line:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = line.corners
    box = Box(min(ax, dx) * scale, (ay + by) / 2 * scale, max(bx, cx) * scale, (cy + dy) / 2 * scale)
    return Line(normalised_text(line.text), box, _SIZE_SHARE * box.height, False, -1)


def _with_normal_bullets(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with normalised bullets "•", which engines recognise as various characters."""
    is_list = sum(_BULLET.match(line.text) is not None for line in lines) >= _LEAST_BULLETS
    sign = _BULLET if is_list else _CERTAIN_BULLET
    return [
        replace(line, text=f"• {line.text[found.end() :]}") if (found := sign.match(line.text)) else line
        for line in lines
    ]


def _with_uniform_sizes(lines: Sequence[Line]) -> list[Line]:
    """Return the lines, in order, with similar sizes replaced by their median, starting from the most common size."""
    sizes: dict[int, float] = {}
    left = set(range(len(lines)))
    while left:
        usual = median(lines[index].size for index in left for _ in lines[index].text)
        alike = {index for index in left if usual / _SAME_SIZE <= lines[index].size <= usual * _SAME_SIZE}
        sizes.update(dict.fromkeys(alike, float(round(usual, 1))))
        left -= alike
    return [replace(line, size=sizes[index]) for index, line in enumerate(lines)]


def _with_bold(lines: Sequence[Line], strokes: Sequence[float]) -> list[Line]:
    """Return the lines, bold if their stroke width relative to their size is well above the median; 0 is unknown."""
    shares = [stroke / line.size for line, stroke in zip(lines, strokes, strict=True)]
    known = [share for line, share in zip(lines, shares, strict=True) if share for _ in line.text]
    least = _BOLD * median(known) if known else float("inf")
    return [replace(line, bold=share >= least) for line, share in zip(lines, shares, strict=True)]


def _with_snapped_edges(lines: Sequence[Line]) -> list[Line]:
    """Return the lines, in order, with left edges that differ by less than 0.5 em snapped together."""
    edges: dict[int, float] = {}
    group: list[int] = []
    for index in sorted(range(len(lines)), key=lambda index: lines[index].box.x0):
        if group and lines[index].box.x0 - lines[group[0]].box.x0 > _SAME_EDGE_EM * lines[group[0]].size:
            group = []
        group.append(index)
        edge = lines[group[0]].box.x0
        edges.update(dict.fromkeys(group, edge))
    return [replace(line, box=replace(line.box, x0=edges[index])) for index, line in enumerate(lines)]
