"""Fits the probability that a candidate of the reader is right, on documents that it was not trained on, and judges it.

    python benchmarks/fit_reader.py WEIGHTS [--data FOLDER] [--questions 400]

Half of the questions are fitted on, the others judged: about the part of QAMR that train_reader.py keeps apart, over
the passage that answers among nine that share words with the question and over these nine alone, and about made papers
of firms. Half of TAT-QA and COVID-QA is judged only. Printed
are the weights, which are written beside WEIGHTS, and by set how many answers are right, wrong, blank, and right among
those of each confidence.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from reading_examples import Example, all_examples
from reading_negatives import SharedWords
from reading_templates import Paper, made_paper
from reading_written import spellings, written_documents
from shared_data import data_parser
from squad_metrics import exact_match, f1

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.candidates import Candidate, read_candidates
from kohaku_lib.answering.extractive.reader.confidence import Weights, probability
from kohaku_lib.answering.extractive.reader.model import SpanModel, load_model
from kohaku_lib.answering.extractive.text import carries_content, tokens_of
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import values_equal

BESIDE = 9  # passages that share words with the question
# TAT-QA does not name the firms that it asks about and COVID-QA's answers are long, so that another sentence than theirs
# is often right, too: only the cells of TAT-QA are fitted on. Nor are questions that say little of what they are about.
FITTED_SENTENCES = frozenset({"qamr", "facts", "minutes", "records", "lists", "written"})
FITTED_CELLS = FITTED_SENTENCES | {"tatqa"}
LEAST_WORDS = 3  # with content, of a question
THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Posed:
    """A question over a context; no answer where the context has none."""

    question: str
    answer: str | None
    snippets: Sequence[Snippet]
    source: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its candidates, and which of them are right."""

    posed: Posed
    candidates: Sequence[Candidate]
    right: Sequence[bool]


