"""How thick the strokes of a line's letters are, from which bold type is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kohaku_lib.documents.ocr.engine import OcrLine, Pixels

_LEAST_CONTRAST = 60  # of 255; less is no print


def with_strokes(lines: Sequence[OcrLine], pixels: Pixels) -> list[OcrLine]:
    """Return the lines with the thickness, in pixels, of the strokes within their upright rectangles on `pixels`."""
    return [replace(line, stroke=_stroke(_cut(pixels, line))) for line in lines]


def stroke_width(grey: npt.NDArray[np.uint8]) -> float | None:
    """Return the mean of the middle half of the runs of ink along the rows of a piece of print; None without ink.

    Ink is the rarer side of the middle between the darkest and the brightest pixel, so white on black does as well.
    Of letters most such runs are stems.

    >>> stroke_width(np.tile(np.array([255, 255, 0, 0, 255, 255, 255, 0, 0, 255], np.uint8), (4, 1)))
    2.0
    """
    low, high = int(grey.min(initial=255)), int(grey.max(initial=0))
    if high - low < _LEAST_CONTRAST:
        return None
    ink = grey < (low + high) / 2
    if 2 * ink.sum() > ink.size:
        ink = ~ink
    steps = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    runs = np.sort(np.nonzero(steps < 0)[1] - np.nonzero(steps > 0)[1])
    quarter = len(runs) // 4
    return float(runs[quarter : len(runs) - quarter].mean())


def _stroke(piece: Pixels) -> float | None:
    return stroke_width(piece[:, :, 1]) if piece.size else None


def _cut(pixels: Pixels, line: OcrLine) -> Pixels:
    return pixels[max(0, int(line.y0)) : int(line.y1) + 1, max(0, int(line.x0)) : int(line.x1) + 1]
