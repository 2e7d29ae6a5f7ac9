"""Stems of words by Snowball, and the stemmer of a language by its code."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kohaku_lib.errors import SettingsError

AUTO = "auto"  # the setting that leaves the choice to each document and each question
USUAL = "english"  # where a language is not known
NONE = "none"


def stemmer_of(language: str | None, setting: str) -> str:
    """Return the stemmer of a text in `language` (an ISO 639-1 code, None: unknown) under lexical.stemmer = `setting`.

    Only "auto" depends on the language: English if it is unknown, "none" if Snowball has no stemmer for it.

    >>> stemmer_of("de", "auto"), stemmer_of(None, "auto"), stemmer_of("zh", "auto"), stemmer_of("de", "french")
    ('german', 'english', 'none', 'french')
    """
    if setting != AUTO:
        return setting
    return USUAL if language is None else _OF_LANGUAGE.get(language, NONE)


def stem(word: str, stemmer: str = USUAL) -> str:
    """Return the stem of a lower-case word by this Snowball stemmer; words with a digit, and all by "none", are unchanged.

    Raises:
        SettingsError: There is no such stemmer.

    >>> stem("news"), stem("trained"), stem("gpt-3"), stem("katzen", "german"), stem("trained", "none")
    ('news', 'train', 'gpt-3', 'katz', 'trained')
    """
    return word if stemmer == NONE or any(map(str.isdigit, word)) else _stemming_function(stemmer)(word)


_OF_LANGUAGE = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_local = threading.local()


def _stemming_function(name: str) -> Callable[[str], str]:
    """Return a stemming function for this thread alone: Snowball stemmers keep state and must not be shared."""
    functions: dict[str, Callable[[str], str]] = _local.__dict__
    if name not in functions:
        functions[name] = _new_stemming_function(name)
    return functions[name]


def _new_stemming_function(name: str) -> Callable[[str], str]:
    import Stemmer

    if name not in Stemmer.algorithms():
        msg = f"lexical.stemmer must be 'auto', 'none' or a Snowball language, got {name!r}; choose one of {Stemmer.algorithms()}"
        raise SettingsError(msg)
    return Stemmer.Stemmer(name).stemWord
