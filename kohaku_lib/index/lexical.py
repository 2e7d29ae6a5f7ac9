"""Texts as BM25 terms: tokens that keep `GPT-3`, `4.3` and `CO2e` whole and in parts."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.tables import LEXICAL, StageReport

# A token is a run of letters and digits that single joiners hold together: gpt-3, 4.3, o'neill, km/h.
TOKEN = re.compile(r"[^\W_]+(?:[-‐‑.,/'’+&][^\W_]+)*")
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
PART = re.compile(r"[^\W\d_]+|\d+")
POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")


TOKENISER = "words-and-parts.v2"


def tokenise(text: str, settings: LexicalSettings) -> list[str]:
    """Return the BM25 terms of `text`, in order.

    Words are NFKC-normalised, lower-cased and stemmed; stop words and a possessive 's are left out. A compound gives
    itself and then its parts; thousands commas are dropped from a number. Raises SettingsError for an unknown stemmer.

    >>> tokenise("The GPT-3 models emitted 1,287 tonnes of CO2e", LexicalSettings())
    ['gpt-3', 'gpt', '3', 'model', 'emit', '1287', 'tonn', 'co2e', 'co', '2', 'e']
    """
    plain = POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).lower())
    return [term for token in TOKEN.findall(plain) for term in _terms_of(token, settings.stemmer)]


@lru_cache(2**15)
def _terms_of(token: str, language: str) -> tuple[str, ...]:
    """Return the terms of one token; texts are made of few tokens, each many times."""
    stem, ignored = _stemmer(language), stop_words(language)
    return tuple(stem(term) for term in _whole_and_parts(token) if term not in ignored)


def build_lexical(nodes: pa.Table, settings: LexicalSettings) -> tuple[pa.Table, StageReport]:
    """Return the terms (LEXICAL) of every searchable sentence and paragraph of `nodes` (NODES), in their order."""
    found = nodes.filter(pc.field("searchable") & pc.field("kind").isin(["sentence", "paragraph"]))
    tokens = [tokenise(text, settings) for text in found.column("text").to_pylist()]
    table = pa.table([found.column("node_id"), pa.array(tokens, LEXICAL.field("tokens").type)], schema=LEXICAL)
    return table, StageReport(rows_computed=table.num_rows)


def _whole_and_parts(token: str) -> list[str]:
    if THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    parts = PART.findall(token)
    return [token] if len(parts) == 1 else [token, *parts]


_local = threading.local()


def _stemmer(language: str) -> Callable[[str], str]:
    """Return a stemming function for this thread alone: Snowball stemmers keep state and must not be shared."""
    if language == "none":
        return str
    stemmers: dict[str, Callable[[str], str]] = _local.__dict__
    if language not in stemmers:
        stemmers[language] = _new_stemmer(language)
    return stemmers[language]


def _new_stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    if language not in Stemmer.algorithms():
        msg = f"lexical.stemmer must be 'none' or a Snowball language, got {language!r}; choose one of {Stemmer.algorithms()}"
        raise SettingsError(msg)
    stemmer = Stemmer.Stemmer(language)
    return lambda word: word if any(map(str.isdigit, word)) else stemmer.stemWord(word)


@lru_cache(maxsize=32)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a Snowball language; none where nobody listed them."""
    from bm25s import stopwords

    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(getattr(stopwords, name, ()))
