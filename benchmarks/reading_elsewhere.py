"""Answers without a language model on material that the reader was not made for.

Questions of HotpotQA and MuSiQue over their own paragraphs (best first by BM25) ask for names, years and yes or no; claims
of SciFact are judged on their gold abstract; FinanceBench's questions with numbers are read over all filings, the gold
filing and the gold pages, and a number is right within 1 %. Exact match and F1 are those of SQuAD.

    python benchmarks/reading_elsewhere.py [--data FOLDER] [--work FOLDER]

The data folder holds multihop-hotpotqa, multihop-musique-train, scifact and pdfs/financebench (default: KOHAKU_SHARED_DATA, else
../shared/data). With --work the index of the filings stays there. Put another checkout first in PYTHONPATH to measure
that one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
from reading import ANSWERER, Reading, answer, mean, snapshot_of
from shared_data import data_parser
from squad_metrics import exact_match, f1

from kohaku_lib.index import Snapshot
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.values import is_blank, parse_value

NUMERIC = re.compile(r"^(?:what|how much|how many)\b|\bwhat (?:is|was|percent)\b", re.IGNORECASE)
YES_NO = {"1": "yes", "0": "no"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over its own paragraphs, (title, text) each, with every answer that counts as right."""

    id: str
    text: str
    answers: tuple[str, ...]
    paragraphs: tuple[tuple[str, str], ...]


def main() -> None:
    """Answer, and print the tables."""
    arguments = _arguments()
    data: Path = arguments.data
    print("| questions over their own paragraphs | n | exact | F1 | blank |\n|---|---|---|---|---|")
    report_spans("HotpotQA, names and spans", hotpot_names(data))
    report_spans("HotpotQA, yes or no", [one for one in _hotpot(data) if one.answers[0] in YES_NO.values()])
    report_spans("MuSiQue, several steps", list(_musique(data)))
    report_spans("MuSiQue, its single steps", list(musique_steps(data)))
    _report_claims(data / "scifact")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(arguments.work or temporary)
        _report_filings(snapshot_of(work / "financebench", data / "pdfs" / "financebench" / "pdfs"), data)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--work")
    return parser.parse_args()


def hotpot_names(data: Path) -> list[Asked]:
    """Return the questions of HotpotQA that are not answered by yes or no."""
    return [one for one in _hotpot(data) if one.answers[0] not in YES_NO.values()]


def _hotpot(data: Path) -> Iterator[Asked]:
    for row in _json_lines(data / "multihop-hotpotqa" / "hotpotqa_dev_200.jsonl"):
        paragraphs = tuple((title, " ".join(one.strip() for one in sentences)) for title, sentences in row["context"])
        yield Asked(row["_id"], row["question"], (row["answer"],), paragraphs)


def _musique_rows(data: Path) -> list[dict[str, Any]]:
    return json.loads((data / "multihop-musique-train" / "musique_train.json").read_text("utf-8"))


def _paragraphs(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((one["title"], one["paragraph_text"]) for one in row["paragraphs"])


def _musique(data: Path) -> Iterator[Asked]:
    for row in _musique_rows(data):
        yield Asked(row["id"], row["question"], (row["answer"], *row["answer_aliases"]), _paragraphs(row))


def musique_steps(data: Path) -> Iterator[Asked]:
    """Yield the single steps that are written as questions, with the answers of earlier steps put in."""
    for row in _musique_rows(data):
        known: list[str] = []
        for step in row["question_decomposition"]:
            text = step["question"]
            for place, one in enumerate(known, 1):
                text = text.replace(f"#{place}", one)
            known.append(step["answer"])
            if ">>" not in text and text.strip().endswith("?"):
                yield Asked(f"{row['id']}.{len(known)}", text, (step["answer"],), _paragraphs(row))


def report_spans(name: str, questions: Sequence[Asked]) -> None:
    """Answer `questions` and print their exact match and F1."""
    exact, overlap, blank = [], [], 0
    for one in questions:
        given = answer(Question(one.id, one.text), [_context(one)]).answer_value
        blank += is_blank(given)
        given = YES_NO.get(given, given) if one.answers[0] in YES_NO.values() else given
        exact.append(max(exact_match(given, truth) for truth in one.answers))
        overlap.append(max(f1(given, truth) for truth in one.answers))
    print(f"| {name} | {len(questions)} | {mean(exact):.3f} | {mean(overlap):.3f} | {blank} |")


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


def _report_claims(scifact: Path) -> None:
    with gzip.open(scifact / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        documents = {str(row["_id"]): row for row in map(json.loads, stream)}
    claims = {str(row["_id"]): row["text"] for row in _json_lines(scifact / "queries.jsonl")}
    pairs = {
        (str(row["claim_id"]), str(row["doc_id"])): row["label"] for row in _json_lines(scifact / "evidence.jsonl")
    }
    right: dict[str, list[float]] = defaultdict(list)
    for (claim, document), label in pairs.items():
        text = " ".join(documents[document]["sentences"])
        snippets = [Snippet(document, document, documents[document]["title"], None, text, 1, 1.0)]
        given = ANSWERER.answer(Question(claim, f"True or False: {claims[claim]}"), snippets)
        right[label].append(given.answer_value == ("1" if label == "SUPPORT" else "0"))
    parts = ", ".join(f"{label.lower()} {mean(values):.3f} of {len(values)}" for label, values in sorted(right.items()))
    print(f"\nSciFact claims on their abstract: {parts}; balanced {mean(map(mean, right.values())):.3f}")


def _report_filings(snapshot: Snapshot, data: Path) -> None:
    rows = [row for row in _json_lines(data / "pdfs" / "financebench" / "questions.jsonl") if _is_numeric(row)]
    nodes = snapshot.nodes.select(["node_id", "document_id", "page", "text", "kind"]).to_pylist()
    paragraphs = [node for node in nodes if node["kind"] == "paragraph"]
    print(f"\n| FinanceBench, {len(rows)} questions with numbers | within 1 % |\n|---|---|")
    everything = Reading(snapshot)
    scopes: dict[str, Callable[[dict[str, Any]], list[tuple[Snippet, ...]]]] = {
        "all filings": lambda row: everything.contexts(_asked(row)),
        "its filing": lambda row: Reading(snapshot, (row["doc_name"],)).contexts(_asked(row)),
        "its pages": lambda row: [_gold_pages(paragraphs, row)],
    }
    for scope, contexts in scopes.items():
        values = [_is_near(row["answer"], answer(_asked(row), contexts(row)).answer_value) for row in rows]
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


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
