"""Select the OCR engine from the settings and the installed packages."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator
from functools import cache, lru_cache

from kohaku_lib.documents.ocr.engine import OcrEngine
from kohaku_lib.documents.ocr.rapid import PACKAGE, RapidOcrEngine
from kohaku_lib.documents.ocr.tesseract import TESSERACT_COMMANDS, TesseractEngine, tesseract_version
from kohaku_lib.documents.worker.memory_limit import allow_ocr_memory
from kohaku_lib.install_command import install_command
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import DocumentsSettings

THREADS_VARIABLE = "KOHAKU_OCR_THREADS"  # set by the tasks of a supervisor of several parser processes
_MOST_THREADS = 16  # each thread reserves memory, and more hardly speed up a page


def chosen_engine(ocr: str) -> str:
    """Return the engine for the value of documents.ocr; 'auto' becomes the best installed engine, else 'off'."""
    if ocr != "auto":
        return ocr
    if importlib.util.find_spec(PACKAGE) is not None:
        return "rapidocr"
    return "tesseract" if tesseract_version() is not None else "off"


def engine_identity(ocr: str) -> str:
    """Return the chosen engine with its version, which together determine the recognised text.

    >>> engine_identity("off")
    'off'
    """
    name = chosen_engine(ocr)
    if name == "rapidocr":
        return f"{name} {_package_version()}"
    return f"{name} {tesseract_version()}" if name == "tesseract" else name


def ocr_setting_names(settings: DocumentsSettings) -> Iterator[str]:
    """Yield the names of the settings that affect OCR output with the engine chosen on this machine.

    >>> list(ocr_setting_names(DocumentsSettings(ocr="off")))
    ['ocr']
    """
    yield "ocr"
    engine = chosen_engine(settings.ocr)
    if engine == "off":
        return
    yield from ("ocr_dpi", "ocr_confidence", "ocr_retries", "tiling")
    if engine == "tesseract":
        yield "ocr_language"
    if settings.tiling != "off":
        yield from ("tile_threshold", "tile_size", "tile_overlap", "max_tiles", "merge_strategy")
        if settings.merge_strategy != "concat":
            yield "fuzzy_ratio"


def figure_setting_names(settings: DocumentsSettings) -> Iterator[str]:
    """Yield those of `ocr_setting_names` that affect the text of figures, which are read once and without tiles.

    >>> list(figure_setting_names(DocumentsSettings(ocr="tesseract")))
    ['ocr', 'ocr_confidence', 'ocr_language']
    """
    yield "ocr"
    engine = chosen_engine(settings.ocr)
    if engine != "off":
        yield "ocr_confidence"
    if engine == "tesseract":
        yield "ocr_language"


def open_engine(settings: DocumentsSettings) -> OcrEngine | None:
    """Return the OCR engine of `settings`, loaded once per process; None if OCR is off or unavailable.

    Raises:
        ModelError: The configured engine or Tesseract language is not installed.

    """
    name = chosen_engine(settings.ocr)
    if name == "rapidocr":
        return _rapidocr_engine(_thread_count())
    return TesseractEngine(settings.ocr_language, settings.time_limit_s) if name == "tesseract" else None


def is_engine_loaded() -> bool:
    """Return whether the models of an OCR engine are loaded in this process."""
    return _rapidocr_engine.cache_info().currsize > 0


def ocr_remedy(settings: DocumentsSettings) -> str:
    """Return a clause that explains how to enable OCR.

    >>> ocr_remedy(DocumentsSettings(ocr="off"))
    "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    """
    if settings.ocr == "off":
        return "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    ways = filter(None, (install_command("ocr"), f"the command tesseract ({TESSERACT_COMMANDS})"))
    return f"install an engine for documents.ocr = 'auto': {', or '.join(ways)}"


@lru_cache(maxsize=1)
def _rapidocr_engine(threads: int) -> RapidOcrEngine:
    allow_ocr_memory()
    return RapidOcrEngine(threads)


def _thread_count() -> int:
    stated = os.environ.get(THREADS_VARIABLE, "")
    return min(max(1, int(stated)) if stated.isdigit() else available_cores(), _MOST_THREADS)


@cache
def _package_version() -> str:
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
