"""Words that carry no content of their own, by language."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

# Beside the stop words, by the name of a Snowball stemmer: words that only phrase a question, and words that carry no
# content in a statement either, though documents and good queries may be about them ("use", "per", "one", "us").
_QUESTION_PHRASING = {"english": "according based many much"}
_FILLERS = {
    "english": "also among could done either false however may might one per true upon us use used using whether whose "
    "within would"
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
def query_stop_words(language: str) -> frozenset[str]:
    """Return the words that a query of key words leaves out of a question: stop words and what only phrases it.

    >>> [word in query_stop_words("english") for word in ("the", "many", "used")]
    [True, True, False]
    """
    return stop_words(language).union(_QUESTION_PHRASING.get(language, "").split())


@lru_cache(maxsize=32)
def filler_words(language: str) -> frozenset[str]:
    """Return all words that say nothing about the content of a question or statement.

    >>> [word in filler_words("english") for word in ("the", "many", "used", "energy")]
    [True, True, True, False]
    """
    return query_stop_words(language).union(_FILLERS.get(language, "").split())


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
