"""Divide large images into overlapping tiles."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A pixel rectangle with exclusive `y1` and `x1`; tiles sort in reading order."""

    y0: int
    x0: int
    y1: int
    x1: int


def tile_image(width: int, height: int, tile_size: int, overlap: int, max_tiles: int) -> list[Tile]:
    """Return overlapping tiles that cover the image, in reading order; one if the image is not larger than a tile.

    The last tiles of rows and columns are shifted inwards to the full size; duplicates are dropped. If there are more
    than `max_tiles`, step and tile size are increased until there are not.

    >>> tile_image(2000, 1000, 1024, 128, 16)
    [Tile(y0=0, x0=0, y1=1000, x1=1024), Tile(y0=0, x0=896, y1=1000, x1=1920), Tile(y0=0, x0=976, y1=1000, x1=2000)]
    """
    step = tile_size - overlap
    tiles = _tiles_of_step(width, height, step, overlap)
    while len(tiles) > max_tiles:
        step = max(step + 1, math.ceil(step * math.sqrt(len(tiles) / max_tiles) * 0.95))
        tiles = _tiles_of_step(width, height, step, overlap)
    return tiles


def _tiles_of_step(width: int, height: int, step: int, overlap: int) -> list[Tile]:
    size = step + overlap
    return sorted(
        {
            Tile(y0, x0, min(y0 + size, height), min(x0 + size, width))
            for y0 in _tile_starts(height, size, step)
            for x0 in _tile_starts(width, size, step)
        }
    )


def _tile_starts(length: int, size: int, step: int) -> list[int]:
    if length <= size:
        return [0]
    count = math.ceil((length - size) / step) + 1
    return [min(index * step, length - size) for index in range(count)]
