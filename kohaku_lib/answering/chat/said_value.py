"""The value that a sentence says, where a model replies with the sentence in place of the value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation, asks_for_summary
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.values import locate, value_of
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.dates import MONTH_NAME
from kohaku_lib.values import is_claim

_FEWEST_WORDS = 5  # a shorter text is a value as it stands
_LEAST = 0.5  # probability of the words among all of the sentence


def said_value(question: Question, text: str) -> str:
    """Return the words of a sentence that answer `question`, in the output format; what is no sentence stays.

    "From … to …" has the end that is asked for. All else is read by the reader's model; where it is unsure the sentence
    stays, and where a reason or a summary is asked for.

    >>> said_value(Question("q", "When does the sale start?"), "The sale runs from 3 June to 5 July.")
    '3 June'
    >>> said_value(Question("q", "Why is it closed?"), "It is closed because the roof leaks.")
    'It is closed because the roof leaks.'
    """
    if not _is_sentence(text) or is_claim(question.text):
        return text
    if asks_for_explanation(question.text) or asks_for_summary(question.text) or _YES_OR_NO.match(text):
        return text
    return _asked_end(question.text, text) or _read_value(question, text) or text


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and text.rstrip("\"'” )").endswith((".", "!"))


def _asked_end(question: str, text: str) -> str | None:
    spans = list(_SPAN.finditer(text))
    wants_end, wants_begin = _ASKS_FOR_END.search(question), _ASKS_FOR_BEGIN.search(question)
    if len(spans) != 1 or not _ASKS_WHEN.match(question) or bool(wants_end) == bool(wants_begin):
        return None
    [span] = spans
    if re.search(r"\d", text[: span.start()] + text[span.end() :]):
        return None  # of which moment the question asks is open
    first, last = span["first"], span["last"]
    if first.isdecimal() and last.split()[0].rstrip(".").isdecimal():
        first = " ".join([first, *last.split()[1:]])  # from 3 to 5 July
    return last if wants_end else first


def _read_value(question: Question, text: str) -> str | None:
    form = read_question(question)
    asked = Asked.of(form, question.text)
    passages = passages_of([Snippet("", "", "", None, text, 1, 1.0)], asked.names, {word.stem for word in asked.words})
    for passage, reading in zip(passages, load_model().read(asked.text, passages), strict=True):
        for span in reading.spans[:1]:
            located = locate(span, passage)
            if located is not None and span.probability >= _LEAST:
                return value_of(form, located)
    return None


_DAY = rf"(?:\d{{1,2}}\.?\s+)?{MONTH_NAME}\b(?:\s+\d{{1,2}}\b)?(?:,?\s+\d{{4}})?"
_TIME = r"\d{1,2}(?:[:.]\d{2})?(?:\s*(?:am|pm|a\.m\.|p\.m\.|Uhr))?"
_MOMENT = rf"{_DAY}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{4}}(?:-\d{{2}}-\d{{2}})?\b|{_TIME}"
_SPAN = re.compile(
    rf"\b(?:from|between|vom|von)\s+(?P<first>{_MOMENT})\s+(?:to|until|till|and|bis(?:\s+zum)?)\s+(?P<last>{_MOMENT})",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"\s*(?:yes|no|ja|nein)\b", re.IGNORECASE)
_ASKS_WHEN = re.compile(
    r"\s*(?:(?:from|until|ab|bis|at|on)\s+)?(?:when|what\s+(?:time|day|date)|wann)\b", re.IGNORECASE
)
_ASKS_FOR_END = re.compile(
    r"\b(?:until when|bis wann|ends?|finish(?:es)?|closes?|stops?|over|endet|schließt|aufhört)\b", re.IGNORECASE
)
_ASKS_FOR_BEGIN = re.compile(
    r"\b(?:from when|ab wann|starts?|begins?|opens?|beginnt|anfängt|fängt|öffnet)\b", re.IGNORECASE
)
