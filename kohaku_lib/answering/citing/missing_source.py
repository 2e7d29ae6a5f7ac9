"""The source of an answer that cites a document which does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

FoundBy = Literal["quote", "value"]


def find_source(
    question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]
) -> tuple[str, FoundBy] | None:
    """Return the document of the first snippet that holds the quote of `answer`, else its value; None if none does.

    A truth value stands in no text, so only its quote can find it.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg in all.", 1, 0.9)
    >>> find_source(Question("q", "How heavy?", "kg"), StructuredAnswer("4", "4", ("excerpts",), ""), [snippet])
    ('d', 'value')
    """
    place = find_quote(answer.quote, snippets) if answer.quote else None
    if place is not None:
        return place.snippet.document_id, "quote"
    stating = (one for one in snippets if support_of(question, answer.answer_value, one.text).states_value)
    first = next(stating, None)
    return None if first is None else (first.document_id, "value")
