"""Tokenising for BM25: the terms of texts; compounds such as `GPT-3`, `4.3` and `CO2e` are indexed whole and in parts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc
import regex

from kohaku_lib.settings import LexicalSettings
from kohaku_lib.tables import LEXICAL, StageReport
from kohaku_lib.text.languages import language_of
from kohaku_lib.text.stems import stem, stemmer_of
from kohaku_lib.text.stop_words import stop_words
from kohaku_lib.text.tokens import tokens

THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
PART = regex.compile(r"[\p{L}\p{M}]+|\d+")
TOKENISER = "words-and-parts.v4"


def tokenise(text: str, settings: LexicalSettings) -> list[str]:
    """Return the BM25 terms of `text`, in order, as for a text of unknown language.

    Words are NFKC-normalised, lower-cased and stemmed; stop words and possessive 's are dropped. A compound yields itself
    and then its parts; thousands separators are removed from numbers. Raises SettingsError for an unknown stemmer.

    >>> tokenise("The GPT-3 models emitted 1,287 tonnes of CO2e", LexicalSettings())
    ['gpt-3', 'gpt', '3', 'model', 'emit', '1287', 'tonn', 'co2e', 'co', '2', 'e']
    """
    return stemmed_terms(text, stemmer_of(None, settings.stemmer))


def stemmed_terms(text: str, stemmer: str) -> list[str]:
    """Return the terms of `text` like `tokenise`, with a given Snowball stemmer or "none".

    >>> stemmed_terms("Die Katzen", "german")
    ['katz']
    """
    return [term for token in tokens(text) for term in terms_of(token, stemmer)]


@lru_cache(2**15)
def terms_of(token: str, stemmer: str) -> tuple[str, ...]:
    """Return the terms of one token, empty for a stop word; cached, as texts repeat few tokens many times."""
    ignored = stop_words(stemmer)
    return tuple(stem(term, stemmer) for term in _whole_and_parts(token) if term not in ignored)


def build_lexical(nodes: pa.Table, settings: LexicalSettings) -> tuple[pa.Table, StageReport]:
    """Return the terms (LEXICAL) of every searchable sentence and paragraph of `nodes` (NODES), in their order.

    The language of a document is read from the metadata of its root.
    """
    roots = nodes.filter(pc.field("kind") == "document").select(["document_id", "metadata_json"]).to_pydict()
    stemmer_by_document = document_stemmers(roots["document_id"], roots["metadata_json"], settings)
    usual = stemmer_of(None, settings.stemmer)
    found = nodes.filter(pc.field("searchable") & pc.field("kind").isin(["sentence", "paragraph"]))
    columns = (found.column(name).to_pylist() for name in ("text", "document_id"))
    terms = [stemmed_terms(text, stemmer_by_document.get(name, usual)) for text, name in zip(*columns, strict=True)]
    table = pa.table([found.column("node_id"), pa.array(terms, LEXICAL.field("tokens").type)], schema=LEXICAL)
    return table, StageReport(rows_computed=table.num_rows)


def document_stemmers(
    document_ids: Sequence[str], metadata: Sequence[str], settings: LexicalSettings
) -> dict[str, str]:
    """Return the stemmer of each document by id; `metadata` contains one JSON object per document."""
    languages = (language_of(json.loads(own or "{}")) for own in metadata)
    stemmers = (stemmer_of(language, settings.stemmer) for language in languages)
    return dict(zip(document_ids, stemmers, strict=True))


def _whole_and_parts(token: str) -> list[str]:
    if THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    parts = PART.findall(token)
    return [token] if len(parts) == 1 else [token, *parts]
