"""Follow-up questions made complete by the turns before them: "and in 2022?", "who owns it?"."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.assistant.topics import latest_topic, things_of
from kohaku_lib.errors import ModelError
from kohaku_lib.prompts import follow_up as wording
from kohaku_lib.text.json_replies import strip_thinking
from kohaku_lib.text.units import is_unit

_LOG = logging.getLogger("kohaku")
SHORT_WORDS = 8  # shorter questions without a name of their own are taken to depend on the turns before
CHAT_TURNS = 2  # shown to the model that rewrites
_LONGEST_GROWTH, _LEAST_CHARS = 5, 5
_MOST_LEAD_IN = 3  # words before a name that takes the place of another, as in "for the model"

Chat = Callable[[str, str, str], str]  # system, user, question id → text


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was understood, and the text of its answer; empty where there was none."""

    question: str
    answer: str = ""


def is_follow_up(question: str) -> bool:
    """Return whether `question` is likely to depend on the turns before it.

    It does if it opens like a continuation, if it has a pronoun that no name or noun before it in the question explains, or
    that is the subject of its only clause, or if it is short and has neither a name, a figure nor a thing of its own.

    >>> [is_follow_up(text) for text in ("And in 2022?", "Who owns it?", "Who maintains Gintaras-M?", "List all sites")]
    [True, True, False, False]
    """
    if _CONTINUATION.match(question):
        return True
    pronoun = _PRONOUN.search(question)
    if pronoun is not None:
        before = question[: pronoun.start()]
        if _ASKED_OF.fullmatch(before) and len(_AUXILIARY.findall(before)) == 1:
            return True  # "How many tons of CO2 did it emit?"
        return not entities_of(before) and not _NOUN_PHRASE.search(before)
    words = question.split()
    things = [thing for thing in things_of(question) if not _SUPERLATIVE.fullmatch(thing)]
    is_bare = not (entities_of(question) or things or re.search(r"\d", question))
    return is_bare and len(words) < SHORT_WORDS and bool(_ELLIPTIC.match(question))


def complete_question(question: str, turns: Sequence[Turn], chat: Chat | None = None, question_id: str = "") -> str:
    """Return `question` as it can be understood without `turns` (oldest first); unchanged if it already can.

    With `chat` a model rewrites it. Its reply is refused if it has at most five characters or is five times as long as the
    question; then, or without a model, the rules do.

    >>> complete_question("And in 2022?", [Turn("How much electricity did the workshop use in 2023?")])
    'How much electricity did the workshop use in 2022?'
    """
    if not turns or not is_follow_up(question):
        return question
    if chat is not None:
        rewritten = _by_chat(question, turns[-CHAT_TURNS:], chat, question_id)
        if rewritten is not None:
            return rewritten
    return _by_rule(question.strip(), turns)


def _by_chat(question: str, turns: Sequence[Turn], chat: Chat, question_id: str) -> str | None:
    shown = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer[:500]}" for turn in turns)
    try:
        reply = strip_thinking(chat(wording.SYSTEM, wording.USER.format(turns=shown, question=question), question_id))
    except ModelError as error:
        _LOG.warning("the follow-up question is completed by rule, as the chat model failed: %s", error)
        return None
    first = next((line.strip() for line in reply.splitlines() if line.strip()), "")
    rewritten = _PREFIX.sub("", first).strip().strip('"')
    is_usable = _LEAST_CHARS < len(rewritten) < _LONGEST_GROWTH * max(len(question), 20)
    return rewritten if is_usable else None


def _by_rule(question: str, turns: Sequence[Turn]) -> str:
    before = turns[-1].question
    rest = _CONTINUATION.sub("", question).strip(" ?.!,")
    if rest != question.strip(" ?.!,"):
        swapped = _swapped(rest, before)
        if swapped is not None:
            return swapped
        question = f"{rest[:1].upper()}{rest[1:]}?" if rest else question
    person = _PERSON.search(question) is not None
    topic = latest_topic(turns_texts(turns, answers_first=person), names_only=person)
    if topic is None:
        return question
    if _PRONOUN.search(question):
        return _PRONOUN.sub(
            lambda found: f"{topic}'s" if found[0].lower() in _POSSESSIVES else topic, question, count=1
        )
    return f"{question.rstrip('?.! ')} regarding {topic}?"


