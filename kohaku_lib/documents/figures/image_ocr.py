"""OCR of the text inside raster figures."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.documents.figures.image_texts import DescribeCrew
from kohaku_lib.documents.ocr import OcrEngine, engine_identity, figure_setting_names, read_figure_text
from kohaku_lib.settings import DocumentsSettings

_LEAST_SIDE_PX, _MOST_SIDE_PX = 120, 1024  # smaller ones are logos and icons
_LEAST_LETTERS = 3  # an icon may be recognised as a letter or a Chinese character


class OcrDescriber:
    """Describer that returns OCR text; "" if the image is small or the text is short or of low confidence.

    The work is bounded, as no process of its own does it: one pass over at most 1024 x 1024 pixels per image.
    """

    workers = 1  # the engine is itself multi-threaded

    def __init__(self, engine: OcrEngine, settings: DocumentsSettings, crew: DescribeCrew | None = None) -> None:
        self.crew = crew
        self._engine = engine
        self._settings = settings

    def key(self, sha256: str) -> str:
        """Return the cache key of the text of an image."""
        chosen = {name: getattr(self._settings, name) for name in figure_setting_names(self._settings)}
        return digest(["figure", sha256, {**chosen, "ocr": engine_identity(self._settings.ocr)}])

    def text(self, image: Mapping[str, Any]) -> str:
        """Return the text recognised on an image, a row of DOCUMENT_IMAGES.

        Raises:
            OSError: The image is damaged.

        """
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
