"""Words that carry no content of their own, by language."""

from __future__ import annotations

from functools import lru_cache

from kohaku_lib.lean_imports import bm25s_library

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
    stopwords = bm25s_library().stopwords
    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(getattr(stopwords, name, ()))


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
