"""Words that carry no content of their own, by language."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

# Words that questions and statements are phrased with, beside the stop words, by the name of a Snowball stemmer.
_PHRASING = {
    "english": (
        "according also among based could done either false however many may might much one per true upon us use used "
        "using whether whose within would"
    )
}


@lru_cache(maxsize=32)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, named as its Snowball stemmer; none where there is no list.

    >>> "the" in stop_words("english"), "und" in stop_words("german"), len(stop_words("none"))
    (True, True, 0)
    """
    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(_lists().get(name, ()))


@lru_cache(maxsize=32)
def filler_words(language: str) -> frozenset[str]:
    """Return the stop words of a language and the words that questions and claims are phrased with.

    An index keeps the latter, because a document may be about "use" or "us"; they say little in a question.

    >>> sorted(word for word in ("the", "much", "according", "energy") if word in filler_words("english"))
    ['according', 'much', 'the']
    """
    return stop_words(language).union(_PHRASING.get(language, "").split())


@cache
def _lists() -> dict[str, Any]:
    """Return the lists of the package bm25s by name, from their file alone: importing the package would import SciPy."""
    package = find_spec("bm25s")
    assert package is not None
    assert package.origin is not None
    lists = spec_from_file_location("bm25s_stopwords", Path(package.origin).with_name("stopwords.py"))
    assert lists is not None
    assert lists.loader is not None
    module = module_from_spec(lists)
    lists.loader.exec_module(module)
    return vars(module)
