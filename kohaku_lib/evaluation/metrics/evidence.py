"""Evidence recall: the share of a gold quote in a context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_SHINGLE = 5  # words
_YES = {"1", "true"}


def evidence_recall(quote: str, texts: Sequence[str], budget_chars: int | None = None) -> float | None:
    """Return the share of the quote's 5-word shingles in the first `budget_chars` characters of the joined texts.

    All characters count by default. Words are runs of a-z and 0-9, lower case; a word cut at a line end is joined. A
    quote of fewer than five words is one shingle. None if the quote has no word.

    >>> evidence_recall("one two three four five six", ["Zero, one two three", "four five, five."])
    0.5
    """
    quote_shingles = _word_shingles(_ascii_words(quote))
    context_shingles = _word_shingles(_ascii_words("\n".join(texts)[:budget_chars]))
    return len(quote_shingles & context_shingles) / len(quote_shingles) if quote_shingles else None


def is_quoted(row: Mapping[str, str]) -> bool:
    """Return whether a truth row's supporting material is a quote, according to its column Quote or its explanation.

    >>> is_quoted({"explanation": "Quote, Table 3"}), is_quoted({"Quote": "1"}), is_quoted({"explanation": "Figure"})
    (True, True, False)
    """
    return row.get("Quote", "").strip().lower() in _YES or "quote" in row.get("explanation", "").lower()


def gold_quote(row: Mapping[str, str]) -> str | None:
    """Return a truth row's supporting material if it is a quote, else None.

    >>> gold_quote({"explanation": "Quote", "supporting_materials": "It is 7."}), gold_quote({"explanation": "Figure"})
    ('It is 7.', None)
    """
    return row.get("supporting_materials", "") if is_quoted(row) else None


def evidence_kinds(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the kinds of a truth row's evidence (quote, table, figure), from its columns or its explanation.

    >>> evidence_kinds({"explanation": "Quote, Table 3"}), evidence_kinds({"Figure": "1", "Table": "0"})
    (('quote', 'table'), ('figure',))
    """
    explanation = row.get("explanation", "").lower()
    kinds = ("table", "figure")
    other_kinds = [kind for kind in kinds if row.get(kind.title(), "").strip().lower() in _YES or kind in explanation]
    return (*(["quote"] if is_quoted(row) else []), *other_kinds)


def gold_documents(row: Mapping[str, str | None]) -> set[str]:
    """Return the ids of a truth row's references, lower case.

    >>> sorted(gold_documents({"ref_id": "['B', 'a']"})), gold_documents({"ref_id": "is_blank"})
    (['a', 'b'], set())
    """
    return set(_reference_ids(row))


def cluster_of(row: Mapping[str, str | None]) -> str | None:
    """Return the cluster of a truth row, whose rows are not independent: its column cluster, else its first document.

    None for a row with neither, which is a cluster of its own.

    >>> [cluster_of({"ref_id": "['B', 'a']", "cluster": name}) for name in ("talk 7", "")], cluster_of({"ref_id": ""})
    (['talk 7', 'b'], None)
    """
    return (row.get("cluster") or "").strip() or next(iter(_reference_ids(row)), None)


def _reference_ids(row: Mapping[str, str | None]) -> list[str]:
    pieces = (row.get("ref_id") or "").strip().strip("[]").split(",")
    names = (piece.strip().strip("'\"").lower() for piece in pieces)
    return [name for name in names if name not in {"", "is_blank"}]


def _ascii_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", re.sub(r"-\s*\n\s*", "", text).lower())


def _word_shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    shingles = {tuple(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)}
    return shingles or ({tuple(words)} if words else set())
