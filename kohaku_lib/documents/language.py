"""Language detection for documents."""

from __future__ import annotations

import os
import re
import shutil
import threading
import unicodedata
from array import array
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.storage import user_cache_folder
from kohaku_lib.storage.matrix_files import map_matrix

_LOADING = threading.Lock()
_LEAST_LETTERS = 200
_LEAST_CERTAINTY = 0.9
_WINDOW_CHARS = 3000
_WINDOWS = 4
_NOISE = re.compile(r"https?://\S+|\S{1,64}@\S+|```.*?```|[\d|*#_`~<>{}=+\\/\[\]()]+", re.DOTALL)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # one such letter counts as three Latin ones
_LAYOUT = 1  # increment when the file layout of the cached model changes


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`; None if it is too short, mixed or uncertain.

    py3langid classifies up to four windows of the text without numbers, addresses and code. The majority of the
    windows must agree with the classification of all windows together, and its probability must be at least 0.9.
    Texts of fewer than 200 letters (70 in Chinese, Japanese or Korean) are too short: a wrong language is worse
    than none.

    >>> detect_language("Die Anlage wurde im Jahr 2021 gebaut und liefert seitdem Strom für die ganze Stadt. " * 4)
    'de'
    >>> detect_language("GPT-3") is None
    True
    """
    cleaned = " ".join(_NOISE.sub(" ", text[: 40 * _WINDOW_CHARS]).split())
    windows = [window for window in _sample_windows(cleaned) if _count_letters(window) >= _LEAST_LETTERS]
    if not windows:
        return None
    classified = [_shared_identifier().classify(window)[0] for window in windows]
    language, certainty = _shared_identifier().classify(" ".join(windows))
    agreeing = sum(one == language for one in classified)
    is_certain = certainty >= _LEAST_CERTAINTY and 2 * agreeing > len(classified) and len(language) == 2
    return language if is_certain else None


def _sample_windows(text: str) -> list[str]:
    if len(text) <= _WINDOW_CHARS * _WINDOWS:
        return [text]
    step = (len(text) - _WINDOW_CHARS) // (_WINDOWS - 1)
    return [text[step * at : step * at + _WINDOW_CHARS] for at in range(_WINDOWS)]


def _count_letters(text: str) -> int:
    """Return the number of letters and combining marks, with CJK letters counted three times."""
    return sum(unicodedata.category(sign)[0] in "LM" for sign in text) + 2 * len(_WIDE.findall(text))


def load_language_model() -> None:
    """Load the model of `detect_language` ahead of time (about 0.5 s on first use); thread-safe."""
    _shared_identifier()


def _shared_identifier() -> Any:
    with _LOADING:
        return _load_shared_identifier()


@cache
def _load_shared_identifier() -> Any:
    return language_identifier()


def language_identifier() -> Any:
    """Return py3langid's identifier with normalised probabilities, loaded from the user's cache if possible.

    If the cache cannot be read or written, the library unpacks its own model file.

    >>> language_identifier().classify("Der Maschinenraum des Hauses hat viel mehr Strom verbraucht.")[0]
    'de'
    """
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    folder = user_cache_folder("language", digest([_LAYOUT, py3langid.__version__]))
    with suppress(Exception):  # a damaged file can fail in any way
        return _cached_identifier(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # OSError: also raised while another process writes the cache. AttributeError: a later library version renamed parts.
    with suppress(OSError, AttributeError):
        _cache_identifier(identifier, folder)
    return identifier


def _cached_identifier(folder: Path) -> Any:
    from py3langid.langid import LanguageIdentifier

    def matrix(name: str) -> np.ndarray:
        return map_matrix(folder / f"{name}.npy")

    output, languages = matrix("output").tolist(), matrix("languages").tolist()
    moves, rows = _to_int_array(matrix("moves")), _to_int_array(matrix("rows"))
    return LanguageIdentifier(matrix("shares"), matrix("prior"), languages, moves, output, norm_probs=True, tk_row=rows)


def _cache_identifier(identifier: Any, folder: Path) -> None:
    """Write the parts of `identifier` to `folder` atomically and durably."""
    from filelock import FileLock

    parts = {
        "shares": identifier.nb_ptc,
        "prior": identifier.nb_pc,
        "languages": np.array(identifier.nb_classes),
        "output": np.array(identifier.tk_output),
        "moves": np.asarray(identifier.tk_nextmove),
        "rows": np.asarray(identifier.tk_row),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(
        f"{folder.name}.partial"
    )  # fixed name, so that leftovers of a killed process are replaced
    with FileLock(f"{folder}.lock", timeout=0):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        for name, values in parts.items():
            with (partial / f"{name}.npy").open("wb") as stream:
                np.save(stream, values)
                stream.flush()
                os.fsync(stream.fileno())
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)


def _to_int_array(values: np.ndarray) -> array[int]:
    """Return an integer array as `array`, which Python indexes fastest."""
    codes = {array(code).itemsize: code for code in "QLIHB"}
    integers = array(codes[values.itemsize])
    integers.frombytes(values.data.cast("B"))
    return integers