def turns_texts(turns: Sequence[Turn], *, answers_first: bool) -> list[str]:
    """Return the texts of `turns` in which a topic may stand, the likeliest first: the latest turn, question by answer."""
    pairs = [
        (*_MARK.sub("", turn.answer).partition("\n\n"), turn.question)
        if answers_first
        else (turn.question, turn.answer)
        for turn in reversed(turns)
    ]  # the value of an answer stands before the quote, which may name others
    return [text for pair in pairs for text in pair if text.strip()]


def _swapped(rest: str, before: str) -> str | None:
    """Return the question before with the one thing that `rest` names in the place of the like; None if it names more.

    A year takes the place of the year, a name that of the last name, and "the ferry" that of the last thing with an article.
    A year where there was none is appended.
    """
    year = re.fullmatch(rf"(?:(?:in|for|of|during|by)\s+)?({_YEAR})", rest, re.IGNORECASE)
    if year is not None:
        years = list(re.finditer(rf"\b{_YEAR}\b", before))
        if not years:
            return f"{before.rstrip('?.! ')} in {year[1]}?"
        return before[: years[-1].start()] + year[1] + before[years[-1].end() :]
    names, own = ([name for name in entities_of(text) if not is_unit(name)] for text in (before, rest))
    if (
        (names or _PLACE.match(rest))
        and len(own) == 1
        and rest.endswith(own[0])
        and len(rest.split()) <= len(own[0].split()) + _MOST_LEAD_IN
    ):
        place = _PLACE.match(rest)
        if place is not None:  # takes the place of a place, else it is added
            same = next((name for name in names if re.search(rf"\b{place[1]} {re.escape(name)}", before)), None)
            return before.replace(same, own[0]) if same else f"{before.rstrip('?.! ')} {rest}?"
        start = before.rfind(names[-1])
        return before[:start] + own[0] + before[start + len(names[-1]) :]
    things = [thing for thing in things_of(before) if not re.search(r"\d", thing)]
    if not own and things and things_of(rest) == [rest]:
        start = before.rfind(things[-1])
        return before[:start] + rest + before[start + len(things[-1]) :]
    return None


_MARK = re.compile(r"\s*\[Source \d+\]")
_YEAR = r"(?:19|20)\d\d"
_CONTINUATION = re.compile(
    r"^\s*(?:and|but|or|so|also|then|what about|how about|and what about|and how about|what of)\b[\s,]*", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|these|those|this one|that one|the same|the latter"
    r"|the former|this|that)\b(?!\s+(?:is|was|are|were)\s+(?:the|a|an)\b)(?=\W|$)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|him|his|she|her|hers)\b", re.IGNORECASE)
_NOUN_PHRASE = re.compile(r"\b(?:the|an?|of)\s+\w{3,}", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:did|does|do|is|was|were|are|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_ASKED_OF = re.compile(
    rf"\s*(?:how|what|which|when|where|why|by|in|for|to)\b[^,.;]*{_AUXILIARY.pattern}\s+", re.IGNORECASE
)
_PLACE = re.compile(r"(in|at|near|within)\s+(?!\d)", re.IGNORECASE)
_POSSESSIVES = frozenset(("its", "their", "theirs", "his", "her", "hers"))
_SUPERLATIVE = re.compile(
    r"the (?:\w+est|best|worst|first|last|only|other)(?: one)?|the (?:most|least) \w+", re.IGNORECASE
)
_ELLIPTIC = re.compile(
    r"\s*(?:why|when|where|who|whose|which (?:one|ones)|since when|how (?:so|long|often|far|big)|in (?:which|what)|by whom"
    r"|for whom|from whom|to whom|with whom|per what|in total|on average)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:the\s+)?(?:(?:complete|standalone|rewritten|last)\s+)*(?:question|query)\s*:\s*", re.IGNORECASE
)
