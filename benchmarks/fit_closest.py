"""Fits how likely a passage answers a question and its value is right, and judges both on collections not fitted on.

    python benchmarks/fit_closest.py [--questions 80] [--work FOLDER] [--data FOLDER] [--write]

Collections are reading sets in English and German, each indexed and searched by the default settings with a quarter of
its passages left out, whose questions no document answers then; documents of reading_written/ that the reader was not
trained on, six at a time; the seen parts of the trust benchmark; and the folders of everyday_questions/, whose questions
are in a person's words. A passage is right where it holds the answer and is of the document that answers. Lines are
ranked by a conditional logit; the probability that the first one answers, that its value is right and that of silence
are logistic in its features. Reading sets, documents of offices (the written ones and those of trust) and everyday
questions weigh the same, and so do the collections of each. Printed is every collection as judged by what the others were
fitted on; with --write the weights of all are written into the package.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import first_questions
import numpy as np
import trust_truth
from reading_sets import json_lines
from reading_written import spellings, written_documents
from scipy.optimize import minimize
from shared_data import data_parser
from squad_metrics import f1
from trust_documents import make_documents
from trust_truth import is_accepted, is_told, read_asked

import kohaku_lib
from kohaku_lib import open_project
from kohaku_lib.answering.answer import Outcome
from kohaku_lib.answering.closest.ranking import FIRST_PASSAGES, WEIGHTS, RankedLine, compared_lines, log_odds
from kohaku_lib.answering.closest.read_lines import read_lines
from kohaku_lib.answering.extractive.reader.model import load_model
from kohaku_lib.answering.figures import passages_of
from kohaku_lib.tables import Question
from kohaku_lib.values import values_equal

# By collection: the files of reading/open and how many passages of each; of sets that ask what one passage answers by
# itself, not in several steps or turns.
SETS = {
    "squad": {"squad_train_parts": 220, "squad2_unans_matched": 110},
    "nq": {"nq_short": 300, "clapnq_unans": 60},
    "quotesum": {"quotesum_dev": 91},
    "reddit": {"squadshifts_reddit": 300},
    "wiki": {"squadshifts_wiki": 300},
    "timeqa": {"timeqa_human": 250},
    "fairytales": {"fairytaleqa": 250},
    "german": {"mlqa_de_dev": 300},
}
OFFICE = ("written", "trust")
EVERYDAY = Path(__file__).parent / "everyday_questions"
WRITTEN, TOGETHER = 150, 6  # documents of reading_written/, and how many of them are searched at once
QUESTIONS = 2  # of each of them
HELD_OUT = 4  # of so many passages one is not indexed
LEAST_TITLES = 200
LEAST_F1 = 0.6  # of a value that is right, to the answer of a set
BINS = 10
RANK_RIDGE, LOGIT_RIDGE = 0.02, 0.001
Bounds = tuple[float | None, float | None]
FOR, AGAINST = (0.0, None), (None, 0.0)
# What can only speak for an answer, or against one: a collection that has it otherwise is no rule.
SIGNS: dict[str, Bounds] = {
    **dict.fromkeys(("over_none", "share", "span", "words_in_line", "words_in_place", "fits", "cosine"), FOR),
    **dict.fromkeys(("search_rank", "names_missing", "names_missing_in_line", "focus_missing"), AGAINST),
}
LEAST_VALUE = 0.6  # from which probability on a value is given: that of answer.wrong_answer_penalty
Told = Callable[
    [str, str], bool
]  # (text, document id) -> whether it answers; (value, document id) -> whether it is right


@dataclass(frozen=True, slots=True)
class Posed:
    """A question, and what tells whether a passage answers it and a value is right; nothing is where no document answers.

    Only `documents` are searched, all where there are none.
    """

    question: Question
    is_answerable: bool
    is_told: Told
    is_right: Told
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """The lines that were compared with a question: features (lines, names), which answer, have a value, a right one."""

    names: tuple[str, ...]
    features: np.ndarray
    right: np.ndarray
    has_value: np.ndarray
    value_right: np.ndarray
    is_answerable: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """The weights of the ranking (names,), of the first line's two probabilities and of silence, their bias last."""

    rank: np.ndarray
    answers: np.ndarray
    value: np.ndarray
    silent: np.ndarray

    def first(self, one: Compared) -> int:
        """Return the line that is ranked first."""
        return int((one.features @ self.rank).argmax())

    def probability(self, one: Compared) -> float:
        """Return how likely the first line answers."""
        return float(_logistic(_with_bias(one.features[[self.first(one)]]) @ self.answers)[0])

    def value_right(self, one: Compared) -> float | None:
        """Return how likely the value of the first line is right, None where it has none."""
        first = self.first(one)
        if not one.has_value[first]:
            return None
        return float(_logistic(_with_bias(one.features[[first]]) @ self.value)[0])

    def silence(self, one: Compared) -> float:
        """Return how likely no document answers."""
        return float(_logistic(np.array([log_odds(self.probability(one)), 1.0]) @ self.silent))


