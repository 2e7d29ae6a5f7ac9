"""Which words of a message carry content: those that name something, in English and in German."""

from __future__ import annotations

import re
from functools import cache

from kohaku_lib.text.stop_words import filler_words
from kohaku_lib.text.units import is_unit
from kohaku_lib.text.word_lists import words

WORD = re.compile(r"[^\W_](?:[\w’'-]*\w)?")
QUESTION_WORDS = words(
    "what which who whom whose when where why how wer wen wem wessen was wann wo wohin woher warum wieso weshalb wie "
    "wieviel welche welcher welches welchen welchem"
)
BE = words("is are was were ist sind war waren")
AUXILIARIES = BE | words(
    "do does did has have had can could will would shall should may might must hat haben hatte kann können muss müssen "
    "darf dürfen soll sollen wird werden wurde gibt"
)
COMMANDS = words(
    "list show tell give explain describe name compare summarise summarize find nenne nenn zeige zeig erkläre erklär sag "
    "sage liste vergleiche beschreibe"
)
MONTHS = words(
    "january february march april may june july august september october november december januar februar märz mai juni "
    "juli oktober dezember monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonntag"
)
# in addition to the stop words: verbs that say little, and words that only ask for a measure or for more
_EMPTY = words(
    "take takes took taken cost costs last lasts use uses need needs want know please exactly else ones total average "
    "detail details information example examples instead get got make made mean meant like called happens happen kostet "
    "kosten dauert genau mehr viele denn bitte gilt weiß wissen sonst geht since seit bei neben draw drew us let say says "
    "said along back away together"
)
_MEASURES = words(  # after "how" alone they say nothing of their own
    "long often far big large high old expensive tall wide deep lange oft weit groß hoch alt teuer breit tief"
)
_GERMAN = re.compile(
    r"\b(?:der|das|dem|des|ein|eine|einen|einem|einer|wer|wen|wem|wann|wie|wo|warum|wieso|welche[rsnm]?|und|ist|sind|wird"
    r"|für|im|zum|zur|vom|beim|mit|von|aus|auf|nach|bei|nicht|ich|wir|sie|es|er|ihn|ihm|auch|danke|bitte|ja|nein|gibt|kostet"
    r"|über|viel|viele|lange|haben|kann|muss|darf|meinte|oder|aber|noch)\b|[äöüß]",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"(?!(?:requ|inter|gu|for|harv|inv|prot|cont|manif|dig|arr)est$)[a-zäöü]{3,}est|[a-zäöü]{3,}st(?:e|en|er|es)"
    r"|best|worst|most|least|first|second|only|other|next"
)
_CODE = re.compile(r"(?=\S*[A-Za-z])(?:\S*\d\S*|[A-ZÄÖÜ]{2,}|\S+-[A-Z]{1,3})")


def is_german(text: str) -> bool:
    """Return whether `text` has a word that is German and not English.

    >>> is_german("Und B1?"), is_german("And B1?")
    (True, False)
    """
    return _GERMAN.search(text) is not None


def is_content(word: str, before: str = "") -> bool:
    """Return whether `word` carries content: no function word, weak verb, superlative, unit or number.

    `before` is the word before it: the measure of "how long" says nothing of its own.

    >>> [is_content(word) for word in ("guarantee", "Garantie", "cost", "cheapest", "2023", "B1")]
    [True, True, False, False, False, True]
    """
    if word == "May":
        return True
    if word.lower() in _fillers() or _SUPERLATIVE.fullmatch(word) or is_unit(word):
        return False
    is_measure = word.lower() in _MEASURES and before.lower() in ("how", "wie", "since", "seit", "so", "as")
    return not is_measure and not re.fullmatch(r"[\d.,:-]+", word)


def is_code(word: str) -> bool:
    """Return whether `word` is a name such as of a model or a course: with digits, in capitals, or ending in "-M".

    >>> [is_code(word) for word in ("B1", "Gintaras-M", "PUE", "Lyon")]
    [True, True, True, False]
    """
    return _CODE.fullmatch(word) is not None


def is_name(word: str) -> bool:
    """Return whether `word` is written like a name; German nouns are too."""
    return is_code(word) or word[:1].isupper()


def content_words(text: str) -> list[str]:
    """Return the words of `text` that carry content, in order.

    >>> content_words("How long is the guarantee of the drill?")
    ['guarantee', 'drill']
    """
    tokens = WORD.findall(text)
    return [word for before, word in zip(["", *tokens], tokens, strict=False) if is_content(word, before)]


@cache
def _fillers() -> frozenset[str]:
    return filler_words("english") | filler_words("german") | QUESTION_WORDS | AUXILIARIES | COMMANDS | _EMPTY
