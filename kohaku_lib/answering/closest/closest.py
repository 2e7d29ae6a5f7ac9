"""The passages of a context that come closest to answering a question."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.closest.excerpts import Excerpt, excerpt_of, shown_line
from kohaku_lib.answering.closest.passage import Closest, ClosestPassage
from kohaku_lib.answering.closest.read_lines import ReadLine, read_lines
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.candidates import MOST_PASSAGES
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.whole_tables import asks_for_whole, is_about, lines_alone
from kohaku_lib.embedding import embed_queries
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

WEIGHTS = Path(__file__).with_name("weights.json")
_MOST = 3
_LEAST_QUOTED = 20  # characters
_MOST_COMPARED = 10  # lines whose meaning is compared with the question
_DECIMALS = (
    4  # of scores and probabilities: the last digits of a model's output change with the threads that compute it
)
_LEAST = 1e-4


def find_closest(question: Question, snippets: Sequence[Snippet]) -> Closest:
    """Return at most three passages of `snippets` that share no sentence; none where there is no text.

    The reader's model reads every sentence and row, and the bundled embedding model compares the likeliest ten with the
    question; no language model is called.
    """
    found: list[ClosestPassage] = []
    for line, excerpt in sorted(compared_lines(question, snippets), key=lambda pair: _rank(pair[0])):
        if len(found) == _MOST or any(shown_line(line.line) in other.text for other in found):
            continue
        snippet = line.passage.snippet
        # the ranking knows better which is first than their probabilities, which then may not rise
        score = min([_probability("answers", line.features), *(other.score for other in found[-1:])])
        page = snippet.page_at(max(0, snippet.text.find(line.line.quote)))
        place = (snippet.document_id, snippet.node_id, snippet.heading, page)
        found.append(ClosestPassage(excerpt.text, excerpt.marked, score, *place))
    silence = _probability("silent", {"log_odds": log_odds(found[0].score)}) if found else None
    return Closest(tuple(found), silence, _needs_whole(question, snippets))


def compared_lines(question: Question, snippets: Sequence[Snippet]) -> list[tuple[ReadLine, Excerpt]]:
    """Return the ten likeliest lines, their cosine to the question among their features, each with its excerpt."""
    return _compared(question, read_lines(load_model(), question, snippets))


def answer_likelihood(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> float | None:
    """Return how likely the line of `snippets` that an answer comes from answers the question, by the same models.

    That is the likeliest of those that state the value or hold the quote. None where no line does, as with a truth value, a
    sum, or what stands beyond the lines that are read.
    """
    quote = _words_of(answer.quote or "")
    lines = [
        one
        for one in read_lines(load_model(), question, snippets)
        if support_of(question, answer.answer_value, one.line.quote).states_value or _is_quoted(one.line.quote, quote)
    ]
    compared = _compared(question, lines)
    return max((_probability("answers", line.features) for line, _ in compared), default=None)


def log_odds(probability: float) -> float:
    """Return the logarithm of how many times likelier something is than not."""
    return math.log(probability / (1.0 - probability))


def _needs_whole(question: Question, snippets: Sequence[Snippet]) -> bool:
    has_no_value = read_question(question).kind in {"claim", "choice"} or asks_for_explanation(question.text)
    if has_no_value or not asks_for_whole(question.text):
        return False
    passages = (passage for passage in passages_of(snippets)[:MOST_PASSAGES] if is_about(question.text, passage))
    return any(len(lines_alone(question.text, passage)) < len(passage.lines) for passage in passages)


def _compared(question: Question, lines: Sequence[ReadLine]) -> list[tuple[ReadLine, Excerpt]]:
    lines = sorted(lines, key=_rank)[:_MOST_COMPARED]
    if not lines:
        return []
    excerpts = [excerpt_of(one.passage, one.line, one.span) for one in lines]
    # by the bundled model, whatever the index was built with: its cosines are those that the weights are fitted to
    vectors = embed_queries([question.text, *(excerpt.text for excerpt in excerpts)])
    return [
        (replace(line, features={**line.features, "cosine": cosine}), excerpt)
        for line, excerpt, cosine in zip(lines, excerpts, (vectors[1:] @ vectors[0]).tolist(), strict=True)
    ]


def _is_quoted(line: str, quote: str) -> bool:
    """Return whether a line holds the words of a quote or the quote those of the line; few words vouch for nothing."""
    shorter, longer = sorted((quote, _words_of(line)), key=len)
    return len(shorter) >= _LEAST_QUOTED and f" {shorter} " in f" {longer} "


def _words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("\u00ad", "")))


def _rank(line: ReadLine) -> float:
    """Return the negative score by which lines are ranked; a cosine that is not known yet does not count."""
    return -round(_weighted("rank", line.features), _DECIMALS)


def _probability(kind: str, features: Mapping[str, float]) -> float:
    probability = round(1.0 / (1.0 + math.exp(-_weighted(kind, features))), _DECIMALS)
    return min(max(probability, _LEAST), 1.0 - _LEAST)  # nothing is certain


def _weighted(kind: str, features: Mapping[str, float]) -> float:
    weights = _weights()[kind]
    return sum(weight * (1.0 if name == "bias" else features.get(name, 0.0)) for name, weight in weights.items())


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weight of each feature, as benchmarks/fit_closest.py writes them."""
    return json.loads(WEIGHTS.read_text("utf-8"))
