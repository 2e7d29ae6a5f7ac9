"""The prompt for structured answers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import ModuleType
from typing import Any, Literal

from kohaku_lib.answering.citing.references import marker_id
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.prompts import node_citation, number_citation
from kohaku_lib.prompts import structured_answer as wording
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import BLANK

# turn delimiters of chat templates; broken up, they are ordinary text
_CONTROL_TOKEN = re.compile(
    r"([<\[])(?=\|[^|<>\s]{1,40}\|>|/?(?:start|end)_of_turn>|/?s>|</?SYS>>|/?INST\])", re.IGNORECASE
)
# what reads as the number of an excerpt; broken up, footnotes do too
_NUMBER = re.compile(r"\[(?=\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\])")
_RULE = re.compile(r"^[ \t]*([=-])[ \t]*\1[ \t]*\1[ \t=-]*$", re.MULTILINE)

Cited = Literal["number", "document", "node"]
WORDINGS: dict[Cited, ModuleType] = {"number": number_citation, "node": node_citation}
_END = "=" * 20
_HEAD = "The excerpts, quoted material, each marked with the id of its document:"
_TEXT = {"type": "string"}
_PROPERTIES: dict[str, Any] = {
    "explanation": _TEXT,
    "answer": _TEXT,
    "answer_value": _TEXT,
    "ref_id": {"type": "array", "items": _TEXT},
    "supporting_materials": _TEXT,
}
_SHORT = ("supporting_materials", "answer_value", "ref_id")


def answer_schema(*, best_guess: bool = False, cited: Cited = "number", is_short: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a reply, for servers with structured output.

    >>> list(answer_schema(best_guess=True)["properties"])[-1], answer_schema()["properties"]["ref_id"]["items"]
    ('confidence', {'type': 'integer'})
    >>> list(answer_schema(is_short=True)["properties"])
    ['supporting_materials', 'answer_value', 'ref_id']
    """
    properties = _PROPERTIES | (
        {"ref_id": {"type": "array", "items": {"type": "integer"}}} if cited == "number" else {}
    )
    if is_short:
        properties = {name: properties[name] for name in _SHORT}
    if best_guess:
        properties |= {"confidence": {"type": "string", "enum": ["high", "low"]}}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Prompt:
    """The system message and the user message of a call."""

    system: str
    user: str


def structured_prompt(
    question: Question,
    snippets: Sequence[Snippet],
    figures: Sequence[FigureSnippet] = (),
    attached_keys: Collection[str] = (),
    *,
    context_first: bool = True,
    best_guess: bool = False,
    cited: Cited = "number",
) -> Prompt:
    """Return the prompt that requests a structured answer to `question` from `snippets`, best first.

    The texts cannot imitate what ends them or what marks a reference.

    Args:
        question: The question.
        snippets: The text snippets of the context.
        figures: Figures, whose captions have a separate heading.
        attached_keys: Keys of the figures attached as images, in the order of `figures`.
        context_first: Put the context before the question, otherwise after it.
        best_guess: Instruct the model to answer, with low confidence, even if the excerpts only suggest an answer.
        cited: What stands before each excerpt and an answer refers to: its number, its document or its node.

    Example:
        >>> prompt = structured_prompt(Question("q1", "How heavy?", "kg"), [])
        >>> prompt.user.index("<excerpts") < prompt.user.index("How heavy?")
        True

    """
    pictures = f"\n\n{wording.PICTURES}" if attached_keys else ""
    context = fence_snippets(snippets, figures, attached_keys, cited) + pictures
    info = json.dumps({"answer_unit": question.unit or BLANK, "question_id": question.id}, ensure_ascii=False)
    question_part = f"Question: {question.text}\n\nAdditional information: {info}"
    rules = wording.RULES.replace("@SUPPORT@", "do not even suggest" if best_guess else "do not support")
    shape = wording.SHAPE.replace("@CONFIDENCE@", wording.CONFIDENCE if best_guess else "")
    if cited in WORDINGS:
        rules, shape = rules.replace(*WORDINGS[cited].IN_RULES), shape.replace(*WORDINGS[cited].IN_SHAPE)
    end = [_END] if cited == "number" else []
    parts = [context, *end, question_part, rules, shape] if context_first else [rules, question_part, context, shape]
    return Prompt(
        wording.SYSTEM.replace("@ABSTENTION@", wording.GUESS if best_guess else wording.ABSTAIN), "\n\n".join(parts)
    )


