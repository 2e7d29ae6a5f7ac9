"""OCR: engines, tiling, orientation and confidence."""

from kohaku_lib.documents.ocr.engine import Corners, OcrEngine, OcrLine, Pixels, corners_of
from kohaku_lib.documents.ocr.engine_selection import (
    chosen_engine,
    engine_identity,
    figure_setting_names,
    is_engine_loaded,
    ocr_setting_names,
    open_engine,
)
from kohaku_lib.documents.ocr.read_image import OcrText, read_figure_text, read_image_text, read_rendered

__all__ = [
    "Corners",
    "OcrEngine",
    "OcrLine",
    "OcrText",
    "Pixels",
    "chosen_engine",
    "corners_of",
    "engine_identity",
    "figure_setting_names",
    "is_engine_loaded",
    "ocr_setting_names",
    "open_engine",
    "read_figure_text",
    "read_image_text",
    "read_rendered",
]
