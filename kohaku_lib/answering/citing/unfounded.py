"""Whether an answer is from nowhere: neither its value nor its quote stands in what was shown."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.citing.source import shown_text
from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.whole_tables import asks_for_whole
from kohaku_lib.answering.extractive.text import content_stems, statement_spans
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import parse_value

_LEAST_EXPLAINED = 0.5  # of the words of a reason or a summary, which has words of its own


def is_unfounded(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    """Return whether no excerpt states the value of an answer, says its words, or holds a sentence of its quote.

    What is told or calculated from several statements stands in none: yes or no, a choice, a difference, a sum, a count. An
    amount must be stated as one; of all else, such as a list, each word must be said, by the excerpts or the question.

    >>> shown = [Snippet("d:p1", "d", "D", 1, "It weighs 4 kg. It is red.", 1, 1.0)]
    >>> def unfounded(text, value, quote=None):
    ...     return is_unfounded(Question("q", text), StructuredAnswer(value, value, ("d",), "", quote), shown)
    >>> unfounded("How much does it weigh?", "5"), unfounded("How much does it weigh?", "5", "It weighs 4 kg.")
    (True, False)
    >>> unfounded("How much more does it weigh than the other?", "5"), unfounded("What colour is it?", "blue")
    (False, True)
    """
    form = read_question(question)
    if form.kind in {"claim", "choice"} or form.operation or asks_for_whole(question.text):
        return False
    shown = "\n\n".join(map(shown_text, snippets))
    if support_of(question, answer.answer_value, shown).states_value is not False or _is_quoted(answer, snippets):
        return False
    if form.kind == "number" and parse_value(answer.answer_value).low is not None:
        return True
    words, said = set(content_stems(answer.answer_value)), set(content_stems(f"{shown}\n{question.text}"))
    least = _LEAST_EXPLAINED if asks_for_explanation(question.text) else 1.0
    return len(words & said) < least * len(words)


def _is_quoted(answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    quote = answer.quote or ""
    parts = (quote, *(quote[start:end] for start, end in statement_spans(quote)))
    return any(find_quote(part, snippets) is not None for part in parts if part)
