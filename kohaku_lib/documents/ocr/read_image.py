"""Read the text of an image: tile large ones, correct the orientation, retry low-confidence results enlarged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

import numpy as np
import numpy.typing as npt

from kohaku_lib.documents.ocr.confidence import lines_confidence, tiles_confidence
from kohaku_lib.documents.ocr.engine import OcrEngine, OcrLine, Pixels
from kohaku_lib.documents.ocr.orientation import find_turn, without_skew
from kohaku_lib.documents.ocr.stitching import TileLines, stitch_tiles
from kohaku_lib.documents.ocr.tiling import Tile, tile_image
from kohaku_lib.settings import DocumentsSettings

_SCALES = (1.5, 2.0)  # enlargements of the successive retries
_MOST_PIXELS = 40_000_000
_SMALL_TEXT = 1 / 130  # of the longer side: twelve of the 1,600 pixels of RapidOCR's line detection
_LEAST_CONTRAST = 60  # of 255; less contrast is not print


@dataclass(frozen=True, slots=True)
class OcrText:
    """The OCR result of an image of `width` × `height` pixels, after `turn` quarter turns clockwise.

    `confidence` is 0 if nothing was recognised; `low_confidence` means that it is below documents.ocr_confidence.
    """

    lines: tuple[OcrLine, ...]
    width: int
    height: int
    turn: int
    confidence: float
    low_confidence: bool = False

    @property
    def text(self) -> str:
        """Return the lines from top to bottom, side by side ones from left to right."""
        rows: list[list[OcrLine]] = []
        for line in sorted(self.lines, key=lambda line: line.y0 + line.y1):
            if rows and (line.y0 + line.y1) / 2 < rows[-1][0].y1 - 0.2 * rows[-1][0].height:
                rows[-1].append(line)
            else:
                rows.append([line])
        return "\n".join(" ".join(line.text for line in sorted(row, key=lambda line: line.x0)) for row in rows)


def read_image_text(pixels: Pixels, engine: OcrEngine, settings: DocumentsSettings) -> OcrText:
    """Return the text on `pixels` (height, width, 3; RGB), without lines if there is none.

    Images over `settings.tile_threshold` pixels in either direction are read in tiles; with `settings.tiling` "auto"
    only if a first pass finds small text or none. A result below `settings.ocr_confidence` is retried on the enlarged
    image, at most `settings.ocr_retries` times; the most confident result is returned.
    """
    return read_rendered(partial(_enlarge, pixels), engine, settings)


def read_figure_text(pixels: Pixels, engine: OcrEngine, settings: DocumentsSettings) -> OcrText:
    """Return the text of a figure in a single pass: no tiles, no orientation, no retries, regardless of the settings.

    Figures have few words, and most are photographs, which would otherwise be read up to six times.
    """
    height, width = pixels.shape[:2]
    lines, _ = without_skew(engine.read(pixels), width, height)
    confidence = lines_confidence(lines) if lines else 0.0
    doubtful = bool(lines) and confidence < settings.ocr_confidence
    return OcrText(tuple(lines), width, height, 0, confidence, doubtful)


def read_rendered(render: Callable[[float], Pixels], engine: OcrEngine, settings: DocumentsSettings) -> OcrText:
    """Return the text as `read_image_text` does, of an image drawn by `render(scale)`; sizes are those of scale 1."""
    pixels = render(1.0)
    best = _read_upright(pixels, engine, settings)
    for scale in _SCALES[: settings.ocr_retries]:
        enough = pixels.shape[0] * pixels.shape[1] * scale**2 > _MOST_PIXELS
        if not best.lines or best.confidence >= settings.ocr_confidence or enough:
            break
        again = _read_upright(render(scale), engine, settings)
        if again.confidence > best.confidence:
            best = _scale_to(again, 1 / scale, best)
    return replace(best, low_confidence=bool(best.lines) and best.confidence < settings.ocr_confidence)


def _read_upright(pixels: Pixels, engine: OcrEngine, settings: DocumentsSettings) -> OcrText:
    import numpy as np

    lines, confidence = _read_tiled(pixels, engine, settings)
    turn = find_turn(pixels, lines, engine.read)
    if turn:
        pixels = np.ascontiguousarray(np.rot90(pixels, -turn))
        lines, confidence = _read_tiled(pixels, engine, settings)
    height, width = pixels.shape[:2]
    level, _ = without_skew(with_strokes(lines, pixels), width, height)
    return OcrText(tuple(level), width, height, turn, confidence)


def _read_tiled(pixels: Pixels, engine: OcrEngine, settings: DocumentsSettings) -> tuple[list[OcrLine], float]:
    """Return the lines on `pixels` and their confidence."""
    height, width = pixels.shape[:2]
    tiles = _tiles_of_image(width, height, settings)
    if len(tiles) <= 1 or settings.tiling == "auto":
        lines = engine.read(pixels)
        if len(tiles) <= 1 or not _is_small(lines, max(width, height)):
            return lines, lines_confidence(lines) if lines else 0.0
    read = list(_read_each(pixels, tiles, engine))
    confidence = tiles_confidence([lines_confidence(tile.lines) for tile in read if tile.lines])
    return stitch_tiles(read, (width, height), settings.merge_strategy, settings.fuzzy_ratio), confidence


def _tiles_of_image(width: int, height: int, settings: DocumentsSettings) -> list[Tile]:
    if settings.tiling == "off" or max(width, height) <= settings.tile_threshold:
        return []
    return tile_image(width, height, settings.tile_size, settings.tile_overlap, settings.max_tiles)


def _is_small(lines: Sequence[OcrLine], longest_side: int) -> bool:
    """Return whether there are no lines or so small ones that line detection probably missed others."""
    if not lines:
        return True
    return median(min(line.height, line.width) for line in lines) < _SMALL_TEXT * longest_side


def _read_each(pixels: Pixels, tiles: list[Tile], engine: OcrEngine) -> Iterator[TileLines]:
    import numpy as np

    for tile in tiles:
        lines = engine.read(np.ascontiguousarray(pixels[tile.y0 : tile.y1, tile.x0 : tile.x1]))
        yield TileLines(tile, tuple(_transform_line(line, 1.0, tile.x0, tile.y0) for line in lines))


def _transform_line(line: OcrLine, factor: float, x: float = 0.0, y: float = 0.0) -> OcrLine:
    a, b, c, d = ((px * factor + x, py * factor + y) for px, py in line.corners)
    stroke = line.stroke * factor if line.stroke is not None else None
    return replace(line, corners=(a, b, c, d), stroke=stroke)


def _scale_to(text: OcrText, factor: float, like: OcrText) -> OcrText:
    """Return `text` in the pixel coordinates of the first result, `like`, which may have another orientation."""
    same_way = (text.turn - like.turn) % 2 == 0
    width, height = (like.width, like.height) if same_way else (like.height, like.width)
    return replace(text, lines=tuple(_transform_line(line, factor) for line in text.lines), width=width, height=height)


def _enlarge(pixels: Pixels, scale: float) -> Pixels:
    import numpy as np
    from PIL import Image

    if scale == 1.0:
        return pixels
    height, width = pixels.shape[:2]
    size = round(width * scale), round(height * scale)
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS))


def with_strokes(lines: Sequence[OcrLine], pixels: Pixels) -> list[OcrLine]:
    """Return the lines with the stroke width, in pixels, inside their bounding boxes on `pixels`."""
    return [replace(line, stroke=_stroke_of_piece(_crop(pixels, line))) for line in lines]


def stroke_width(grey: npt.NDArray[np.uint8]) -> float | None:
    """Return the interquartile mean of the horizontal ink runs of a piece of print, None without ink.

    Ink is the rarer class when thresholding halfway between the darkest and the brightest pixel, so white on black
    works as well. Most runs in letters are stems.

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


def _stroke_of_piece(piece: Pixels) -> float | None:
    return stroke_width(piece[:, :, 1]) if piece.size else None


def _crop(pixels: Pixels, line: OcrLine) -> Pixels:
    return pixels[max(0, int(line.y0)) : int(line.y1) + 1, max(0, int(line.x0)) : int(line.x1) + 1]
