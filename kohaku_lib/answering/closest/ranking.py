"""The sentences and rows of a context by how likely they answer a question, and how likely their value is right."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kohaku_lib.answering.closest.excerpts import Excerpt, excerpt_of
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.closest.read_lines import ReadLine, read_lines
from kohaku_lib.answering.closest.word_lines import is_unread, lines_by_words
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.embedding import embed_queries
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.equal_signs import with_equal_signs

WEIGHTS = Path(__file__).with_name("weights.json")
FIRST_PASSAGES, MOST_PASSAGES = 8, 24  # that are read; the others only while none of the first likely answers
_MOST_COMPARED = 10  # lines whose meaning is compared with the question
_DECIMALS = (
    4  # of scores and probabilities: the last digits of a model's output change with the threads that compute it
)
_LEAST = 1e-4
_MOST_WEIGHT = 700.0  # whose exponential is a float
_LEAST_MARKED = 0.6  # share of a value among those of its line


@dataclass(frozen=True, slots=True)
class RankedLine:
    """A line with its excerpt, and the probability that it answers; if it has a value, that this is right."""

    line: ReadLine
    excerpt: Excerpt
    answers: float
    value_right: float | None


def ranked_lines(question: Question, snippets: Sequence[Snippet], most: int = MOST_PASSAGES) -> list[RankedLine]:
    """Return the likeliest lines of `snippets`, best first, ten at most.

    The reader's model reads every sentence and row of the first eight passages, and of `most` where none of those likely
    answers; the bundled embedding model compares the likeliest ten with the question. No language model is called. For a
    question in a script that the model does not read, the words that it shares with a line count alone, and no line has a
    value.
    """
    if is_unread(question.text):
        by_words = lines_by_words(question, snippets, most)[:_MOST_COMPARED]
        return [RankedLine(one, excerpt_of(one.passage, one.line, None), answers, None) for one, answers in by_words]
    lines = read_lines(load_model(), question, snippets, 0, min(FIRST_PASSAGES, most))
    ranked = compared_lines(question, lines)
    if ranked and ranked[0].answers >= LIKELY:
        return ranked
    more = read_lines(load_model(), question, snippets, FIRST_PASSAGES, most)
    return compared_lines(question, [*lines, *more]) if more else ranked


def compared_lines(question: Question, lines: Sequence[ReadLine]) -> list[RankedLine]:
    """Return the ten likeliest of `lines`, best first, with their cosine to the question among their features."""
    lines = sorted(lines, key=_rank)[:_MOST_COMPARED]
    if not lines:
        return []
    # a reader that is torn between two values of a line marks neither, but the line
    excerpts = [
        excerpt_of(one.passage, one.line, one.span if one.value_share >= _LEAST_MARKED else None) for one in lines
    ]
    # by the bundled model, whatever the index was built with: its cosines are those that the weights are fitted to
    vectors = embed_queries([question.text, *(with_equal_signs(excerpt.text) for excerpt in excerpts)])
    compared = [
        (replace(line, features={**line.features, "cosine": cosine}), excerpt)
        for line, excerpt, cosine in zip(lines, excerpts, (vectors[1:] @ vectors[0]).tolist(), strict=True)
    ]
    compared.sort(key=lambda pair: _rank(pair[0]))
    return [
        RankedLine(
            line,
            excerpt,
            _probability("answers", line.features),
            None if line.value is None else round(_probability("value", line.features) * line.value_share, _DECIMALS),
        )
        for line, excerpt in compared
    ]


def probability_of_silence(answers: float) -> float:
    """Return the probability that no document answers, of that of the best line to answer."""
    return _probability("silent", {"log_odds": log_odds(answers)})


def log_odds(probability: float) -> float:
    """Return the logarithm of how many times likelier something is than not."""
    return math.log(probability / (1.0 - probability))


def _rank(line: ReadLine) -> float:
    """Return the negative score by which lines are ranked; a cosine that is not known yet does not count."""
    return -round(_weighted("rank", line.features), _DECIMALS)


def _probability(kind: str, features: Mapping[str, float]) -> float:
    odds = math.exp(min(_weighted(kind, features), _MOST_WEIGHT))  # a text without words is infinitely unlikely
    probability = round(odds / (1.0 + odds), _DECIMALS)
    return min(max(probability, _LEAST), 1.0 - _LEAST)  # nothing is certain


def _weighted(kind: str, features: Mapping[str, float]) -> float:
    weights = _weights()[kind]
    return sum(weight * (1.0 if name == "bias" else features.get(name, 0.0)) for name, weight in weights.items())


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weight of each feature, as benchmarks/fit_closest.py writes them."""
    return json.loads(WEIGHTS.read_text("utf-8"))