def main() -> None:
    """Fit and judge."""
    parser = data_parser(__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--questions", type=int, default=400, help="of each set (400)")
    parser.add_argument("--written", type=int, default=2000, help="about written documents (2000)")
    options = parser.parse_args()
    model = load_model(options.weights)
    rows = [judged for posed in _posed(options) for judged in [_judged(model, posed)]]
    chance = random.Random(0)
    chance.shuffle(rows)
    fitted, kept = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    weights = fit(fitted)
    print(json.dumps(weights, indent=2))
    options.weights.with_suffix(".json").write_text(f"{json.dumps(weights, indent=2)}\n", "utf-8")
    by_source: dict[str, list[Judged]] = defaultdict(list)
    for one in kept:
        by_source[one.posed.source].append(one)
    for source, own in by_source.items():
        _report(source, own, weights)
    _report("all", kept, weights)


def fit(rows: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return the weights of a logistic regression over the candidates of each place, by feature, and its "bias".

    Sentences that explain are fitted on those that hold an answer.
    """
    found = {
        place: _fitted(
            [
                pair
                for row in rows
                if row.posed.source in sources
                for pair in zip(row.candidates, row.right, strict=True)
                if pair[0].place == place
            ]
        )
        for place, sources in (("sentence", FITTED_SENTENCES), ("cell", FITTED_CELLS))
    }
    shared = ("has_answer", "words_in_passage", "words_in_line", "names_missing", "names_missing_in_line")
    sentences = [
        (replace(one, features={name: one.features[name] for name in shared}), _holds(one, row.posed.answer))
        for row in rows
        if row.posed.source in FITTED_SENTENCES
        for one in row.candidates
        if one.place == "sentence"
    ]
    return found | {"explanation": _fitted(sentences)}


def _fitted(pairs: Sequence[tuple[Candidate, bool]]) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression

    features = [list(one.features.values()) for one, _ in pairs]
    found = LogisticRegression(C=1.0, max_iter=2000).fit(features, [right for _, right in pairs])
    weights = dict(zip(pairs[0][0].features, (round(float(one), 4) for one in found.coef_[0]), strict=True))
    return weights | {"bias": round(float(found.intercept_[0]), 4)}


def _holds(candidate: Candidate, answer: str | None) -> bool:
    line = candidate.located.line
    return answer is not None and answer.lower() in candidate.located.passage.text[line.start : line.end].lower()


def _judged(model: SpanModel, posed: Posed) -> Judged:
    form = read_question(Question("q", posed.question))
    candidates = read_candidates(model, form, posed.question, posed.snippets)
    return Judged(posed, candidates, [_is_right(one, posed.answer) for one in candidates])


def _is_right(candidate: Candidate, answer: str | None) -> bool:
    text, value = candidate.located.text, candidate.value
    return any(
        exact_match(text, one) == 1 or f1(text, one) >= 0.5 or values_equal(value, one) for one in spellings(answer)
    )


def _report(source: str, rows: Sequence[Judged], weights: Weights) -> None:
    best = []
    for row in rows:
        scores = [probability(one, weights) for one in row.candidates]
        top = int(np.argmax(scores)) if scores else None
        best.append((0.0, False) if top is None else (scores[top], row.right[top]))
    scores, right = np.array([score for score, _ in best]), np.array([is_right for _, is_right in best])
    answerable = np.array([row.posed.answer is not None for row in rows])
    reachable = np.mean([any(row.right) for row in rows if row.posed.answer is not None])
    shown = []
    for least in THRESHOLDS:
        said = scores >= least
        good = np.mean((said & right) | (~said & ~answerable))
        shown.append(f"{least}: {good:.2f}, wrong {np.mean(said & ~right):.2f}")
    bins = [
        f"{low / 5:.1f}: {right[inside].mean():.2f} of {inside.sum()}"
        for low in range(5)
        if (inside := (scores >= low / 5) & (scores < low / 5 + 0.2)).any()
    ]
    print(
        f"{source}: {len(rows)}, reachable {reachable:.2f}; as it should be at {'; '.join(shown)} | {', '.join(bins)}"
    )


def _posed(options: argparse.Namespace) -> Iterator[Posed]:
    chance = random.Random(5)
    held = all_examples(options.data, held_out=True, seed=5)
    for name in ("qamr", "covidqa", "tatqa"):
        some = held[name]
        pool = {str(place): one.passage for place, one in enumerate(some)}
        shared = SharedWords(pool)
        answerable = [one for one in some if one.answer is not None and _words_of(one.question) >= LEAST_WORDS]
        for one in chance.sample(answerable, min(options.questions, len(answerable))):
            yield from _among(one, shared, pool, chance, name)
    for _ in range(options.questions):
        yield from _about_papers(chance)
    written = list(_about_written(chance))
    yield from chance.sample(written, min(options.written, len(written)))


def _about_papers(chance: random.Random) -> Iterator[Posed]:
    """Yield questions over four papers of firms, of which one answers; some name its firm, some another one."""
    papers = [made_paper(chance) for _ in range(4)]
    snippets = [snippet for number, paper in enumerate(papers) for snippet in _pages(number, paper)]
    chance.shuffle(snippets)
    own = papers[0]
    for question, answer in own.asked:
        yield Posed(question, answer, snippets, own.source)
        if answer is not None:
            named = chance.random() < 0.6
            firm = own.firm if named else made_paper(chance).firm
            yield Posed(f"{question[:-1]} at {firm}?", answer if named else None, snippets, own.source)


def _about_written(chance: random.Random) -> Iterator[Posed]:
    """Yield the questions about written documents over the paragraphs of their own among those of others."""
    documents = written_documents(held_out=True)
    pool = [part for one in documents for part in one.snippets(whole=False)]
    shared = SharedWords({part.node_id: f"{part.document_title}. {part.text}" for part in pool})
    by_name = {part.node_id: part for part in pool}
    for one in documents:
        own = one.snippets(whole=False)
        for question, answer in one.asked:
            without = {part.node_id for part in own}
            beside = [by_name[name] for name in shared.nearest(question, answer or "\n", without, BESIDE)]
            context = [*own, *beside]
            chance.shuffle(context)
            yield Posed(question, answer, context, "written")


def _pages(number: int, paper: Paper) -> Iterator[Snippet]:
    for place, text in enumerate((paper.opening, *paper.pages)):
        node = f"d{number}:sec{1 if place == 0 else 2}:p{max(1, place)}"
        yield Snippet(node, f"d{number}", paper.title, None, text, 1, 1.0)


def _among(
    example: Example, shared: SharedWords, pool: dict[str, str], chance: random.Random, source: str
) -> Iterator[Posed]:
    assert example.answer is not None
    beside = [pool[name] for name in shared.nearest(example.question, example.answer, (), BESIDE)]
    texts = [*beside, example.passage]
    chance.shuffle(texts)
    yield Posed(example.question, example.answer, _snippets(texts), source)
    if chance.random() < 0.5:
        yield Posed(example.question, None, _snippets(beside), source)


def _words_of(question: str) -> int:
    return sum(carries_content(token.surface) for token in tokens_of(question))


def _snippets(texts: Sequence[str]) -> list[Snippet]:
    return [Snippet(f"d{place}:1", f"d{place}", "", None, text, place + 1, 1.0) for place, text in enumerate(texts)]


if __name__ == "__main__":
    main()
