"""The language that a document is written in."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache
from typing import Any

from kohaku_lib.documents.language_model import language_identifier

_LOADING = threading.Lock()
_LEAST_LETTERS = 200
_LEAST_CERTAINTY = 0.9
_WINDOW_CHARS = 3000
_WINDOWS = 4
_NOISE = re.compile(r"https?://\S+|\S{1,64}@\S+|```.*?```|[\d|*#_`~<>{}=+\\/\[\]()]+", re.DOTALL)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # one of these letters says as much as three Latin ones


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
