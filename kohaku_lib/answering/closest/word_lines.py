"""The lines of a context by the words that they share with a question in a script that the reader's model does not read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import regex

from kohaku_lib.answering.citing.other_year import is_of_another_year
from kohaku_lib.answering.closest.read_lines import ReadLine
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.equal_signs import with_equal_signs
from kohaku_lib.text.stems import stem
from kohaku_lib.text.tokens import tokens


def is_unread(question: str) -> bool:
    """Return whether more letters of a question are of a script that the reader's model was not trained on than Latin.

    >>> is_unread("ما هي مدة الإعارة؟"), is_unread("プリンターの保証期間は何年ですか"), is_unread("Wie lange hält der Akku?")
    (True, True, False)
    """
    latin = len(_LATIN.findall(question))
    return sum(sign.isalpha() for sign in question) > 2 * latin


def lines_by_words(question: Question, snippets: Sequence[Snippet], most: int) -> list[tuple[ReadLine, float]]:
    """Return the lines of the first `most` passages, best first, each with the probability that it answers.

    What counts is the share of the question's words that a line has, each weighted by how few lines have it, as its inverse
    document frequency. Words are stemmed where their script tells a language that Snowball stems.
    """
    stemmer = next((name for script, name in _STEMMERS.items() if script.search(question.text)), "none")
    lines = [
        ReadLine(passage, line, None, None, {})
        for passage in passages_of(snippets)[:most]
        for line in passage.lines
        if not with_equal_signs(line.quote.rstrip()).endswith("?") and not is_of_another_year(question.text, line.quote)
    ]
    words = [{stem(word, stemmer) for word in tokens(one.line.quote)} for one in lines]
    frequency = Counter(word for own in words for word in own)
    weights = {
        word: math.log1p(len(lines) / (frequency[word] or _UNKNOWN))
        for word in {stem(word, stemmer) for word in tokens(question.text)}
    }
    whole = sum(weights.values()) or 1.0
    shares = [sum(weight for word, weight in weights.items() if word in own) / whole for own in words]
    ranked = sorted(zip(lines, map(_probability, shares), strict=True), key=lambda pair: -pair[1])
    return [pair for pair in ranked if pair[1] > _probability(0.0)]


def _probability(share: float) -> float:
    """Return how often a line with this share answers: by 1,500 questions of XQuAD in five languages."""
    return round(1.0 / (1.0 + math.exp(_BIAS - _SLOPE * share)), 4)


_SLOPE, _BIAS = 6.0, 1.2
_UNKNOWN = 0.5  # lines with a word that none has
_LATIN = regex.compile(r"\p{Script=Latin}")
_STEMMERS = {
    regex.compile(rf"\p{{Script={script}}}"): name
    for script, name in (
        ("Arabic", "arabic"),
        ("Armenian", "armenian"),
        ("Cyrillic", "russian"),
        ("Devanagari", "hindi"),
        ("Greek", "greek"),
        ("Tamil", "tamil"),
    )
}
