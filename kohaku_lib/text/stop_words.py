"""Words that carry no content of their own, by language."""

from __future__ import annotations

from functools import lru_cache

from kohaku_lib.lean_imports import bm25s_library

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
    stopwords = bm25s_library().stopwords
    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(getattr(stopwords, name, ()))


@lru_cache(maxsize=32)
def filler_words(language: str) -> frozenset[str]:
    """Return the stop words of a language and the words that questions and claims are phrased with.

    An index keeps the latter, because a document may be about "use" or "us"; they say little in a question.

    >>> sorted(word for word in ("the", "much", "according", "energy") if word in filler_words("english"))
    ['according', 'much', 'the']
    """
    return stop_words(language).union(_PHRASING.get(language, "").split())
