"""Orientation and skew correction of images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from kohaku_lib.documents.ocr.confidence import lines_confidence
from kohaku_lib.documents.ocr.engine import Corners, OcrLine, Pixels, Point

_PROBE_PX = 900  # side of the region read in every orientation
_SHORTEST_TEXT = 3  # characters; shorter lines may be taller than wide
_TALL_SHARE = 0.5
_DOUBTFUL = 0.7  # mean confidence below which text may be upside down
_LEAST_SKEW_DEGREES = 0.2
_MOST_SKEW_DEGREES = 20.0


def find_turn(pixels: Pixels, lines: Sequence[OcrLine], read: Callable[[Pixels], list[OcrLine]]) -> int:
    """Return the number of clockwise quarter turns, 0 to 3, that make `pixels` upright; `lines` are their OCR lines.

    Pages with confident lines wider than tall need no further OCR. Otherwise the region with the most text is read in
    all four orientations, and the one with the most characters, weighted by confidence, is chosen.
    """
    import numpy as np

    if not looks_turned(lines):
        return 0
    piece = _densest_piece(pixels, lines)
    scores = [_orientation_score(read(np.ascontiguousarray(np.rot90(piece, -turn)))) for turn in range(4)]
    return max(range(4), key=lambda turn: (scores[turn], -turn))


def looks_turned(lines: Sequence[OcrLine]) -> bool:
    """Return whether the lines are mostly taller than wide or of low confidence."""
    letters = sum(len(line.text) for line in lines)
    tall = sum(len(line.text) for line in lines if len(line.text) >= _SHORTEST_TEXT and line.height > line.width)
    return letters > 0 and (tall > _TALL_SHARE * letters or lines_confidence(lines) < _DOUBTFUL)


def without_skew(lines: Sequence[OcrLine], width: int, height: int) -> tuple[list[OcrLine], float]:
    """Return the lines rotated about the image centre to be horizontal, and their skew in degrees.

    The skew (positive for falling lines) is the median over the lines weighted by width; below 0.2 and above 20
    degrees nothing is rotated.
    """
    degrees = _skew_degrees(lines)
    if not _LEAST_SKEW_DEGREES <= abs(degrees) <= _MOST_SKEW_DEGREES:
        return list(lines), 0.0
    rotated = [replace(line, corners=_rotate_corners(line.corners, degrees, (width / 2, height / 2))) for line in lines]
    return rotated, degrees


def _skew_degrees(lines: Sequence[OcrLine]) -> float:
    angles = sorted(
        (math.degrees(math.atan2(line.corners[1][1] - line.corners[0][1], line.corners[1][0] - line.corners[0][0])), w)
        for line in lines
        if (w := line.width) > 2 * line.height
    )
    half, passed = sum(weight for _, weight in angles) / 2, 0.0
    for angle, weight in angles:
        passed += weight
        if passed >= half:
            return angle
    return 0.0


def _rotate_corners(corners: Corners, degrees: float, middle: Point) -> Corners:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def rotate_point(point: Point) -> Point:
        x, y = point[0] - middle[0], point[1] - middle[1]
        return middle[0] + x * cosine + y * sine, middle[1] - x * sine + y * cosine

    a, b, c, d = corners
    return rotate_point(a), rotate_point(b), rotate_point(c), rotate_point(d)


def _densest_piece(pixels: Pixels, lines: Sequence[OcrLine]) -> Pixels:
    """Return the square of the image around the line with the most text nearby."""
    height, width = pixels.shape[:2]
    half = _PROBE_PX / 2
    middles = [((line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2, len(line.text)) for line in lines]

    def near(x: float, y: float) -> int:
        return sum(n for other_x, other_y, n in middles if abs(other_x - x) < half and abs(other_y - y) < half)

    x, y, _ = max(middles, key=lambda middle: near(middle[0], middle[1]))
    x0, y0 = (round(min(max(0.0, at - half), max(0, side - _PROBE_PX))) for at, side in ((x, width), (y, height)))
    return pixels[y0 : y0 + _PROBE_PX, x0 : x0 + _PROBE_PX]


def _orientation_score(lines: Sequence[OcrLine]) -> float:
    """Return the number of characters in lines wider than tall, weighted by the lines' confidence."""
    level = [line for line in lines if line.width >= line.height]
    return lines_confidence(level) * sum(len(line.text) for line in level) if level else 0.0
