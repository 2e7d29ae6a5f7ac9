"""The Snowball stemmer of a language, by its code."""

from __future__ import annotations

AUTO = "auto"  # the setting that leaves the choice to each document and each question
USUAL = "english"  # where a language is not known
NONE = "none"

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


def stemmer_of(language: str | None, setting: str) -> str:
    """Return the stemmer of a text in `language` (an ISO 639-1 code, None: unknown) under lexical.stemmer = `setting`.

    Only "auto" looks at the language: an unknown one is taken for English, one that Snowball lacks is not stemmed.

    >>> stemmer_of("de", "auto"), stemmer_of(None, "auto"), stemmer_of("zh", "auto"), stemmer_of("de", "french")
    ('german', 'english', 'none', 'french')
    """
    if setting != AUTO:
        return setting
    return USUAL if language is None else _OF_LANGUAGE.get(language, NONE)
