"""Differences between the snippets of two contexts, and the quotes that support the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.answering import find_quote
from kohaku_lib.evaluation.changes.question_trace import QuestionTrace
from kohaku_lib.tables import Snippet


def snippet_moves(first: Sequence[Snippet], second: Sequence[Snippet]) -> Iterator[SnippetMove]:
    """Yield every snippet of both contexts: those of the first in its order, then the new ones.

    Snippets are matched by node, else by text.
    """
    by_node = {snippet.node_id: snippet for snippet in second}
    by_text = {snippet.text: snippet for snippet in second}
    matched_ids: set[str] = set()
    for place, snippet in enumerate(first, start=1):
        twin = by_node.get(snippet.node_id) or by_text.get(snippet.text)
        if twin is not None:
            matched_ids.add(twin.node_id)
        yield _snippet_move(snippet, place, None if twin is None else _rank_in(second, twin), twin)
    for place, snippet in enumerate(second, start=1):
        if snippet.node_id not in matched_ids:
            yield _snippet_move(snippet, None, place, None)


def find_supports(side: str, own: QuestionTrace, other: QuestionTrace) -> Iterator[Support]:
    """Yield the first quote of each run that was found of `own`; runs with the same quote count once."""
    quotes: set[str] = set()
    for row in own.runs or ():
        citation = next((one for one in row["citations"] or () if one["quote"] and one["quote_found"]), None)
        if citation is not None and citation["quote"] not in quotes:
            quotes.add(citation["quote"])
            cited_ranks = (
                place for place, one in enumerate(own.snippets or (), 1) if one.node_id == citation["node_id"]
            )
            ranks = next(cited_ranks, None), _rank_of(citation["quote"], other.snippets)
            yield Support(side, row["run_label"], citation["node_id"], citation["quote"], *ranks)


@dataclass(frozen=True, slots=True)
class SnippetMove:
    """A snippet of either context, its ranks (None if it is not in that context), and whether its text differs."""

    node_id: str
    document_id: str
    page: int | None
    first_rank: int | None
    second_rank: int | None
    is_reworded: bool
    text: str


@dataclass(frozen=True, slots=True)
class Support:
    """The quote that supports one side's answer, and the rank of the snippet with it in either context, or None."""

    side: str  # "first" or "second"
    run: str
    node_id: str | None
    quote: str
    own_rank: int | None
    other_rank: int | None


def _snippet_move(snippet: Snippet, first: int | None, second: int | None, twin: Snippet | None) -> SnippetMove:
    reworded = twin is not None and twin.text != snippet.text
    return SnippetMove(snippet.node_id, snippet.document_id, snippet.page, first, second, reworded, snippet.text)


def _rank_in(snippets: Sequence[Snippet], target: Snippet) -> int:
    return next(place for place, snippet in enumerate(snippets, start=1) if snippet is target)


def _rank_of(quote: str, snippets: Sequence[Snippet] | None) -> int | None:
    """Return the rank of the first snippet in which the quote is found."""
    places = (place for place, one in enumerate(snippets or (), start=1) if find_quote(quote, [one]) is not None)
    return next(places, None)
