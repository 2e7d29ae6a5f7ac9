"""Answers without a language model on material that the reader was not made for, and how far their confidence holds.

Questions over their own paragraphs and tables, best first by BM25 (reading_sets.py): HotpotQA, MuSiQue, and what training
keeps apart of QAMR, COVID-QA and TAT-QA, and questions of WikiTableQuestions that one cell answers; claims of SciFact on
their gold abstract; FinanceBench's questions with numbers over all filings, the gold filing and the gold pages, where a
number is right within 1 %. Exact match and F1 are those of SQuAD, or 1 for an equal number. Of the questions over their own
paragraphs together: what share of the answers is right from each confidence on, and within each tenth of it.

    python benchmarks/reading_elsewhere.py [--data FOLDER] [--work FOLDER] [--only WORDS]

The data folder holds reading, multihop-hotpotqa, multihop-musique-train, scifact and pdfs/financebench (default:
KOHAKU_SHARED_DATA, else ../shared/data). With --work the index of the filings stays there; --only keeps the sets whose
name begins so. Put another checkout first in PYTHONPATH to measure that one.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
from reading import Reading, mean, snapshot_of
from reading_sets import YES_NO, Asked, context_sets, json_lines
from shared_data import data_parser
from squad_metrics import exact_match, f1

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer, least_confidence
from kohaku_lib.index import Snapshot
from kohaku_lib.settings import AnswerSettings
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import is_blank, parse_value, values_equal

WRONG_COST = AnswerSettings().wrong_answer_penalty
NUMERIC = re.compile(r"^(?:what|how much|how many)\b|\bwhat (?:is|was|percent)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Given:
    """An answer judged: its confidence, None if it is blank, and whether the answerer is sure enough to give it."""

    confidence: float | None
    is_given: bool
    exact: float
    overlap: float
    is_answerable: bool

    @property
    def is_right(self) -> bool:
        """Whether it matches exactly or by more than half, or is blank as it should be."""
        return self.overlap > 0.5


def main() -> None:
    """Answer, and print the tables."""
    arguments = _arguments()
    data: Path = arguments.data
    answerer = ReadingAnswerer(0.0)
    print(
        "| questions over their own paragraphs | n | exact | F1 | blank | right of the answered |\n|---|---|---|---|---|---|"
    )
    given: list[Given] = []
    for name, questions in context_sets(data):
        if name.startswith(arguments.only):
            given += _report_set(name, questions)
    _report_confidence(given)
    if arguments.only:
        return
    _report_claims(data / "scifact", answerer)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(arguments.work or temporary)
        _report_filings(snapshot_of(work / "financebench", data / "pdfs" / "financebench" / "pdfs"), data, answerer)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--work")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the sets whose name begins so")
    return parser.parse_args()


def _report_set(name: str, questions: Sequence[Asked]) -> list[Given]:
    """Answer `questions` however unsure, print the figures of the answers that are sure enough, and return all."""
    bold = ReadingAnswerer(0.0)
    given = [_given(one, bold, WRONG_COST) for one in questions]
    kept = [one if one.is_given else _blank(one) for one in given]
    answered = [one for one in kept if one.confidence is not None]
    print(
        f"| {name} | {len(kept)} | {mean(one.exact for one in kept):.3f} | {mean(one.overlap for one in kept):.3f} | "
        f"{len(kept) - len(answered)} | {mean(one.is_right for one in answered):.3f} |",
        flush=True,
    )
    return given


def _given(asked: Asked, answerer: Answerer, wrong_answer_penalty: float) -> Given:
    question = Question(asked.id, asked.text, asked.unit)
    answer = answerer.answer(question, _context(asked))
    value, confidence = answer.answer_value, answer.confidence
    if is_blank(value) or confidence is None:
        return _blank(Given(None, False, 0.0, 0.0, bool(asked.answers)))
    is_given = confidence >= least_confidence(read_question(question), wrong_answer_penalty)
    value = YES_NO.get(value, value) if asked.answers and asked.answers[0] in YES_NO.values() else value
    exact = max((exact_match(value, truth) or values_equal(value, truth) for truth in asked.answers), default=False)
    overlap = max((f1(value, truth) for truth in asked.answers), default=0.0)
    return Given(confidence, is_given, float(exact), max(overlap, float(exact)), bool(asked.answers))


def _blank(given: Given) -> Given:
    right = 0.0 if given.is_answerable else 1.0
    return Given(None, False, right, right, given.is_answerable)


def _report_confidence(given: Sequence[Given]) -> None:
    sure = [(one.confidence, one.is_right) for one in given if one.confidence is not None]
    print("\n| confidence at least | answered | right of them |\n|---|---|---|")
    for tenth in range(10):
        said = [right for confidence, right in sure if confidence >= tenth / 10]
        print(f"| .{tenth} | {len(said) / max(1, len(given)):.3f} | {mean(said):.3f} |")
    print("\n| confidence | answers | right |\n|---|---|---|")
    for tenth in range(10):
        inside = [right for confidence, right in sure if tenth / 10 <= confidence < (tenth + 1) / 10]
        print(f"| .{tenth} | {len(inside)} | {mean(inside):.3f} |")


def _context(asked: Asked) -> tuple[Snippet, ...]:
    index = bm25s.BM25()
    texts = [f"{title} {text}" for title, text in asked.paragraphs]
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    query = bm25s.tokenize([asked.text], show_progress=False)
    places, scores = index.retrieve(query, k=len(texts), show_progress=False)
    return tuple(
        Snippet(
            f"{place}", f"{place}", asked.paragraphs[place][0], None, asked.paragraphs[place][1], rank, float(score)
        )
        for rank, (place, score) in enumerate(zip(map(int, places[0]), scores[0], strict=True), 1)
    )


def _report_claims(scifact: Path, answerer: Answerer) -> None:
    documents = {str(row["_id"]): row for row in json_lines(scifact / "corpus.jsonl.gz")}
    claims = {str(row["_id"]): row["text"] for row in json_lines(scifact / "queries.jsonl")}
    pairs = {(str(row["claim_id"]), str(row["doc_id"])): row["label"] for row in json_lines(scifact / "evidence.jsonl")}
    right: dict[str, list[float]] = defaultdict(list)
    for (claim, document), label in pairs.items():
        text = " ".join(documents[document]["sentences"])
        snippets = [Snippet(document, document, documents[document]["title"], None, text, 1, 1.0)]
        given = answerer.answer(Question(claim, f"True or False: {claims[claim]}"), snippets)
        right[label].append(given.answer_value == ("1" if label == "SUPPORT" else "0"))
    parts = ", ".join(f"{label.lower()} {mean(values):.3f} of {len(values)}" for label, values in sorted(right.items()))
    print(f"\nSciFact claims on their abstract: {parts}; balanced {mean(map(mean, right.values())):.3f}")


def _report_filings(snapshot: Snapshot, data: Path, answerer: Answerer) -> None:
    rows = [row for row in json_lines(data / "pdfs" / "financebench" / "questions.jsonl") if _is_numeric(row)]
    nodes = snapshot.nodes.select(["node_id", "document_id", "page", "text", "kind"]).to_pylist()
    paragraphs = [node for node in nodes if node["kind"] == "paragraph"]
    print(f"\n| FinanceBench, {len(rows)} questions with numbers | within 1 % |\n|---|---|")
    everything = Reading(snapshot, answerer)
    scopes: dict[str, Callable[[dict[str, Any]], list[tuple[Snippet, ...]]]] = {
        "all filings": lambda row: everything.contexts(_asked(row)),
        "its filing": lambda row: Reading(snapshot, answerer, (row["doc_name"],)).contexts(_asked(row)),
        "its pages": lambda row: [_gold_pages(paragraphs, row)],
    }
    for scope, contexts in scopes.items():
        values = [_is_near(row["answer"], everything.answer(_asked(row), contexts(row)).answer_value) for row in rows]
        print(f"| {scope} | {sum(values)} |")


def _asked(row: Mapping[str, Any]) -> Question:
    return Question(row["financebench_id"], row["question"])


def _is_numeric(row: Mapping[str, Any]) -> bool:
    return bool(NUMERIC.search(row["question"])) and bool(_numbers(row["answer"]))


def _numbers(text: str) -> list[float]:
    found = re.findall(r"(?<![\w.])[$]?(-?\d[\d,]*(?:\.\d+)?)", text.partition(". ")[0])
    values = [float(number.replace(",", "")) for number in found]
    return [value for value in values if not 1990 <= value <= 2030]


def _is_near(truth: str, given: str) -> bool:
    """Return whether a given number is one of the truth's within 1 %, in units, thousands, millions or billions."""
    value = parse_value(given)
    if value.kind != "number" or value.low is None:
        return False
    scaled = [value.low / scale for scale in (1.0, 1e3, 1e6, 1e9)]
    return any(abs(number - one) <= 0.01 * abs(number) for number in _numbers(truth) for one in scaled if number)


def _gold_pages(paragraphs: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> tuple[Snippet, ...]:
    pages = {piece["evidence_page_num"] + 1 for piece in row["evidence"]}
    own = [one for one in paragraphs if one["document_id"] == row["doc_name"] and one["page"] in pages]
    return tuple(
        Snippet(one["node_id"], one["document_id"], row["company"], one["page"], one["text"], rank, 1 / rank)
        for rank, one in enumerate(own, 1)
    )


if __name__ == "__main__":
    main()
