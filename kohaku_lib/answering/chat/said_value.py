"""The value that a sentence says, where a model replies with the sentence in place of the value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.values import locate, value_of
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import is_claim

_FEWEST_WORDS = 5  # a shorter text is a value as it stands
_LEAST = 0.5  # probability of the words among all of the sentence


def said_value(question: Question, text: str) -> str:
    """Return the words of a sentence that answer `question`, in the output format; what is no sentence stays.

    They are read by the reader's model. The sentence stays where that is unsure, where the sentence has another number that
    may be meant, and where a reason or a summary is asked for.

    >>> said_value(Question("q", "Who runs the lamp store?"), "Ines Holm is the head of the lamp store.")
    'Ines Holm'
    >>> said_value(Question("q", "Why is it closed?"), "It is closed because the roof leaks.")
    'It is closed because the roof leaks.'
    """
    if not _is_sentence(text) or is_claim(question.text):
        return text
    if asks_for_explanation(question.text) or is_verdict(text):
        return text
    return _read_value(question, text) or text


def is_verdict(text: str) -> bool:
    """Return whether a sentence begins with yes or no, true or false, in English or German.

    >>> is_verdict("Yes, it is red."), is_verdict("Nothing is.")
    (True, False)
    """
    return _VERDICT.match(text) is not None


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and text.rstrip("\"'” )").endswith((".", "!"))


def _read_value(question: Question, text: str) -> str | None:
    form = read_question(question)
    asked = Asked.of(form, question.text)
    passages = passages_of([Snippet("", "", "", None, text, 1, 1.0)], asked.names, {word.stem for word in asked.words})
    for passage, reading in zip(passages, load_model().read(asked.text, passages), strict=True):
        located = [locate(span, passage) for span in reading.spans]
        values = [None if one is None else value_of(form, one) for one in located]
        numbers = {value for value in values if value and re.search(r"\d", value)}
        if values and reading.spans[0].probability >= _LEAST and len(numbers) < 2:
            return values[0]
    return None


_VERDICT = re.compile(r"\s*(?:yes|no|ja|nein|true|false|wahr|falsch)\b", re.IGNORECASE)
