"""The excerpt that an answer is from, whatever it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

FoundBy = Literal["quote", "value", "words"]


@dataclass(frozen=True, slots=True)
class FoundSource:
    """An excerpt, and by what of an answer it was found; by words alone, it only comes closest."""

    snippet: Snippet
    found_by: FoundBy


def find_source(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> FoundSource:
    """Return the excerpt that holds the quote of `answer`, else the one that states its value, else the closest in words.

    One of a cited document goes before the others, also before one that holds the quote where it alone states the value. A
    truth value stands in no text, so its quote or its words find it. `snippets` must not be empty.

    >>> snippets = [Snippet("d:p1", "d", "", 1, "It weighs 4 kg.", 1, 0.9), Snippet("e:p1", "e", "", 1, "It is very old.", 2, 0)]
    >>> def found(value, quote=None):
    ...     source = find_source(Question("q", "How heavy?", "kg"), StructuredAnswer("", value, ("e",), "", quote), snippets)
    ...     return source.snippet.document_id, source.found_by
    >>> found("4"), found("5", "It is very old."), found("5")
    (('d', 'value'), ('e', 'quote'), ('e', 'words'))
    """
    cited = [one for one in snippets if is_of(one, answer.ref_id)]
    place = (find_quote(answer.quote, cited) or find_quote(answer.quote, snippets)) if answer.quote else None
    quoted = place.snippet if place is not None else None
    stating = [one for one in snippets if _states(question, answer, one)]
    cited_stating = [one for one in cited if one in stating]
    if quoted is not None and (quoted in cited or quoted in stating or not cited_stating):
        return FoundSource(quoted, "quote")
    if stating:
        return FoundSource(_closest(question, answer, cited_stating or stating), "value")
    return FoundSource(_closest(question, answer, cited or snippets), "words")


def is_of(snippet: Snippet, refs: Sequence[str]) -> bool:
    """Return whether a document of `refs` contains the text of `snippet`.

    >>> is_of(Snippet("d:p1", "d", "D", 1, "It rains.", 1, 1.0, also_in=("e",)), ["e"])
    True
    """
    return any(name in refs for name in (snippet.document_id, *snippet.also_in))


def shown_text(snippet: Snippet) -> str:
    """Return the text of an excerpt below its title and headings, as a prompt shows it."""
    return f"{snippet.place}\n{snippet.text}"


def _states(question: Question, answer: StructuredAnswer, snippet: Snippet) -> bool:
    return bool(support_of(question, answer.answer_value, shown_text(snippet)).states_value)


def _closest(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> Snippet:
    """Return the first of the excerpts that share the most words with the quote, the answer and the question."""
    words = _words(f"{answer.quote or ''} {answer.answer} {question.text}")
    return max(snippets, key=lambda one: len(words & _words(shown_text(one))))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}|\d+", text.casefold()))
