"""The short prompt for structured answers, for small models: few rules and an example, before the excerpts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kohaku_lib.answering.chat.answer_prompt import WORDINGS, Cited, Prompt, fence_snippets
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.prompts import short_answer as wording
from kohaku_lib.prompts.structured_answer import PICTURES
from kohaku_lib.tables import Question, Snippet


def short_prompt(
    question: Question,
    snippets: Sequence[Snippet],
    figures: Sequence[FigureSnippet] = (),
    attached_keys: Collection[str] = (),
    *,
    context_first: bool = True,
    best_guess: bool = False,
    cited: Cited = "number",
) -> Prompt:
    """Return the prompt that requests an answer in three keys; the arguments are those of `structured_prompt`.

    >>> print(short_prompt(Question("q1", "How heavy?", "kg"), []).user.splitlines()[-1])
    Question: How heavy? (in the unit kg)
    """
    context = fence_snippets(snippets, figures, attached_keys, cited)
    asked = f"Question: {question.text}" + (f" (in the unit {question.unit})" if question.unit else "")
    pictures = [PICTURES] if attached_keys else []
    parts = [context, *pictures, asked] if context_first else [asked, context, *pictures]
    return Prompt(_system(cited, best_guess=best_guess), "\n\n".join(parts))


def _system(cited: Cited, *, best_guess: bool) -> str:
    mark, ref = wording.EXAMPLES[cited]
    text = wording.SYSTEM
    for name, value in {
        "@MARK@": mark,
        "@REF@": ref,
        "@CITED@": wording.CITED.replace(*WORDINGS[cited].IN_RULES) if cited in WORDINGS else wording.CITED,
        "@ABSTENTION@": wording.GUESS if best_guess else wording.ABSTAIN,
        "@CONFIDENCE@": wording.CONFIDENCE if best_guess else "",
    }.items():
        text = text.replace(name, value)
    return text
