"""What a conversation was about last: a name, else the things that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.text.stop_words import filler_words
from kohaku_lib.text.units import is_unit

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_LINK = {"of", "of the", "for", "for the"}
_VERBS = frozenset(
    ("did", "do", "does", "use", "used", "last", "take", "took", "cost", "draw", "drew", "have", "has", "had")
)


def latest_topic(texts: Iterable[str], *, names_only: bool = False) -> str | None:
    """Return the topic of the first of `texts` that has one: its longest name, else its longest noun phrase.

    Words that only phrase a question are no part of a phrase. None if no text has a topic.

    >>> latest_topic(["Who maintains the model Gintaras-M?"])
    'Gintaras-M'
    >>> latest_topic(["What was the power usage effectiveness of the machine room in 2023?"])
    'the power usage effectiveness of the machine room'
    """
    for text in texts:
        names = [name for name in entities_of(text) if not re.fullmatch(r"[\d.,]+", name) and not is_unit(name)]
        if names:
            return max(names, key=lambda name: (len(name.split()), len(name)))
        phrases = [] if names_only else _phrases(text)
        if phrases:
            return "the " + max(phrases, key=lambda phrase: len(phrase.split()))
    return None


def things_of(text: str) -> list[str]:
    """Return what stands with an article in `text`: the article and the content words after it.

    >>> things_of("How many kWh did the old ferry use in a year?"), things_of("the orchard")
    (['the old ferry', 'a year'], ['the orchard'])
    """
    empty = filler_words("english") | _VERBS
    found = []
    for article in re.finditer(r"\b(?:the|an?)\b", text, re.IGNORECASE):
        end = article.end()
        for word in _WORD.finditer(text, end):
            if not text[end : word.start()].isspace() or word[0].lower() in empty:
                break
            end = word.end()
        if end > article.end():
            found.append(text[article.start() : end])
    return found


def _phrases(text: str) -> list[str]:
    """Return the runs of content words in `text`, joined over "of" and "for"."""
    empty = filler_words("english") | _VERBS
    phrases: list[str] = []
    end = -1
    for word in _WORD.finditer(text):
        if word[0].lower() in empty or is_unit(word[0]):
            continue
        between = text[end : word.start()]
        if phrases and (between.strip() in _LINK or between.isspace()):
            phrases[-1] += between + word[0]
        elif word[0].endswith("ed"):  # a participle begins no phrase
            continue
        else:
            phrases.append(word[0])
        end = word.end()
    return [re.sub(r"(?: \w+ed)+$", "", phrase) for phrase in phrases]
