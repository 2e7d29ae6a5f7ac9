"""Whether passages cover a question, contradict each other, and what they lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.tables import Snippet
from kohaku_lib.text.sentences import sentence_spans
from kohaku_lib.text.stop_words import filler_words, language_by_fillers
from kohaku_lib.text.tokens import tokens

SEMANTIC, KEYWORD = 0.6, 0.4  # shares of the coverage
SUFFICIENT, ABSTAIN = 0.5, 0.3
_MOST_COMPARED = 8  # passages whose figures are compared
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the passages can answer the question, and what they lack; the coverage is 0 to 1.

    What they lack are content words of the question; none where they are in another language than it.
    """

    is_sufficient: bool = False
    coverage_score: float = 0.0
    has_conflicts: bool = False
    missing_aspects: tuple[str, ...] = ()


def judge_context(
    question: str, snippets: Sequence[Snippet], similarities: Sequence[float | None] | None = None
) -> Sufficiency:
    """Return whether `snippets` (best first) suffice for `question`.

    The coverage is 0.6 times the best similarity to the question plus 0.4 times the share of its content words that
    occur, without similarities that share alone; it suffices from 0.5 on, if no two documents contradict each other.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "The workshop used 41,800 kWh of electricity.", 1, 1.0)
    >>> found = judge_context("How much electricity did the workshop use in Riga?", [snippet], [0.5])
    >>> round(found.coverage_score, 3), found.is_sufficient, found.missing_aspects
    (0.567, True, ('riga',))
    """
    wanted = content_stems(question)
    texts = {text for snippet in snippets for text in (snippet.place, snippet.text)}
    there = {one for text in texts for one in content_stems(text)}
    missing = tuple(word for one, word in wanted.items() if one not in there)
    keyword = 1.0 - len(missing) / len(wanted) if wanted else 0.0
    coverage = _coverage(keyword, similarities) if snippets else 0.0
    conflicts = has_conflicts(wanted, snippets)
    aspects = _aspects(missing, question, texts) if missing else ()
    return Sufficiency(coverage >= SUFFICIENT and not conflicts, coverage, conflicts, aspects)


def _aspects(missing: Sequence[str], question: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the `missing` words that say what a question is about; none where `texts` are of another language."""
    language = language_by_fillers(tokens(question))
    of_texts = language_by_fillers(word for text in texts for word in tokens(text))
    if language is None:
        return tuple(missing)
    if of_texts not in (None, language):
        return ()
    return tuple(word for word in missing if word not in filler_words(language))


def _coverage(keyword: float, similarities: Sequence[float | None] | None) -> float:
    known = [value for value in similarities or () if value is not None]
    if not known:
        return keyword
    return SEMANTIC * min(1.0, max(0.0, *known)) + KEYWORD * keyword


def has_conflicts(wanted: Mapping[str, str], snippets: Sequence[Snippet]) -> bool:
    """Return whether sentences of two documents have all content words of a question (stems `wanted`) and other numbers.

    A question of less than three content words asks about too much for that. Numbers that are part of the question, such
    as its year, do not count; a sentence without others says nothing.
    """
    if len(wanted) < _LEAST_WORDS:
        return False
    asked = numbers(" ".join(wanted.values()))
    found: dict[str, set[frozenset[str]]] = {}
    for snippet in snippets[:_MOST_COMPARED]:
        for figures, stems in _sentences_with_numbers(snippet.text):
            own = figures - asked
            if own and wanted.keys() <= stems:
                found.setdefault(snippet.document_id, set()).add(own)
    documents = [frozenset().union(*values) for values in found.values()]
    return any(not first & second for place, first in enumerate(documents) for second in documents[:place])


@lru_cache(maxsize=1024)
def _sentences_with_numbers(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return the numbers and the content stems of each sentence of `text` that has numbers."""
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return tuple((own, frozenset(content_stems(one))) for one in sentences if (own := numbers(one)))
