"""Reading the words within a figure that is stored as pixels."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.documents.ocr import OcrEngine, engine_identity, figure_setting_names, read_figure_text
from kohaku_lib.settings import DocumentsSettings

_LEAST_SIDE_PX, _MOST_SIDE_PX = 120, 1024  # smaller ones are logos and icons
_LEAST_LETTERS = 3  # an icon may be taken for a letter, or for a Chinese character


class OcrDescriber:
    """Gives an image the text that an OCR engine reads on it; "" where the image is small, or the text doubtful or of no length.

    It works in the calling process, so its work is bounded: one reading of at most 1024 x 1024 pixels per image.
    """

    workers = 1  # the engine keeps all cores busy by itself

    def __init__(self, engine: OcrEngine, settings: DocumentsSettings) -> None:
        self._engine = engine
        self._settings = settings

    def key(self, sha256: str) -> str:
        """Return under what the text of the image with these bytes is kept."""
        chosen = {name: getattr(self._settings, name) for name in figure_setting_names(self._settings)}
        return digest(["figure", sha256, {**chosen, "ocr": engine_identity(self._settings.ocr)}])

    def text(self, image: Mapping[str, Any]) -> str:
        """Return the lines read on an image (a row of DOCUMENT_IMAGES); raises OSError where it is damaged."""
        import numpy as np
        from PIL import Image

        if min(image["width"], image["height"]) < _LEAST_SIDE_PX:
            return ""
        picture = Image.open(io.BytesIO(image["bytes"])).convert("RGBA")
        paper = Image.new("RGBA", picture.size, "white")
        paper.alpha_composite(picture)
        paper.thumbnail((_MOST_SIDE_PX, _MOST_SIDE_PX))
        read = read_figure_text(np.asarray(paper.convert("RGB")), self._engine, self._settings)
        letters = sum(map(str.isalnum, read.text))
        return "" if read.low_confidence or letters < _LEAST_LETTERS else read.text
