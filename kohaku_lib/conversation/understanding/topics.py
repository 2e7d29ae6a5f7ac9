"""What a conversation was about last: what a pronoun stands for, and the topic of a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.understanding.phrases import Phrase, joined_phrases, phrases_of
from kohaku_lib.conversation.understanding.references import Reference
from kohaku_lib.conversation.understanding.wording import is_code, is_german, is_name
from kohaku_lib.text.word_lists import words


def subject_of(question: str) -> str | None:
    """Return what a question is about: its subject, else its longest phrase with a name, else its longest; None without any.

    >>> subject_of("Who maintains the model Gintaras-M?")
    'the model Gintaras-M'
    >>> subject_of("What was the power usage effectiveness of the machine room in 2023?")
    'the power usage effectiveness of the machine room'
    """
    return next((phrase.text for phrase in _by_importance(question)), None)


def meanings(reference: Reference, turns: Sequence[Turn]) -> list[str]:
    """Return what `reference` can stand for, the likeliest first: of the latest of `turns` (oldest first) that tells.

    A person is one who was the answer to a question for one, else one that a question names, else one of an answer.

    >>> word = Reference(0, 2, "it", "thing")
    >>> meanings(word, [Turn("How long is the guarantee of the drill?"), Turn("Who are the buyers?")])
    ['the guarantee of the drill']
    """
    fitting: list[str] = []
    others: list[str] = []
    for turn in reversed(turns):
        for phrase in _candidates(reference, turn):
            (fitting if _agrees(reference, phrase) else others).append(phrase.text)
    return list(dict.fromkeys(fitting or others))


def _candidates(reference: Reference, turn: Turn) -> Iterator[Phrase]:
    """Yield the phrases of a turn, the likeliest first. The value of an answer stands before the quote, which may name others."""
    value, _, quote = _MARK.sub("", turn.answer).partition("\n\n")
    marked = re.findall(r"\*\*(.+?)\*\*", quote)  # the words of a passage that answer
    people = [one for text in (value, *marked) for one in joined_phrases(text) if _is_person(one)]
    question = _by_importance(turn.question)
    if reference.kind == "person":
        asked = list(filter(_is_person, question))
        told = list(filter(_is_person, joined_phrases(quote)))
        yield from [*people, *asked, *told] if _FOR_A_PERSON.match(turn.question) else [*asked, *people, *told]
    elif reference.kind == "noun":
        yield from (phrase for phrase in question if phrase.head.rstrip("s") == reference.text.rstrip("s"))
    else:
        by_name = is_german(turn.question) and reference.kind == "thing" and _FOR_A_PERSON.match(turn.question)
        yield from [*question, *people] if by_name else question


def _by_importance(question: str) -> list[Phrase]:
    """Return the phrases of a question: its subject first, then those with a name, the longest first.

    Of "the price of the A1 course" the thing with a name is before the whole.
    """
    phrases = joined_phrases(question)
    phrases.sort(key=lambda one: (not one.is_subject, not one.is_named, -len(one.name.split())))
    is_proper = is_code if is_german(question) else is_name
    named = [one for one in phrases_of(question) if any(map(is_proper, one.name.split()))]
    parts = [one for one in named if phrases and phrases[0].start < one.start < phrases[0].end]
    return [*parts[-1:], *phrases]


def _agrees(reference: Reference, phrase: Phrase) -> bool:
    """Return whether a phrase has the number, in German the gender, of a pronoun."""
    articles = _ARTICLES.get(reference.text)
    if articles is not None:
        return phrase.article.lower() in articles or not phrase.article
    if reference.kind in ("thing", "things"):
        is_plural = re.search(r"[^su]s$", phrase.head) is not None
        return is_plural == (reference.kind == "things")
    return True


def _is_person(phrase: Phrase) -> bool:
    tokens = phrase.name.split()
    return not phrase.article and all(word[0].isupper() and not is_code(word) for word in tokens)


_MARK = re.compile(r"\s*\[Source \d+\]")
_FOR_A_PERSON = re.compile(r"\s*(?:who|whom|whose|which person|wer|wen|wem)\b|.*\bname\b", re.IGNORECASE)
_MALE, _NEUTER = (
    words("der den dem ein einen einem im am zum vom beim"),
    words("das dem ein einem im am"),
)
_FEMALE = words("die der eine einer zur")
_ARTICLES = dict.fromkeys(("er", "ihn", "ihm"), _MALE) | {"es": _NEUTER} | dict.fromkeys(("sie", "ihr"), _FEMALE)
