"""The graph channel: nodes that mention the entities of a query, or related ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.index.graph import GraphHits, Keyword, canonical_name, find_definitions, find_mentions
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind, Search
from kohaku_lib.retrieval.fusion.scored_rows import RankingsByKind, Scale, ScoredRows
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.text.stop_words import stop_words

if TYPE_CHECKING:
    from kohaku_lib.index.graph.gremlin import GremlinServer

LONGEST_NAME = 6  # words
AT_ONCE = 64  # queries per batch of hits, with several thousand nodes each


def search_graph(search: Search) -> list[RankingsByKind]:
    """Return the rankings of each query of `search` by its entities and related ones."""
    own = search.settings
    limits = (search.k, own.graph_hops, search.org_id, search.allowed)
    return graph_search(search.snapshot, search.queries, *limits, _gremlin_server(own))


def _gremlin_server(settings: RetrievalSettings) -> GremlinServer | None:
    if settings.graph_server is None:
        return None
    from kohaku_lib.index.graph.gremlin import GremlinServer

    return GremlinServer(settings.graph_server, settings.graph_server_timeout_s)


def graph_search(
    snapshot: Snapshot,
    queries: Sequence[str],
    k: int,
    max_hops: int,
    org_id: str | None = None,
    allowed: np.ndarray | None = None,
    server: GremlinServer | None = None,
) -> list[RankingsByKind]:
    """Return the `k` best sentences and the `k` best paragraphs of each query by the mentioned entities.

    Both are empty for a query that names no entity of the tenant `org_id`. Rows that `allowed` (searched, bool; None:
    all) excludes are never returned. Relations are followed on `server` if there is one and a tenant is given.
    """
    rankings: list[RankingsByKind] = []
    for start in range(0, len(queries), AT_ONCE):
        hits = _graph_hits(snapshot, queries[start : start + AT_ONCE], max_hops, org_id, server)
        rows = snapshot.search_row_of_node[hits.node_rows]
        usable = rows >= 0 if allowed is None else (rows >= 0) & allowed[rows]
        bounds = np.searchsorted(hits.queries, np.arange(len(queries[start : start + AT_ONCE]) + 1))
        for low, high in pairwise(bounds.tolist()):
            own = low + np.flatnonzero(usable[low:high])
            most = float(hits.most[low]) if high > low else 0.0
            rankings.append(_rankings_by_kind(snapshot.sentences, rows[own], hits.scores[own], k, most))
    return rankings


def _graph_hits(
    snapshot: Snapshot, queries: Sequence[str], max_hops: int, org_id: str | None, server: GremlinServer | None
) -> GraphHits:
    keywords = [keyword for number, query in enumerate(queries) for keyword in find_keywords(query, number)]
    if server is None or org_id is None:
        return snapshot.graph.search(keywords, max_hops, org_id)
    from kohaku_lib.index.graph.gremlin import search_by_server

    return search_by_server(server, snapshot.graph, keywords, max_hops, org_id)


def find_keywords(query: str, number: int = 0) -> list[Keyword]:
    """Return the candidate names in `query`, longest first: those found by the rules, and word n-grams.

    Names found by the rules or beginning with a capital also match longer names that contain them; n-grams match equal
    names only. No n-gram begins or ends with a stop word. Years, dates, sums and shares are no names.

    >>> words = find_keywords("What is the Power Usage Effectiveness in Iowa?")
    >>> [keyword.text for keyword in words if not keyword.exact], len(words)
    (['power usage effectiveness', 'effectiveness', 'power', 'usage', 'iowa'], 10)
    >>> [keyword.text for keyword in find_keywords("Did it rise in 2023?")]
    ['rise in 2023', 'rise']
    """
    names = [mention.text for mention in find_mentions(query) if mention.entity_type not in _FIGURES]
    names += [definition.long_form for definition in find_definitions(query)]
    names += [word for word in _WORD.findall(query) if word[0].isupper() and word.lower() not in stop_words("english")]
    exact = dict.fromkeys((words for words in _word_ngrams(query) if not _YEAR.fullmatch(words)), True) | dict.fromkeys(
        map(canonical_name, names), False
    )
    return [Keyword(number, text, exact[text]) for text in sorted(exact, key=lambda text: (-len(text), text))]


def _word_ngrams(query: str) -> Iterator[str]:
    words, small = _WORD.findall(query), stop_words("english")
    # Multi-word names are not plural acronyms, so each word is normalised separately.
    plain = [canonical_name(f"{word} ") for word in words]
    is_small = [word.lower() in small for word in words]
    for start, word in enumerate(words):
        if not is_small[start] and len(word) >= _LEAST_CHARS:
            yield canonical_name(word)
    for length in range(2, min(LONGEST_NAME, len(words)) + 1):
        for start in range(len(words) - length + 1):
            if not (is_small[start] or is_small[start + length - 1]):
                yield " ".join(plain[start : start + length])


def _rankings_by_kind(
    sentences: int, rows: np.ndarray, scores: np.ndarray, k: int, most: float
) -> tuple[ScoredRows, ScoredRows]:
    of_sentence = rows < sentences
    first, second = (_scaled_ranking(rows[kind], scores[kind], k, most) for kind in (of_sentence, ~of_sentence))
    return first, second


def _scaled_ranking(rows: np.ndarray, scores: np.ndarray, k: int, most: float) -> ScoredRows:
    """Return the ranking with its scale; if it has fewer than `k` rows, the others mention none of the entities."""
    least = float(scores[k - 1]) if len(scores) >= k else 0.0
    return ScoredRows(rows[:k], scores[:k], Scale(least, most))


_WORD = re.compile(r"[^\W_]+(?:[-.,/'’&][^\W_]+)*")
_LEAST_CHARS = 3
_FIGURES = frozenset(("DATE", "MONEY", "PERCENTAGE"))  # say when and how much, and name nothing to follow
_YEAR = re.compile(r"(?:19|20)\d\d")


CHANNELS.register(
    ChannelKind(
        "graph",
        search_graph,
        weight_key="graph_weight",
        settings_keys=("graph_hops", "hop_weight"),
        order=3,
    )
)
