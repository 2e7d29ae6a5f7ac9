"""The interface of OCR engines: pixels in, lines of text out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Pixels: TypeAlias = npt.NDArray[np.uint8]  # (height, width, 3), RGB
Point: TypeAlias = tuple[float, float]
Corners: TypeAlias = tuple[Point, Point, Point, Point]  # from the line's top left, clockwise


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text with its corners in pixels, y downwards.

    `confidence` is in [0, 1], `stroke` the stroke width in pixels; None if unknown.
    """

    text: str
    corners: Corners
    confidence: float | None
    stroke: float | None = None

    @property
    def x0(self) -> float:
        """Return the left edge."""
        return min(x for x, _ in self.corners)

    @property
    def y0(self) -> float:
        """Return the upper edge."""
        return min(y for _, y in self.corners)

    @property
    def x1(self) -> float:
        """Return the right edge."""
        return max(x for x, _ in self.corners)

    @property
    def y1(self) -> float:
        """Return the lower edge."""
        return max(y for _, y in self.corners)

    @property
    def width(self) -> float:
        """Return the width of the axis-aligned bounding box."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Return the height of the axis-aligned bounding box."""
        return self.y1 - self.y0


class OcrEngine(Protocol):
    """Recognises the text of one image of moderate size; a blank image has no lines."""

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """Return the lines on `pixels`, in any order."""
        ...


def corners_of(x0: float, y0: float, x1: float, y1: float) -> Corners:
    """Return the corners of an axis-aligned rectangle.

    >>> corners_of(1, 2, 3, 4)
    ((1, 2), (3, 2), (3, 4), (1, 4))
    """
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)
