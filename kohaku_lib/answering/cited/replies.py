"""The text of a model's reply: without preamble and notes, with citations in one form, and its suggested questions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku_lib.prompts.cited_answer import SUGGESTED
from kohaku_lib.text.json_replies import strip_thinking

MOST_SUGGESTED = 3
_PREAMBLE = re.compile(
    r"^\s*(?:(?:sure|certainly|of course|absolutely|great question|okay|ok)\b[^\n.!:]{0,60}?[.!:,]\s*"
    r"|(?:here is|here's|below is)\b[^\n.:]{0,60}:\s*"
    r"|based on (?:the|these) (?:provided )?(?:sources|documents|context)[^\n.,:]{0,40}[,:]\s*)+",
    re.IGNORECASE,
)
# [Source 1], [source 1, 2], [Sources 1 and 2], (Source 3), [1], [1][2], 【Source 1】, [Source 1: name (Page 3)]
_NUMBERS = r"\s*(?:sources?\s*)?#?(\d{1,3}(?:\s*(?:,|and|&|;)\s*(?:sources?\s*)?\d{1,3})*)\s*"
_CITATION = re.compile(
    rf"\[{_NUMBERS}(?::[^\]\n]{{0,120}})?\]|\({_NUMBERS}(?::[^)\n]{{0,120}})?\)|【{_NUMBERS}(?::[^】\n]{{0,120}})?】",
    re.IGNORECASE,
)
_BEYOND = re.compile(r"\[\s*sources?\s*#?\d{4,}\s*\]", re.IGNORECASE)  # no prompt has as many; [2023] is a year
_BARE = re.compile(r"^\(\s*#?\d")  # "(3)" is no citation: an item or a year
_SUGGESTED = re.compile(rf"^[\s*_#>-]*{SUGGESTED.rstrip(':').replace('_', '[_ ]')}[\s*_]*:(.*)\Z", re.I | re.M | re.S)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The content of a reply and the questions that it suggests."""

    content: str
    suggested_questions: tuple[str, ...] = ()


def parse_reply(reply: str, sources: int) -> ParsedReply:
    r"""Return the content of `reply` to a prompt with `sources` sources, and its suggested questions.

    Citations of sources that there are not are removed.

    >>> parsed = parse_reply("Sure! It used 41,800 kWh [1] (source 7).\nSUGGESTED_QUESTIONS: Why?|And 2022?", 2)
    >>> parsed.content, parsed.suggested_questions
    ('It used 41,800 kWh [Source 1].', ('Why?', 'And 2022?'))
    """
    text = strip_thinking(reply)
    suggested = _SUGGESTED.search(text)
    questions = suggested[1] if suggested else ""
    text = text[: suggested.start()] if suggested else text
    text = _PREAMBLE.sub("", text).strip()
    return ParsedReply(normalise_citations(text, sources), split_questions(questions))


def normalise_citations(text: str, sources: int) -> str:
    """Return `text` with every citation as [Source N], without those outside 1 to `sources`.

    >>> normalise_citations("A (Source 2) and B [source 1 and 9].", 2)
    'A [Source 2] and B [Source 1].'
    >>> normalise_citations("A [Source 1000] in [2023].", 2)
    'A in [2023].'
    """

    def replaced(found: re.Match[str]) -> str:
        if _BARE.match(found[0]):
            return found[0]
        numbers = [int(number) for number in re.findall(r"\d+", found[1] or found[2] or found[3])]
        return " ".join(f"[Source {number}]" for number in dict.fromkeys(numbers) if 0 < number <= sources)

    return re.sub(
        r"[ \t]+([.,;:?]|!(?!\[))", r"\1", re.sub(r"(?<=\S)  +", " ", _CITATION.sub(replaced, _BEYOND.sub("", text)))
    )


def split_questions(line: str) -> tuple[str, ...]:
    """Return up to three questions of a line that separates them by "|", without numbers and marks.

    >>> split_questions(" 1. Why? | *How many?* | ")
    ('Why?', 'How many?')
    """
    pieces = re.split(r"\||\n", line)
    questions = (re.sub(r"^[\s\d.)*_-]+|[\s*_]+$", "", piece) for piece in pieces)
    return tuple(dict.fromkeys(question for question in questions if question))[:MOST_SUGGESTED]
