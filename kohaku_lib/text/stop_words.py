"""Stop words and other words without content, by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

# In addition to the stop words, by the name of a Snowball stemmer: words of questions, and words without content in
# statements too, though documents and good queries may be about them ("use", "per", "one", "us").
_QUESTION_PHRASING = {"english": "according based many much"}
_FILLERS = {
    "english": "also among could done either false however may might one per true upon us use used using whether whose "
    "within would",
    "german": "viele wann warum wem wen wer weshalb wessen wieso wieviel wieviele woher wohin",
    "french": "combien comment où pourquoi quand quel quelle quelles quels quoi",
    "spanish": "cuál cuándo cuánta cuántas cuánto cuántos cómo dónde quién",
    "italian": "quando",
    "portuguese": "onde quantas quanto quantos",
    "dutch": "hoeveel waar waarom wanneer welke",
    "swedish": "många",
    "danish": "mange",
    "norwegian": "mye",
    "russian": "какие какое почему сколько",
}


@lru_cache(maxsize=32)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, named like its Snowball stemmer; empty if there is no list.

    >>> "the" in stop_words("english"), "und" in stop_words("german"), len(stop_words("none"))
    (True, True, 0)
    """
    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(_read_lists().get(name, ()))


@lru_cache(maxsize=32)
def query_stop_words(language: str) -> frozenset[str]:
    """Return the words that a keyword query omits from a question: stop words, and words that only phrase it.

    >>> [word in query_stop_words("english") for word in ("the", "many", "used")]
    [True, True, False]
    """
    return stop_words(language).union(_QUESTION_PHRASING.get(language, "").split())


@lru_cache(maxsize=32)
def filler_words(language: str) -> frozenset[str]:
    """Return all words without content in a question or a statement.

    >>> [word in filler_words("english") for word in ("the", "many", "used", "energy")]
    [True, True, True, False]
    """
    return query_stop_words(language).union(_FILLERS.get(language, "").split())


def language_by_fillers(words: Iterable[str]) -> str | None:
    """Return the language, named like its Snowball stemmer, that has most of `words` in its list; None if none has one.

    >>> language_by_fillers("was ist die pue der anlage".split()), language_by_fillers(["pue", "2023"])
    ('german', None)
    """
    counts = Counter(words)
    found = {name: sum(counts[word] for word in counts.keys() & filler_words(name)) for name in _languages()}
    best = max(found, key=lambda name: found[name])
    return best if found[best] else None


@cache
def _languages() -> tuple[str, ...]:
    """Return the languages that have a list, English first."""
    names = (name.removeprefix("STOPWORDS_").lower() for name in _read_lists() if name.startswith("STOPWORDS_"))
    return ("english", *(name for name in names if not name.startswith("en")))


@cache
def _read_lists() -> dict[str, Any]:
    """Return the lists of bm25s by name, read from their file, as importing the package would import SciPy."""
    package = find_spec("bm25s")
    assert package is not None
    assert package.origin is not None
    lists = spec_from_file_location("bm25s_stopwords", Path(package.origin).with_name("stopwords.py"))
    assert lists is not None
    assert lists.loader is not None
    module = module_from_spec(lists)
    lists.loader.exec_module(module)
    return vars(module)
