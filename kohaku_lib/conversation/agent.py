"""Agent mode: a question is taken apart into several searches, by rule or step by step by a chat model."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.answering.chat.answer_prompt import fenced, neutralised
from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.answering.cited.grounding import CITATION
from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.conversation.understanding.understand import understand
from kohaku_lib.errors import ModelError
from kohaku_lib.llm.tool_calls import called_arguments
from kohaku_lib.prompts import agent_step as wording
from kohaku_lib.tables import Snippet
from kohaku_lib.text.json_replies import last_json_value

_LOG = logging.getLogger("kohaku")
MOST_STEPS = 5
_SHOWN_CHARS = 400  # of each passage that a step shows to the model
_SHOWN_PASSAGES = 3

TOOL = "search_knowledge_base"
# what a model that calls tools is offered; it chooses the query alone
STEP_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Search the documents for one fact that is still missing.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "A short self-contained question."}},
            "required": ["query"],
        },
    },
}

Chat = Callable[[str, str, str], str]  # system, user, question id → text


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One search of an agent, and the passages it found, best first."""

    query: str
    snippets: tuple[Snippet, ...]


def next_query(question: str, steps: Sequence[AgentStep], chat: Chat, question_id: str) -> str | None:
    """Return the next query that a model asks for after `steps`; None when it is done, or asks the same again.

    The first step without a usable reply searches for the question itself, so that an agent never searches less than a chat.
    """
    blocks = [_shown(number, step) for number, step in enumerate(steps, start=1)]
    so_far = fenced("What the steps so far found:", "steps", blocks) if blocks else "Nothing was searched for yet."
    first = None if steps else question
    try:
        reply = chat(wording.SYSTEM, wording.USER.format(question=question, steps=so_far), question_id)
    except ModelError as error:
        _LOG.warning("the agent stops planning, as the chat model failed: %s", error)
        return first
    query = " ".join(_asked_for(reply).split())
    if not query or query.casefold() in {step.query.casefold() for step in steps}:
        return first
    return query


def decompose(question: str) -> list[str]:
    """Return the parts of `question` that can be asked alone, at most five; the question itself if it has one part.

    Parts are its sentences, what a question word after "and" begins, and one part for each of several names in a row.
    Pronouns of later parts are replaced by what the earlier ones are about.

    >>> decompose("How many parameters do Gintaras-M and Gintaras-L have?")
    ['How many parameters do Gintaras-M have?', 'How many parameters do Gintaras-L have?']
    >>> decompose("Who maintains Gintaras-M, and how many parameters does it have?")
    ['Who maintains Gintaras-M?', 'how many parameters does Gintaras-M have?']
    """
    parts: list[str] = []
    for piece in _pieces(question.strip()):
        for part in _by_name(piece):
            parts.append(understand(part, [Turn(earlier) for earlier in parts]).question)
    return list(dict.fromkeys(parts))[:MOST_STEPS] or [question]


def join_drafts(parts: Sequence[str], drafts: Sequence[Draft]) -> Draft:
    """Return the answers to several parts as one draft; sources that parts share have one number.

    It is an answer if any part is one.

    >>> from kohaku_lib.tables import Snippet
    >>> one, two = (Snippet(name, name, name, 1, "text", 1, 1.0) for name in "ab")
    >>> joined = join_drafts(["Who?", "When?"], [Draft("Ann [Source 1]", (one,)), Draft("Now [Source 2] [Source 1]", (one, two))])
    >>> print(joined.content)
    **Who?** Ann [Source 1]
    <BLANKLINE>
    **When?** Now [Source 2] [Source 1]
    """
    number_by_id: dict[str, int] = {}
    sources: list[Snippet] = []
    blocks = []
    for part, draft in zip(parts, drafts, strict=True):
        numbers = []
        for source in draft.sources:
            if source.node_id not in number_by_id:
                sources.append(source)
                number_by_id[source.node_id] = len(sources)
            numbers.append(number_by_id[source.node_id])
        blocks.append(f"**{part}** {_renumbered(draft.content, numbers)}")
    return Draft("\n\n".join(blocks), tuple(sources), is_answer=any(draft.is_answer for draft in drafts))


def merged_snippets(steps: Sequence[AgentStep]) -> tuple[Snippet, ...]:
    """Return the passages of all steps, each once: the best of every step first, then the second ones, and so on."""
    longest = max((len(step.snippets) for step in steps), default=0)
    ranked = [step.snippets[rank] for rank in range(longest) for step in steps if rank < len(step.snippets)]
    first: dict[str, Snippet] = {}
    for snippet in ranked:
        first.setdefault(snippet.node_id, snippet)
    return tuple(first.values())


def _asked_for(reply: str) -> str:
    """Return the query of a reply: of a call of the tool, else of a JSON object; empty if it asks for none."""
    arguments = called_arguments(reply, TOOL)
    if arguments is not None:
        return str(arguments.get("query") or "")
    value = last_json_value(reply, lambda found: isinstance(found, dict) and ("search" in found or "done" in found))
    return str(value.get("search") or "") if value else ""


def _shown(number: int, step: AgentStep) -> str:
    texts = [neutralised(" ".join(one.text.split())[:_SHOWN_CHARS]) for one in step.snippets[:_SHOWN_PASSAGES]]
    return "\n".join([f"Step {number}, searched for: {step.query}", *(f"- {text}" for text in texts)])


def _pieces(question: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[?])\s+", question):
        for piece in re.split(r",?\s+and\s+(?=(?:who|what|when|where|which|why|how)\b)", sentence, flags=re.IGNORECASE):
            bare = piece.strip(" ,?")
            if bare:
                yield f"{bare}?"


def _by_name(question: str) -> list[str]:
    """Return the question once for each of the names or years that stand in a row, joined by "and", "or" or commas."""
    asked = _COMPARING.sub("", question)
    years = _YEARS.search(asked)
    if years is not None:
        lead = years[1]
        return [asked.replace(years[0], f"{lead} {year}") for year in dict.fromkeys(_YEAR.findall(years[0]))]
    names = entities_of(asked)
    row = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    joined = re.search(rf"(?:both\s+)?(?:{row})(?:{_JOINT}(?:{row}))+", asked) if len(names) > 1 else None
    if joined is None:
        return [question]
    return [asked.replace(joined[0], name) for name in dict.fromkeys(re.findall(row, joined[0]))]


def _renumbered(content: str, numbers: Sequence[int]) -> str:
    return CITATION.sub(lambda found: f"[Source {numbers[int(found[1]) - 1]}]", content)


_JOINT = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus|with|to|than)\s+)(?:the\s+)?"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_YEARS = re.compile(
    r"\b(in|for|of|during)\s+(?:19|20)\d\d(?:(?:\s*,\s*|\s+(?:and|or)\s+)(?:(?:in|for|of|during)\s+)?(?:19|20)\d\d)+\b",
    re.IGNORECASE,
)
_COMPARING = re.compile(r"^\s*(?:compare|contrast)\s+", re.IGNORECASE)
