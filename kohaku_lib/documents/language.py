"""The language that a document is written in."""

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
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # one of these letters says as much as three Latin ones
_LAYOUT = 1  # raised where the files of an unpacked model change


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`; None where it is too short, mixed or not certain.

    Up to four windows over the text are judged by py3langid, without numbers, addresses and code; most of them, and
    all of them together, must say the same with certainty. Texts of fewer than 200 letters (70 of Chinese, Japanese
    or Korean) are too short: a wrong language costs more than none.

    >>> detect_language("Die Anlage wurde im Jahr 2021 gebaut und liefert seitdem Strom für die ganze Stadt. " * 4)
    'de'
    >>> detect_language("GPT-3") is None
    True
    """
    plain = " ".join(_NOISE.sub(" ", text[: 40 * _WINDOW_CHARS]).split())
    windows = [window for window in _windows(plain) if _letters(window) >= _LEAST_LETTERS]
    if not windows:
        return None
    judged = [_identifier().classify(window)[0] for window in windows]
    language, certainty = _identifier().classify(" ".join(windows))
    agreeing = sum(one == language for one in judged)
    is_certain = certainty >= _LEAST_CERTAINTY and 2 * agreeing > len(judged) and len(language) == 2
    return language if is_certain else None


def _windows(text: str) -> list[str]:
    if len(text) <= _WINDOW_CHARS * _WINDOWS:
        return [text]
    step = (len(text) - _WINDOW_CHARS) // (_WINDOWS - 1)
    return [text[step * at : step * at + _WINDOW_CHARS] for at in range(_WINDOWS)]


def _letters(text: str) -> int:
    """Return the number of letters, with the signs that some scripts write vowels by."""
    return sum(unicodedata.category(sign)[0] in "LM" for sign in text) + 2 * len(_WIDE.findall(text))


def load_language_model() -> None:
    """Load what `detect_language` asks, which takes half a second the first time; another thread may do so."""
    _identifier()


def _identifier() -> Any:
    with _LOADING:
        return _loaded_identifier()


@cache
def _loaded_identifier() -> Any:
    return language_identifier()


def language_identifier() -> Any:
    """Return py3langid's identifier with normalised probabilities, from this user's cache where it was unpacked before.

    Where the cache cannot be written, or what lies there cannot be read, the library unpacks it anew.

    >>> language_identifier().classify("Der Maschinenraum des Hauses hat viel mehr Strom verbraucht.")[0]
    'de'
    """
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    folder = user_cache_folder("language", digest([_LAYOUT, py3langid.__version__]))
    with suppress(Exception):  # a damaged file can fail in any way
        return _unpacked(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # OSError also where another process is writing it; AttributeError where a later library calls its parts otherwise.
    with suppress(OSError, AttributeError):
        _keep(identifier, folder)
    return identifier


def _unpacked(folder: Path) -> Any:
    from py3langid.langid import LanguageIdentifier

    def mapped(name: str) -> np.ndarray:
        return map_matrix(folder / f"{name}.npy")

    output, languages = mapped("output").tolist(), mapped("languages").tolist()
    moves, rows = _plain(mapped("moves")), _plain(mapped("rows"))
    return LanguageIdentifier(mapped("shares"), mapped("prior"), languages, moves, output, norm_probs=True, tk_row=rows)


def _keep(identifier: Any, folder: Path) -> None:
    """Write the parts of `identifier` to `folder`, all or none, and durable."""
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
    partial = folder.with_name(f"{folder.name}.partial")  # of this name alone, so that what a kill leaves is used again
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


def _plain(values: np.ndarray) -> array[int]:
    """Return whole numbers as what Python looks them up in fastest."""
    codes = {array(code).itemsize: code for code in "QLIHB"}
    found = array(codes[values.itemsize])
    found.frombytes(values.data.cast("B"))
    return found