def main() -> None:
    """Print the table of collections, and write the weights where asked to."""
    parser = data_parser(__doc__)
    parser.add_argument("--questions", type=int, default=80, help="the most of a collection")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-closest")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    found = {name: list(compared(name, options.data, options.work, options.questions)) for name in collections()}
    columns = (
        "collection",
        "questions",
        "answerable",
        "first right",
        "values right",
        "passages right",
        "rightly silent",
        *_ERRORS,
    )
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    judged = []
    for name, own in found.items():
        fitted = fit({one: other for one, other in found.items() if one != name})
        judged += [_judge(fitted, one) for one in own]
        print(_row(name, judged[-len(own) :]), flush=True)
    print(_row("all", judged))
    if options.write:
        names, fitted = next(iter(found.values()))[0].names, fit(found)
        weights = {"rank": dict(zip(names, fitted.rank.tolist(), strict=True))}
        weights["answers"] = dict(zip((*names, "bias"), fitted.answers.tolist(), strict=True))
        weights["value"] = dict(zip((*names, "bias"), fitted.value.tolist(), strict=True))
        weights["silent"] = dict(zip(("log_odds", "bias"), fitted.silent.tolist(), strict=True))
        rounded = {kind: {name: round(weight, 4) for name, weight in own.items()} for kind, own in weights.items()}
        WEIGHTS.write_text(json.dumps(rounded, indent=2) + "\n", "utf-8")


def collections() -> list[str]:
    """Return the names of the collections."""
    return [*SETS, *OFFICE, *sorted(folder.name for folder in EVERYDAY.iterdir() if folder.is_dir())]


def fit(found: Mapping[str, Sequence[Compared]]) -> Fitted:
    """Return the weights fitted on collections by name; each kind of them weighs the same, and each of a kind."""
    of_kind = Counter(map(_kind, found))
    pairs = [(one, 1.0 / len(own) / of_kind[_kind(name)]) for name, own in found.items() for one in own]
    rank = _fit_rank([(one, weight) for one, weight in pairs if one.right.any() and not one.right.all()])
    first = [int((one.features @ rank).argmax()) for one, _ in pairs]
    features = np.array([one.features[place] for (one, _), place in zip(pairs, first, strict=True)])
    right = np.array([one.right[place] for (one, _), place in zip(pairs, first, strict=True)], dtype=float)
    weights = np.array([weight for _, weight in pairs])
    signs = [SIGNS.get(name) for name in pairs[0][0].names]
    answers = _fit_logit(features, right, weights, signs)
    has = np.array([one.has_value[place] for (one, _), place in zip(pairs, first, strict=True)])
    true = np.array([one.value_right[place] for (one, _), place in zip(pairs, first, strict=True)], dtype=float)
    value = _fit_logit(features[has], true[has], weights[has], signs)
    odds = (_with_bias(features) @ answers)[:, None]
    return Fitted(
        rank, answers, value, _fit_logit(odds, np.array([not one.is_answerable for one, _ in pairs], float), weights)
    )


def _kind(name: str) -> str:
    return "reading" if name in SETS else "office" if name in OFFICE else "everyday"


def compared(name: str, data: Path, work: Path, most: int) -> Iterator[Compared]:
    """Yield the compared lines of the questions of a collection, which are kept in `work`."""
    kept = work / f"{name}-{most}.pickle"
    if not kept.exists():
        work.mkdir(parents=True, exist_ok=True)
        own = [one for home, posed in _indexed(name, data, work) for one in _compare(home, _some(posed, most))]
        kept.write_bytes(pickle.dumps(own))
    yield from pickle.loads(kept.read_bytes())


def _some(posed: list[Posed], most: int) -> list[Posed]:
    return random.Random(1).sample(posed, min(most, len(posed)))


def _compare(home: Path, posed: Sequence[Posed]) -> Iterator[Compared]:
    with open_project(home) as project:
        results = [project.retrieve(one.question.text, documents=one.documents)[0] for one in posed]
    for one, result in zip(posed, results, strict=True):
        lines = read_lines(load_model(), one.question, passages_of(result), 0, FIRST_PASSAGES)
        if lines:
            yield _judged_lines(one, compared_lines(one.question, lines))


