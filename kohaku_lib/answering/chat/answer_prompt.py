"""The prompt for structured answers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

from kohaku_lib.answering.citing.references import marker_id
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.prompts import node_citation
from kohaku_lib.prompts import structured_answer as wording
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import BLANK

# turn delimiters of chat templates; broken up, they are ordinary text
_CONTROL_TOKEN = re.compile(
    r"([<\[])(?=\|[^|<>\s]{1,40}\|>|/?(?:start|end)_of_turn>|/?s>|</?SYS>>|/?INST\])", re.IGNORECASE
)


Cited = Literal["document", "node"]
_HEAD = "The excerpts, quoted material, each marked with the id of its document:"
_TEXT = {"type": "string"}
_PROPERTIES: dict[str, Any] = {
    "explanation": _TEXT,
    "answer": _TEXT,
    "answer_value": _TEXT,
    "ref_id": {"type": "array", "items": _TEXT},
    "supporting_materials": _TEXT,
}


def answer_schema(*, best_guess: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a reply, for servers with structured output.

    >>> list(answer_schema(best_guess=True)["properties"])[-1]
    'confidence'
    """
    properties = _PROPERTIES | ({"confidence": {"type": "string", "enum": ["high", "low"]}} if best_guess else {})
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
    cited: Cited = "document",
) -> Prompt:
    """Return the prompt that requests a structured answer to `question` from `snippets`, best first.

    The texts cannot close the fence around them or imitate a reference marker.

    Args:
        question: The question.
        snippets: The text snippets of the context.
        figures: Figures, whose captions have a separate heading.
        attached_keys: Keys of the figures attached as images, in the order of `figures`.
        context_first: Put the context before the question, otherwise after it.
        best_guess: Instruct the model to answer, with low confidence, even if the excerpts only suggest an answer.
        cited: What the markers name and an answer refers to: documents, or the nodes of the snippets.

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
    if cited == "node":
        rules, shape = rules.replace(*node_citation.IN_RULES), shape.replace(*node_citation.IN_SHAPE)
    parts = (
        [context, "=" * 20, question_part, rules, shape] if context_first else [rules, question_part, context, shape]
    )
    return Prompt(
        wording.SYSTEM.replace("@ABSTENTION@", wording.GUESS if best_guess else wording.ABSTAIN), "\n\n".join(parts)
    )


def fence_snippets(
    snippets: Sequence[Snippet],
    figures: Sequence[FigureSnippet] = (),
    attached_keys: Collection[str] = (),
    cited: Cited = "document",
) -> str:
    """Return the texts of `snippets` and the captions of `figures` between two fence lines.

    Each is preceded by the marker `[ref_id=<document id>]`, by one per document if several documents contain the text;
    with `cited` "node" by that of its node instead, and of the other documents, then by the title and the headings above
    it, if it has them (see `without_place`). Background is marked as such. Tags of the fence in a text, and control tokens of
    chat models, are broken up.
    """
    blocks = [
        f"{_reference_markers(snippet, cited)} {neutralised(f'({snippet.place}) ' if snippet.place else '')}"
        f"{neutralised(snippet.text)}"
        for snippet in snippets
    ]
    head = node_citation.HEAD if cited == "node" else _HEAD
    return fenced(head, "excerpts", blocks + _caption_blocks(figures, attached_keys))


def without_place(snippet: Snippet) -> Snippet:
    """Return `snippet` without its title and headings, as a prompt under answer.headings = false shows it."""
    return replace(snippet, document_title="", heading="")


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


def _reference_markers(snippet: Snippet, cited: Cited = "document") -> str:
    own = snippet.node_id if cited == "node" else snippet.document_id
    markers = [f"[ref_id={marker_id(name)}]" for name in (own, *snippet.also_in)]
    return " ".join([*markers, "(background)"] if snippet.background else markers)


def _caption_blocks(figures: Sequence[FigureSnippet], attached_keys: Collection[str]) -> list[str]:
    """Return the block of figures, or no block if there are none; attached images are numbered in order."""
    numbers = count(1)
    lines = [
        f"{_reference_markers(figure)} ({_figure_name(figure, next(numbers) if figure.node_id in attached_keys else None)}) "
        f"{neutralised(figure.text)}".rstrip()
        for figure in figures
        if figure.text.strip() or figure.node_id in attached_keys
    ]
    return ["\n".join(["Referenced media", *lines])] if lines else []


def _figure_name(figure: FigureSnippet, picture: int | None) -> str:
    name = "figure" if picture is None else f"picture {picture}"
    return name if figure.page is None else f"{name}, page {figure.page}"


def neutralised(text: str) -> str:
    """Return `text` with reference markers and control tokens of chat models broken up."""
    unmarked = re.sub(r"\[(?=\s*ref_id)", "(", text, flags=re.IGNORECASE)
    return _CONTROL_TOKEN.sub(r"\1 ", unmarked)
