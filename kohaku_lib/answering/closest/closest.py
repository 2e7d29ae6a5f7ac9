"""The passages of a context that come closest to answering a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.closest.excerpts import shown_line
from kohaku_lib.answering.closest.passage import Closest, ClosestPassage
from kohaku_lib.answering.closest.ranking import MOST_PASSAGES, compared_lines, probability_of_silence, ranked_lines
from kohaku_lib.answering.closest.read_lines import read_lines
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.whole_tables import asks_for_whole, is_about, lines_alone
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

_MOST = 3
_LEAST_QUOTED = 20  # characters


def find_closest(question: Question, snippets: Sequence[Snippet]) -> Closest:
    """Return at most three passages of `snippets` that share no sentence; none where there is no text."""
    found: list[ClosestPassage] = []
    for ranked in ranked_lines(question, snippets):
        line, excerpt = ranked.line, ranked.excerpt
        if len(found) == _MOST or any(shown_line(line.line) in other.text for other in found):
            continue
        snippet = line.passage.snippet
        # the ranking knows better which is first than their probabilities, which then may not rise
        score = min([ranked.answers, *(other.score for other in found[-1:])])
        page = snippet.page_at(max(0, snippet.text.find(line.line.quote)))
        place = (snippet.document_id, snippet.node_id, snippet.heading, page)
        found.append(ClosestPassage(excerpt.text, excerpt.marked, score, *place))
    silence = probability_of_silence(found[0].score) if found else None
    return Closest(tuple(found), silence, _needs_whole(question, snippets))


def answer_likelihood(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> float | None:
    """Return how likely the line of `snippets` that an answer comes from answers the question, by the same models.

    That is the likeliest of those that state the value or hold the quote. None where no line does, as with a truth value, a
    sum, or what stands beyond the lines that are read.
    """
    quote = _words_of(answer.quote or "")
    lines = [
        one
        for one in read_lines(load_model(), question, snippets, 0, MOST_PASSAGES)
        if support_of(question, answer.answer_value, one.line.quote).states_value or _is_quoted(one.line.quote, quote)
    ]
    return max((one.answers for one in compared_lines(question, lines)), default=None)


def _needs_whole(question: Question, snippets: Sequence[Snippet]) -> bool:
    has_no_value = read_question(question).kind == "claim" or asks_for_explanation(question.text)
    if has_no_value or not asks_for_whole(question.text):
        return False
    passages = (passage for passage in passages_of(snippets)[:MOST_PASSAGES] if is_about(question.text, passage))
    return any(len(lines_alone(question.text, passage)) < len(passage.lines) for passage in passages)


def _is_quoted(line: str, quote: str) -> bool:
    """Return whether a line holds the words of a quote or the quote those of the line; few words vouch for nothing."""
    shorter, longer = sorted((quote, _words_of(line)), key=len)
    return len(shorter) >= _LEAST_QUOTED and f" {shorter} " in f" {longer} "


def _words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("\u00ad", "")))