def _judged_lines(one: Posed, ranked: Sequence[RankedLine]) -> Compared:
    names = tuple(ranked[0].line.features)
    documents = [each.line.passage.snippet.document_id for each in ranked]
    values = [each.line.value for each in ranked]
    return Compared(
        names,
        np.array([[each.line.features[name] for name in names] for each in ranked]),
        np.array([one.is_told(each.excerpt.text, name) for each, name in zip(ranked, documents, strict=True)]),
        np.array([value is not None for value in values]),
        np.array(
            [value is not None and one.is_right(value, name) for value, name in zip(values, documents, strict=True)]
        ),
        one.is_answerable,
    )


def _indexed(name: str, data: Path, work: Path) -> Iterator[tuple[Path, list[Posed]]]:
    """Yield each indexed folder of a collection with the questions about it."""
    if name == "trust":
        for part in ("seen", "second_seen", "third_seen"):
            make_documents(part, work / part / "documents")
            yield _index(work / part), [_of_trust(one) for one in read_asked() if one.part == part]
    elif (EVERYDAY / name).is_dir():
        shutil.copytree(EVERYDAY / name, work / name / "documents", dirs_exist_ok=True)
        asked = [one for one in first_questions.read_asked(EVERYDAY / "questions.csv") if one.folder == name]
        yield _index(work / name), [_of_everyday(one) for one in asked]
    elif name == "written":
        posed = list(_of_written(work / name / "documents"))
        yield _index(work / name), posed
    else:
        posed = list(_of_set(SETS[name], data, work / name / "documents"))
        yield _index(work / name), posed


def _of_trust(asked: trust_truth.Asked) -> Posed:
    question = Question(asked.id, asked.text, asked.unit)
    return Posed(question, asked.is_answerable, partial(is_told, asked), partial(_is_accepted, asked))


def _is_accepted(asked: trust_truth.Asked, value: str, name: str) -> bool:
    return asked.is_answerable and name in asked.documents and is_accepted(asked, value)


def _of_everyday(asked: first_questions.Asked) -> Posed:
    def is_of_document(holds: Callable[[first_questions.Asked, str], bool], text: str, name: str) -> bool:
        return bool(asked.quote) and name == asked.document_id and holds(asked, text)

    told, right = (partial(is_of_document, one) for one in (first_questions.holds_quote, first_questions.is_accepted))
    return Posed(Question(asked.id, asked.text), bool(asked.quote), told, right)


def _of_set(files: dict[str, int], data: Path, documents: Path) -> Iterator[Posed]:
    """Write the passages that are indexed, and yield a question about each; those left out answer nothing."""
    documents.mkdir(parents=True, exist_ok=True)
    for name, most in files.items():
        rows = list(json_lines(data / "reading" / "open" / f"{name}.jsonl.gz"))
        # passages of one page may overlap, so where there are enough pages one of each
        key = "title" if len({row["title"] for row in rows}) >= LEAST_TITLES else "passage"
        own = list({row[key]: row for row in rows}.values())
        for number, row in enumerate(random.Random(1).sample(own, min(most, len(own)))):
            document = f"{name}-{number}"
            is_there = number % HELD_OUT > 0 or not row["answerable"]
            if is_there:
                title = f"# {row['title']}\n\n" if row["title"] else ""
                (documents / f"{document}.md").write_text(f"{title}{row['passage']}", "utf-8")
            answers = [_plain(answer)[:100] for answer in row["answers"]] if is_there else []
            if row["question"].strip():
                is_right = partial(_is_answer, document, tuple(row["answers"]) if is_there else ())
                question = Question(document, row["question"])
                yield Posed(question, bool(answers), partial(_holds, document, answers), is_right)


def _of_written(documents: Path) -> Iterator[Posed]:
    """Write some documents that the reader was not trained on, and yield questions about each among five others."""
    documents.mkdir(parents=True, exist_ok=True)
    chance = random.Random(3)
    some = chance.sample(written_documents(held_out=True), WRITTEN)
    for start in range(0, WRITTEN, TOGETHER):
        together = some[start : start + TOGETHER]
        names = tuple(one.id for one in together)
        for one in together:
            (documents / f"{one.id}.md").write_text(f"# {one.title}\n\n{one.text}", "utf-8")
            for question, answer in chance.sample(one.asked, min(QUESTIONS, len(one.asked))):
                answers = spellings(answer)
                told = partial(_holds, one.id, [_plain(each)[:100] for each in answers])
                is_right = partial(_is_answer, one.id, tuple(answers))
                yield Posed(Question(one.id, question), bool(answers), told, is_right, names)


def _holds(document: str, answers: Sequence[str], text: str, name: str) -> bool:
    return name == document and any(f" {answer} " in f" {_plain(text)} " for answer in answers)


