"""The question that a message of a conversation asks: complete ones as they are, follow-ups made complete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.understanding.fragments import (
    is_addition,
    is_fragment,
    names_a_quality,
    stands_alone,
    swapped,
    tells_whose,
)
from kohaku_lib.conversation.understanding.references import Reference, open_reference
from kohaku_lib.conversation.understanding.rewriting import Chat, rewritten
from kohaku_lib.conversation.understanding.small_talk import small_talk_reply
from kohaku_lib.conversation.understanding.topics import meanings, subject_of
from kohaku_lib.conversation.understanding.wording import (
    AUXILIARIES,
    QUESTION_WORDS,
    WORD,
    content_words,
    is_german,
    is_name,
)
from kohaku_lib.text.equal_signs import equal_question
from kohaku_lib.text.word_lists import words


@dataclass(frozen=True, slots=True)
class Understood:
    """The question that a message asks; `otherwise` is what it can ask too, where that is not sure."""

    question: str
    otherwise: str | None = None


def understand(message: str, turns: Sequence[Turn], chat: Chat | None = None, question_id: str = "") -> Understood:
    """Return the question of `message` as it can be understood without `turns` (oldest first); unchanged if it already can.

    A follow-up is completed by rule; with `chat` by a model, unless its reply says what nobody said. Complete questions, and
    those that may be, are never shown to the model.

    >>> understand("And in 2022?", [Turn("How much electricity did the workshop use in 2023?")]).question
    'How much electricity did the workshop use in 2022?'
    >>> understand("What does the B1 course cost?", [Turn("Who teaches the A1 course?")]).question
    'What does the B1 course cost?'
    """
    message = " ".join(equal_question(message).split())
    turns = [turn for turn in turns if small_talk_reply(turn.question) is None]
    if not (turns and message) or len(message) > _LONGEST_FOLLOW_UP:
        return Understood(message)
    if small_talk_reply(message) is not None:
        return Understood(_offered(message, turns[-1]) or message)
    readings = list(dict.fromkeys(_readings(message, turns)))
    if chat is not None and len(readings) == 1 and readings != [message]:
        return Understood(rewritten(message, turns, chat, question_id) or readings[0])
    return Understood(*readings[:2])


def _readings(message: str, turns: Sequence[Turn]) -> list[str]:
    """Return what `message` can ask, the likeliest first; itself alone if it is complete."""
    body = _OPENING.sub("", message).strip(" ?.!,")
    is_opened = body != message.strip(" ?.!,")
    said = [text for turn in turns for text in (turn.question, turn.answer)]
    if _is_short_fragment(body) and open_reference(body, said) is None:
        before = next((turn.question for turn in reversed(turns) if not is_fragment(turn.question)), turns[-1].question)
        if tells_whose(body, before) or (not is_opened and stands_alone(body, before, said)):
            return [message]
        return [swapped(body, before, said), *_otherwise(message, body, before, is_opened)]
    question = f"{body[:1].upper()}{body[1:]}?" if body and is_opened else message
    reference = open_reference(question, said)
    if reference is not None:
        found = [one for one in meanings(reference, turns) if one not in question]
        chosen = [*found[:1], *_other_meanings(reference, found[1:], turns[-1])]
        completed = [_dated(_with(question, reference, one), turns[-1].question) for one in chosen] or [message]
        return completed if reference.is_certain else [completed[0], message]
    return [_regarding(question, turns[-1].question)] if _is_elliptic(body) else [message]


def _is_short_fragment(body: str) -> bool:
    names = bool(content_words(body)) or re.search(r"\d", body) is not None
    return names and is_fragment(body) and len(WORD.findall(body)) <= _LONGEST_FRAGMENT


def _dated(question: str, before: str) -> str:
    """Return a question for an amount of the past with the year of the question before, where it names no time."""
    years = re.findall(r"\b(?:19|20)\d\d\b", before)
    if not years or re.search(r"\d", question) or not _PAST_AMOUNT.match(question):
        return question
    return f"{question.rstrip('?.! ')} {'' if is_german(question) else 'in '}{years[-1]}?"


def _otherwise(message: str, fragment: str, before: str, is_opened: bool) -> list[str]:
    """Return what a fragment may ask but the question before about another thing: a quality of its topic, or nothing more."""
    if not is_opened:
        return [] if is_addition(fragment) else [message]
    topic = subject_of(before)
    if topic is None or not any(map(is_name, topic.split())) or not names_a_quality(fragment, before):
        return []
    return [_joined(f"Was ist {fragment}", topic) if is_german(message) else f"What is {fragment} of {topic}?"]


def _offered(message: str, turn: Turn) -> str | None:
    """Return the question that the answer of a turn ends with, where `message` accepts it."""
    offer = re.search(r"(?:^|[.!?\n]\s*)([^.!?\n]+\?)\s*$", turn.answer)
    if offer is None or not _ASSENT.match(message):
        return None
    asked = _OFFER.sub("", offer[1])
    return f"{asked[:1].upper()}{asked[1:]}"


def _with(question: str, reference: Reference, meaning: str) -> str:
    """Return `question` with `meaning` in the place of a reference."""
    before, after = question[: reference.start], question[reference.end :]
    if reference.kind == "matter":
        adverb = re.fullmatch(r"dar?(für|von|zu|mit|bei|an|in|über)", reference.text)
        return f"{before}{adverb[1]} {meaning}{after}" if adverb else _joined(question, meaning)
    if reference.is_possessive and is_german(question):
        owned = re.match(r"\s+((?:[a-zäöüß]\S*\s+)*[A-ZÄÖÜ][\w-]*)", after)
        name = _GERMAN_ARTICLE.sub("", meaning)
        return f"{before}{owned[1]} von {name}{after[owned.end() :]}" if owned else _joined(question, meaning)
    article = _GERMAN_CASE.get(reference.text)
    if is_german(question):
        meaning = _GERMAN_ARTICLE.sub(f"{article} " if article else "", meaning)
    return f"{before}{meaning}{_genitive(meaning) if reference.is_possessive else ''}{after}"


def _genitive(name: str) -> str:
    return "'" if name.endswith("s") else "'s"


def _other_meanings(reference: Reference, found: Sequence[str], turn: Turn) -> list[str]:
    """Return which of the less likely meanings a reference can well have.

    A German "er" or "sie" can be the person who was the answer, or a thing of the question; "it" can also be what the
    question before brought up: "a guarantee".
    """
    if reference.text in ("er", "ihn", "ihm", "sie", "ihr") and turn.answer:
        return list(found[:1])
    return [one for one in found if re.match(r"(?:an?|eine?[nm]?)\s", one) and one in turn.question][:1]


def _is_elliptic(body: str) -> bool:
    """Return whether a question lacks what it is about: "why", "who teaches", "which is the cheapest", "tell me more"."""
    tokens = WORD.findall(body)
    content = content_words(body)
    is_of_person = bool(tokens) and tokens[0].lower() in _PERSONS and len(content) == 1
    ends_so = is_of_person and content[0] == tokens[-1] and content[0].islower() and len(tokens) <= _SHORTEST_CLAUSE
    return bool(tokens) and (not content or ends_so) and not re.search(r"\d", body)


def _regarding(question: str, before: str) -> str:
    """Return an elliptic question with what it lacks: the clause of the question before, else its topic."""
    bare = question.strip(" ?.!")
    tokens = [word.lower() for word in WORD.findall(bare)]
    clause = _CLAUSE.match(before)
    if clause is not None and all(word in QUESTION_WORDS | _MEASURES for word in tokens):
        return f"{bare[:1].upper()}{bare[1:]} {clause[1]}"
    topic = subject_of(before)
    if topic is None:
        return question
    is_verb_last = tokens[0] in _PERSONS and len(tokens) == _SUBJECT_AND_VERB
    return f"{bare} {topic}?" if is_verb_last else _joined(question, topic)


def _joined(question: str, topic: str) -> str:
    if is_german(question):
        return f"{question.rstrip('?.! ')} bezüglich {_GERMAN_ARTICLE.sub('', topic)}?"
    return f"{question.rstrip('?.! ')} regarding {topic}?"


_LONGEST_FOLLOW_UP = 400  # characters; who writes more says what it is about
_LONGEST_FRAGMENT = 8  # words
_PERSONS = ("who", "wer", "whom", "wen")
_SUBJECT_AND_VERB = 2  # words, as in "who teaches"
_SHORTEST_CLAUSE = 3  # words, as in "who is responsible"
_MEASURES = words("since until long often far much many so seit bis lange oft viel viele weit")
_LEAD_IN = (
    r"(?:thanks?(?: you)?|danke|ok(?:ay)?|great|super|good|gut|alles klar|yes|no|ja|nein|nee|sorry|hi|hello|hallo)"
    r"\s*[,.!;:–-]+\s*"
)
_CORRECTION = (
    r"(?:not|nicht)\s[^,.;?]{1,30}[,;]\s*(?:but|sondern)?|i meant?|i was asking about|ich meinte?|gemeint (?:war|ist)|actually"
    r"|rather"
)
_CONTINUATION = (
    r"and|but|or|so|also|then|und|aber|oder|auch|dann|(?:what|how) about|what of|was ist mit|wie ist es mit|wie steht es mit"
    r"|wie sieht es (?:mit|bei)"
)
_OPENING = re.compile(rf"^\s*(?:{_LEAD_IN})*(?:(?:{_CORRECTION}|{_CONTINUATION})(?!\w)[\s,]*)*", re.IGNORECASE)
_PAST_AMOUNT = re.compile(
    r"\s*(?:how (?:much|many)|wie ?viele?)\b.*\b(?:did|was|were|had|hatte|war|waren|wurden?|verbrauchte|betrug)\b",
    re.IGNORECASE,
)
_ASSENT = re.compile(r"\s*(?:yes|yeah|yep|sure|ok|okay|ja|jawohl|gern|please|bitte)\b", re.IGNORECASE)
_OFFER = re.compile(
    r"^\s*(?:would you like|do you want|shall i|should i|may i|möchten sie|wollen sie|soll ich)\s+(?:(?:me\s+)?to\s+)?"
    r"(?:(?:know|hear|tell you|show you|ihnen sagen|wissen)\b,?\s*)?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    rf"\s*(?:(?:for|in|by|at|to|from|of|since|seit|bis|für|von)\s+)?(?:{'|'.join(QUESTION_WORDS)})\b(?:[^,;.?]*?\s+(?=(?:{'|'.join(AUXILIARIES)})\b)|(?:\s+(?:lange|oft|viel|viele))?\s+)(.+)",
    re.IGNORECASE | re.DOTALL,
)
_GERMAN_ARTICLE = re.compile(r"^(?:der|die|das|den|dem|des|ein|eine[nmrs]?|im|am|zum|zur|vom|beim)\s+", re.IGNORECASE)
_GERMAN_CASE = {"er": "der", "ihn": "den", "ihm": "dem", "sie": "die", "es": "das", "ihr": "der"}
