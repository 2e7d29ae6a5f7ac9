"""RapidOCR (PaddleOCR's models, bundled with the package, on OpenVINO) as an OCR engine."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.ocr.engine import OcrLine, Pixels
from kohaku_lib.errors import ModelError
from kohaku_lib.install_command import install_command
from kohaku_lib.openvino_runtime import import_openvino

PACKAGE = "rapidocr"
_LEAST_SCORE = 0.5  # lower scores are specks and drawings
_MODEL_HEIGHT_PX = 48  # line height of the recognition model's input
_LONGEST_SIDE_PX = 2000  # of the input of line detection
_LINE_MARGIN = 1.3  # around a line; with the usual 1.6, and thickened, lines of columns with a narrow gutter become one


class RapidOcrEngine:
    """RapidOCR on `threads` cores.

    Lines are detected on an image of at most 2000 pixels, but recognised at the original resolution: on reduced pixels
    the models lose most spaces between words. The model's scores from 0.5, below which lines are dropped, to 1 are
    mapped to confidences from 0 to 1: good print has 0.9 and more, handwriting, which the models cannot read, about
    0.5.

    Raises:
        ModelError: The package is not installed.

    """

    def __init__(self, threads: int) -> None:
        self._engine = _rapidocr(threads)

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """Return the lines on `pixels`; their corners follow skewed text."""
        import numpy as np

        image = _pad_strip(np.ascontiguousarray(pixels[:, :, ::-1]))
        # The classifier would turn upside-down lines but leave them in the wrong order; `turning` handles them instead.
        quadrilaterals = self._engine(image, use_det=True, use_cls=False, use_rec=False).boxes
        if quadrilaterals is None:
            return []
        places = np.asarray(quadrilaterals, dtype=np.float32)
        pieces = [_reduce_line(piece) for piece in self._engine.crop_text_regions(image, places)]
        read = self._engine.recognize_txt(pieces)
        lines = list(map(_ocr_line, places, read.txts, read.scores))
        lines = [line for line in lines if line.text]
        certain = [line for line in lines if line.confidence]
        return certain or lines  # an upside-down page has only low-confidence lines, but is not blank


def _rapidocr(threads: int) -> Any:
    try:
        from rapidocr import EngineType, RapidOCR
    except ImportError as fault:
        msg = (
            f"documents.ocr = 'rapidocr' needs the package {PACKAGE}, which is not installed; "
            f"run {install_command('ocr')}, or set documents.ocr to 'tesseract' or 'off'"
        )
        raise ModelError(msg) from fault
    import_openvino()  # without telemetry
    settings = {
        "Global.log_level": "critical",
        "Global.max_side_len": _LONGEST_SIDE_PX,
        "Det.engine_type": EngineType.OPENVINO,
        "Det.unclip_ratio": _LINE_MARGIN,
        "Det.use_dilation": False,
        "Rec.engine_type": EngineType.OPENVINO,
        "EngineConfig.openvino.inference_num_threads": threads,
    }
    return RapidOCR(params=settings)


def _pad_strip(image: Any) -> Any:
    """Return the image padded below or on the right to an aspect ratio of at most 2.

    Line detection enlarges the shorter side to 736 pixels, which makes narrow strips huge.
    """
    import numpy as np

    height, width = image.shape[:2]
    below, right = max(0, width // 2 - height), max(0, height // 2 - width)
    if not below and not right:
        return image
    margin = ((0, below), (0, right), (0, 0))
    return np.pad(image, margin, constant_values=int(np.median(image)))


def _reduce_line(piece: Any) -> Any:
    """Return a line's pixels reduced to the model's input height; the model itself would reduce them by dropping rows."""
    import cv2

    height, width = piece.shape[:2]
    if height <= _MODEL_HEIGHT_PX:
        return piece
    size = max(1, round(width * _MODEL_HEIGHT_PX / height)), _MODEL_HEIGHT_PX
    return cv2.resize(piece, size, interpolation=cv2.INTER_AREA)


def _ocr_line(corners: Any, text: str, score: Any) -> OcrLine:
    a, b, c, d = [(float(x), float(y)) for x, y in corners]
    confidence = max(0.0, (float(score) - _LEAST_SCORE) / (1 - _LEAST_SCORE))
    return OcrLine(text.strip(), (a, b, c, d), confidence)
