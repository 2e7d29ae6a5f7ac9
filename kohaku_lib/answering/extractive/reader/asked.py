"""A question as the reader compares it with passages: its content words, names and focus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.extractive.question.focus import focus_stems
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import Token, carries_content, content_stems, is_akin, tokens_of
from kohaku_lib.text.dates import plain_dates


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its form, its text with dates in one spelling, its content words, and stems of its names and its focus.

    The focus is the thing that is asked for, as "gas" in "How much gas did we use?".
    """

    form: QuestionForm
    text: str
    words: tuple[Token, ...]
    names: frozenset[str]
    focus: frozenset[str]

    @classmethod
    def of(cls, form: QuestionForm, question: str) -> Asked:
        """Return the question as it is read."""
        text = plain_dates(question).text
        words = tuple(content_words(text))
        names = frozenset(
            word.stem for word in words if word.start > 0 and (word.surface[0].isupper() or word.surface[0].isdigit())
        )
        return cls(form, text, words, names, frozenset(_focus(text)))

    def share_in(self, stems: set[str]) -> float:
        """Return the share of the content words that are among `stems`."""
        return sum(word.stem in stems for word in self.words) / len(self.words) if self.words else 0.0

    def focus_missing_in(self, stems: set[str]) -> float:
        """Return the share of the focus that no stem of a text is akin to."""
        missing = [one for one in self.focus if not any(is_akin(one, other) for other in stems)]
        return len(missing) / len(self.focus) if self.focus else 0.0


def content_words(text: str) -> Iterator[Token]:
    """Yield the words that carry content, single capitals among them: the M of "model M", the cell "A"; May is a month."""
    for token in tokens_of(text):
        if (
            token.surface == "May"
            or carries_content(token.surface)
            or (
                len(token.surface) == 1 and token.surface.isupper() and token.surface != "I" and _is_inside(token, text)
            )
        ):
            yield token


def _is_inside(token: Token, text: str) -> bool:
    """Return whether a capital is no beginning of a sentence, as "A" in "A lamp" is."""
    return token.start > 0 or token.surface == text.strip()


def _focus(text: str) -> Sequence[str]:
    match = _HOW_MANY.search(text)
    return content_stems(match[1]) if match else focus_stems(text)


_HOW_MANY = re.compile(
    r"\b(?:how (?:much|many)|wie viele?)\s+((?:[\w-]+\s+){0,3}?[\w-]+)"
    r"(?=\s+(?:do|does|did|is|are|was|were|has|have|had|of|in|on|at|for|with|can|will|hat|haben|hatte|wurden?|sind|gab)\b|\?)",
    re.IGNORECASE,
)