def _is_answer(document: str, answers: Sequence[str], value: str, name: str) -> bool:
    return name == document and any(f1(value, one) >= LEAST_F1 or values_equal(value, one) for one in answers)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _index(home: Path) -> Path:
    (home / "kohaku.toml").write_text("store = 'store'\n[corpus]\ndocuments = 'documents'\n", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "--config", str(home / "kohaku.toml")]
    environment = os.environ | {
        "PYTHONPATH": str(Path(kohaku_lib.__file__).parents[1]),
        "DAGSTER_HOME": str(home / "dh"),
    }
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return home


def _fit_rank(pairs: Sequence[tuple[Compared, float]]) -> np.ndarray:
    """Return the weights of a conditional logit: that the line drawn by them answers, with a ridge."""
    total = sum(weight for _, weight in pairs)

    def loss(rank: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = RANK_RIDGE * float(rank @ rank) / 2, RANK_RIDGE * rank
        for one, weight in pairs:
            scores = one.features @ rank
            chosen = np.exp(scores - scores.max())
            chosen /= chosen.sum()
            right = chosen * one.right
            value -= weight / total * float(np.log(right.sum()))
            slope -= weight / total * (one.features.T @ (right / right.sum() - chosen))
        return value, slope

    return minimize(loss, np.zeros(pairs[0][0].features.shape[1]), jac=True, method="L-BFGS-B").x


def _fit_logit(
    features: np.ndarray, right: np.ndarray, weights: np.ndarray, bounds: Sequence[Bounds | None] = ()
) -> np.ndarray:
    """Return the weights of a logistic regression within `bounds`, the bias last, with a ridge on the others."""
    features, weights = _with_bias(features), weights / weights.sum()
    ridge = LOGIT_RIDGE * np.append(np.ones(features.shape[1] - 1), 0.0)

    def loss(fitted: np.ndarray) -> tuple[float, np.ndarray]:
        odds = features @ fitted
        value = weights @ (np.logaddexp(0.0, odds) - right * odds) + ridge @ fitted**2 / 2
        return value, features.T @ (weights * (_logistic(odds) - right)) + ridge * fitted

    free = [*bounds, *[None] * (features.shape[1] - len(bounds))]
    limits = [bound or (None, None) for bound in free]
    return minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", bounds=limits).x


def _with_bias(features: np.ndarray) -> np.ndarray:
    return np.column_stack([features, np.ones(len(features))])


def _logistic(odds: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-odds))


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome of a question, its probability, and whether it is right; whether the first line is right at all."""

    outcome: Outcome
    probability: float
    is_right: bool
    is_first_right: bool
    is_answerable: bool


def _judge(fitted: Fitted, one: Compared) -> Judged:
    first, answers, silence = fitted.first(one), fitted.probability(one), fitted.silence(one)
    is_first_right, value = bool(one.right[first]), fitted.value_right(one)
    if value is not None and value >= LEAST_VALUE:
        return Judged("value", value, bool(one.value_right[first]), is_first_right, one.is_answerable)
    if answers >= silence:
        return Judged("passage", answers, is_first_right, is_first_right, one.is_answerable)
    return Judged("silent", silence, not one.is_answerable, is_first_right, one.is_answerable)


def _row(name: str, judged: Sequence[Judged]) -> str:
    answerable = [one for one in judged if one.is_answerable]
    unanswerable = [one for one in judged if not one.is_answerable]
    by_outcome = [[one for one in judged if one.outcome == outcome] for outcome in get_args(Outcome)]
    shares = [
        _share(sum(one.is_first_right for one in answerable), len(answerable)),
        *(_share(sum(one.is_right for one in own), len(own)) for own in by_outcome[:2]),
        _share(sum(one.outcome == "silent" for one in unanswerable), len(unanswerable)),
    ]
    errors = [f"{_calibration_error(own):.3f}" for own in (*by_outcome, judged)]
    return f"| {' | '.join([name, str(len(judged)), str(len(answerable)), *shares, *errors])} |"


_ERRORS = ("error of values", "of passages", "of silence", "of all")


def _share(count: int, n: int) -> str:
    return f"{count}/{n}" if n else "-"


def _calibration_error(judged: Sequence[Judged]) -> float:
    """Return the expected calibration error in ten bins of the same width."""
    stated = np.array([one.probability for one in judged])
    right = np.array([one.is_right for one in judged], dtype=float)
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    gaps = [abs(stated[bins == number].sum() - right[bins == number].sum()) for number in range(BINS)]
    return float(sum(gaps)) / len(judged) if judged else 0.0


if __name__ == "__main__":
    main()