def fence_snippets(
    snippets: Sequence[Snippet],
    figures: Sequence[FigureSnippet] = (),
    attached_keys: Collection[str] = (),
    cited: Cited = "number",
) -> str:
    """Return the texts of `snippets` and the captions of `figures`, between two fence lines where numbers are cited.

    Each is preceded by its number, and by the title, the headings above it and the page, as far as it has them (see
    `without_place`). Where ids are cited, as published systems do, it is preceded by the marker `[ref_id=<document id>]`,
    by one per document if several contain the text, or that of its node and of the other documents, and a line of
    equals signs ends the texts. Background is marked as such. What ends the texts, markers, and control tokens of chat
    models are broken up in a text.

    >>> print(fence_snippets([Snippet("d:p1", "d", "Rules", 2, "Ten euros [1].", 1, 1.0)]))
    The excerpts, quoted material, each after its number:
    <excerpts>
    [1] (Rules, page 2) Ten euros (1].
    </excerpts>
    """
    numbers = count(1)
    blocks = [_block(snippet, _marker(snippet, cited, numbers), cited) for snippet in snippets]
    blocks += _caption_blocks(figures, attached_keys, cited, numbers)
    if cited == "number":
        return fenced(number_citation.HEAD, "excerpts", blocks)
    head = WORDINGS[cited].HEAD if cited in WORDINGS else _HEAD
    return "\n".join([head, "\n---\n".join(blocks), _END])


def shown_excerpts(
    snippets: Sequence[Snippet], figures: Sequence[FigureSnippet], attached_keys: Collection[str]
) -> list[Snippet]:
    """Return what `fence_snippets` shows, in the order of its numbers."""
    return [*snippets, *(figure for figure in figures if _is_shown(figure, attached_keys))]


def without_place(snippet: Snippet) -> Snippet:
    """Return `snippet` without its path, title and headings, as a prompt under answer.headings = false shows it."""
    return replace(snippet, path="", document_title="", heading="")


def fenced(head: str, name: str, blocks: Sequence[str]) -> str:
    """Return `head` and, between two fence lines called `name`, the `blocks`; a tag of that name in a block is broken up.

    The lines hold nothing that a model could take for an id.

    >>> print(fenced("Quoted:", "turns", ["a </turns> b"]))
    Quoted:
    <turns>
    a (/turns> b
    </turns>
    """
    body = re.sub(rf"<(?=\s*/?\s*{name}\b)", "(", "\n---\n".join(blocks), flags=re.IGNORECASE)
    return f"{head}\n<{name}>\n{body}\n</{name}>"


def _block(snippet: Snippet, marker: str, cited: Cited) -> str:
    page = f"page {snippet.page}" if cited == "number" and snippet.page else ""
    place = ", ".join(filter(None, (snippet.place, page)))
    return " ".join(
        filter(None, (marker, _broken_up(f"({place})" if place else "", cited), _broken_up(snippet.text, cited)))
    )


def _broken_up(text: str, cited: Cited) -> str:
    """Return a text in which nothing reads as a marker of the prompt, a turn of a chat, or the end of the texts."""
    if cited == "number":
        return _NUMBER.sub("(", neutralised(text))
    return _RULE.sub(r"\1 \1", neutralised(text))


def _marker(snippet: Snippet, cited: Cited, numbers: Iterator[int]) -> str:
    if cited == "number":
        markers = [f"[{next(numbers)}]"]
    else:
        own = snippet.node_id if cited == "node" else snippet.document_id
        markers = [f"[ref_id={marker_id(name)}]" for name in (own, *snippet.also_in)]
    return " ".join([*markers, "(background)"] if snippet.background else markers)


def _is_shown(figure: FigureSnippet, attached_keys: Collection[str]) -> bool:
    return bool(figure.text.strip()) or figure.node_id in attached_keys


def _caption_blocks(
    figures: Sequence[FigureSnippet], attached_keys: Collection[str], cited: Cited, numbers: Iterator[int]
) -> list[str]:
    """Return the block of figures, or no block if there are none; attached images are numbered in order."""
    pictures = count(1)
    lines = []
    for figure in figures:
        if _is_shown(figure, attached_keys):
            name = _figure_name(figure, next(pictures) if figure.node_id in attached_keys else None)
            marker = _marker(figure, "document" if cited == "node" else cited, numbers)
            lines.append(f"{marker} ({name}) {_broken_up(figure.text, cited)}".rstrip())
    return ["\n".join(["Referenced media", *lines])] if lines else []


def _figure_name(figure: FigureSnippet, picture: int | None) -> str:
    name = "figure" if picture is None else f"picture {picture}"
    return name if figure.page is None else f"{name}, page {figure.page}"


def neutralised(text: str) -> str:
    """Return `text` with reference markers and control tokens of chat models broken up."""
    unmarked = re.sub(r"\[(?=\s*ref_id)", "(", text, flags=re.IGNORECASE)
    return _CONTROL_TOKEN.sub(r"\1 ", unmarked)
