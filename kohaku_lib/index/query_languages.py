"""Which language of an index a query is read in: that in which it knows most of the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kohaku_lib.index.lexical import terms_of, tokens


class QueryLanguages:
    """The stemmers of an index, those of most documents first, and whether its texts know a term."""

    def __init__(self, stemmers: Sequence[str], knows: Callable[[str], bool]) -> None:
        self.stemmers, self._knows = tuple(stemmers), knows

    def terms(self, query: str) -> list[str]:
        """Return the terms of `query` by the stemmer whose stop words and known stems cover most of its words.

        A question is too short for what tells the language of a document, and its key words alone have no small words.
        Of stemmers that cover as many words that of most documents counts.

        >>> QueryLanguages(["english", "german"], {"cat", "katz"}.__contains__).terms("Wo schlafen die Katzen?")
        ['schlaf', 'katz']
        """
        words = tokens(query)
        read = [[terms_of(word, stemmer) for word in words] for stemmer in self.stemmers]
        best = read[0] if len(read) == 1 else max(read, key=self._covered)
        return [term for terms in best for term in terms]

    def _covered(self, read: Sequence[tuple[str, ...]]) -> int:
        """Return how many words are stop words, which have no terms, or known to the index as a whole."""
        return sum(all(map(self._knows, terms)) for terms in read)
