"""Answers without a language model: how many are right, of which kind, and how far a rewording moves them.

WattBot's training questions are indexed, searched and answered with the embedded defaults. Printed are the three
metrics, the share right by kind of evidence and of answer, the calibration of the confidences, and what becomes of the
answers when questions are reworded or contexts disturbed. reading_elsewhere.py reads what no rule was made on.

    python benchmarks/reading.py [--penalty 0] [--data FOLDER] [--work FOLDER] [--wrong]

The data folder holds wattbot (default: KOHAKU_SHARED_DATA, else ../shared/data). With --work the index stays there;
--wrong prints every answer that is wrong. Put another checkout first in PYTHONPATH to measure that one.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from shared_data import data_parser

import kohaku_lib
from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.deepening import CheckedAnswer, answer_with_retries
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import RowScore, score_rows
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.index import SearchFilter, Snapshot, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import is_blank, parse_value

Row = Mapping[str, str]
SETTINGS = Settings()
DEPTHS = range(1, SETTINGS.answer.max_retries + 2)


def main() -> None:
    """Index what is not indexed, answer, print the tables."""
    arguments = _arguments()
    data: Path = arguments.data
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(arguments.work or temporary)
        snapshot = snapshot_of(work / "wattbot", data / "wattbot" / "corpus", data / "wattbot" / "metadata.csv")
        reading = Reading(snapshot, ReadingAnswerer(arguments.penalty))
        with (data / "wattbot" / "train_QA.csv").open(encoding="utf-8-sig", newline="") as stream:
            truth = list(csv.DictReader(stream))
        _report_wattbot(reading, truth, show_wrong=arguments.wrong)
        _report_disturbed(reading, truth)


class Reading:
    """An index with its retriever; answers a question as the pipeline does, deeper after a blank."""

    def __init__(self, snapshot: Snapshot, answerer: Answerer, documents: tuple[str, ...] = ()) -> None:
        embed = partial(embed_queries, settings=SETTINGS.embedding)
        where = SearchFilter(documents=documents) if documents else None
        self._retriever = Retriever(snapshot, SETTINGS.retrieval, embed, where=where)
        self._answerer = answerer

    def contexts(self, question: Question) -> list[tuple[Snippet, ...]]:
        """Return the snippets at each depth."""
        plan = (question.id, [question.text])
        return [self._retriever.retrieve([plan], depth=depth)[0].snippets for depth in DEPTHS]

    def answer(self, question: Question, contexts: Sequence[Sequence[Snippet]] | None = None) -> StructuredAnswer:
        """Return the answer over the first of the contexts that gives one, by default those of the question."""
        return answer_over(self._answerer, question, contexts or self.contexts(question))


def answer_over(answerer: Answerer, question: Question, contexts: Sequence[Sequence[Snippet]]) -> StructuredAnswer:
    """Return the answer over the first context that gives one."""
    outcome = answer_with_retries(
        lambda snippets: CheckedAnswer(answerer.answer(question, snippets)),
        contexts[0],
        lambda depth: contexts[min(depth, len(contexts)) - 1],
        len(contexts) - 1,
        SETTINGS.answer.deepening,
    )
    return outcome.answer


def reworded(text: str) -> Iterator[str]:
    """Yield mechanical paraphrases of a question: other openings that ask for the same.

    >>> list(reworded("What was the cost?"))[:2]
    ['According to the documents, what was the cost?', 'State the cost.']
    """
    if text.lower().startswith("true or false"):
        claim = text.partition(":")[2].strip()
        yield f"True/False: {claim}"
        yield f"True or false? {claim} Please answer with true or false."
        return
    yield f"According to the documents, {text[0].lower()}{text[1:]}"
    for pattern, new in _REWORDINGS:
        changed = pattern.sub(new, text, count=1)
        if changed != text:
            yield re.sub(r"\?$", ".", changed) if new.startswith(("State", "Name")) else changed


_REWORDINGS = (
    (re.compile(r"^What (?:is|was|were|are) (?=the\b)"), "State "),
    (re.compile(r"^What is the name of "), "Name "),
    (
        re.compile(r"\b([Hh])ow many (?=\w+ (?:of|in|did|do|were|are|from|used|widely)\b)"),
        r"\g<1>ow large a number of ",
    ),
    (re.compile(r"\bwhat percentage of\b", re.IGNORECASE), "what share of"),
    (re.compile(r"\bestimated\b"), "approximate"),
    (re.compile(r"\btrain(?:ing)? (?=the|a|GPT)"), "the training of "),
)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--penalty", type=float, default=0.0, help="answer.wrong_answer_penalty (0: as WattBot scores)")
    parser.add_argument("--work")
    parser.add_argument("--wrong", action="store_true")
    return parser.parse_args()


def snapshot_of(work: Path, documents: Path, metadata: Path | None = None) -> Snapshot:
    """Bring the index of `documents` up to date in `work` and open it."""
    home = work / "dagster_home"
    home.mkdir(parents=True, exist_ok=True)
    root = Path(kohaku_lib.__file__).parents[1]
    shutil.copy(root / "dagster_home" / "dagster.yaml", home)
    named = f"metadata = '{metadata.resolve()}'\n" if metadata else ""
    config = work / "kohaku.toml"
    config.write_text(f"store = 'store'\n[corpus]\ndocuments = '{documents.resolve()}'\n{named}", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "vector_tables", "--config", str(config)]
    environment = os.environ | {"DAGSTER_HOME": str(home.resolve()), "PYTHONPATH": str(root)}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    snapshots = work / "store" / "snapshots"
    newest = max(snapshots.glob("*/meta.json"), key=lambda path: path.stat().st_mtime)
    return open_snapshot(snapshots, newest.parent.name)


def _question(row: Row, text: str | None = None) -> Question:
    unit = row["answer_unit"].strip()
    return Question(row["id"], text or row["question"].strip(), None if is_blank(unit) else unit)


def _predicted(row: Row, given: StructuredAnswer) -> dict[str, str]:
    refs = json.dumps(list(given.ref_id)) if given.ref_id else "is_blank"
    return {"id": row["id"], "answer_value": given.answer_value, "ref_id": refs}


def _report_wattbot(reading: Reading, truth: Sequence[Row], *, show_wrong: bool) -> None:
    started = time.monotonic()
    contexts = [reading.contexts(_question(row)) for row in truth]
    searched, began = time.monotonic(), time.process_time()
    given = [reading.answer(_question(row), context) for row, context in zip(truth, contexts, strict=True)]
    wall, busy = time.monotonic() - searched, time.process_time() - began
    predictions = [_predicted(row, one) for row, one in zip(truth, given, strict=True)]
    print(
        f"\n| WattBot, {len(truth)} questions | score | 95 % interval | value | ref | NA |\n|---|---|---|---|---|---|"
    )
    for metric in ANSWER_METRICS.names():
        report = score_rows(truth, predictions, metric)
        bounds = report.interval.text()
        print(f"| {metric} | {report.score:.4f} | {bounds} | {report.value:.4f} | {report.ref:.4f} | {report.na:.4f} |")
    print(f"\nsearched at {len(DEPTHS)} depths in {searched - started:.1f} s, read in {wall:.1f} s; CPU {busy:.2f} s")
    rows = score_rows(truth, predictions, "wattbot").rows
    _print_kinds("evidence", [_evidence_kind(row) for row in truth], rows)
    _print_kinds("answer", [_answer_kind(row) for row in truth], rows)
    _print_calibration(given, rows)
    if show_wrong:
        for row, one, score in zip(truth, given, rows, strict=True):
            if score.value < 1:
                print(f"\n{row['question']}\n  {one.answer_value} for {row['answer_value']}: {one.quote}")


def _print_kinds(title: str, kinds: Sequence[str], rows: Sequence[RowScore]) -> None:
    print(f"\n| {title} | questions | value right | ref |\n|---|---|---|---|")
    by_kind: dict[str, list[RowScore]] = defaultdict(list)
    for kind, row in zip(kinds, rows, strict=True):
        by_kind[kind].append(row)
    for kind, own in sorted(by_kind.items()):
        print(f"| {kind} | {len(own)} | {sum(row.value for row in own):.0f} | {mean(row.ref for row in own):.2f} |")


def _evidence_kind(row: Row) -> str:
    told = row["explanation"].lower()
    if is_blank(row["answer_value"]):
        return "none"
    return next((kind for kind in ("figure", "table", "quote") if kind in told), "worked out")


def _answer_kind(row: Row) -> str:
    if row["question"].lower().startswith("true or false"):
        return "true/false"
    return "unanswerable" if is_blank(row["answer_value"]) else parse_value(row["answer_value"]).kind


def _print_calibration(given: Sequence[StructuredAnswer], rows: Sequence[RowScore]) -> None:
    right: dict[float, list[float]] = defaultdict(list)
    for one, row in zip(given, rows, strict=True):
        right[one.confidence or 0.0].append(row.value)
    print("\n| confidence | answers | right |\n|---|---|---|")
    for confidence, values in sorted(right.items()):
        print(f"| {confidence:.2f} | {len(values)} | {mean(values):.2f} |")


def _report_disturbed(reading: Reading, truth: Sequence[Row]) -> None:
    """Print how many of the same answers stay right under each disturbance."""
    contexts = {row["id"]: reading.contexts(_question(row)) for row in truth}
    changes: dict[str, Callable[[Row], list[StructuredAnswer]]] = {
        "as they are": lambda row: [reading.answer(_question(row), contexts[row["id"]])],
        "reworded": lambda row: [
            reading.answer(question)
            for question in (_question(row, text) for text in reworded(row["question"].strip()))
        ],
        "deepest context first": lambda row: [reading.answer(_question(row), contexts[row["id"]][-1:])],
        "context upside down": lambda row: [reading.answer(_question(row), [contexts[row["id"]][0][::-1]])],
        "another document left out": lambda row: [
            reading.answer(_question(row), [[one for one in contexts[row["id"]][0] if one.document_id != name]])
            for name in _others(row, contexts[row["id"]][0])
        ],
        "no unit told": lambda row: [reading.answer(Question(row["id"], row["question"]), contexts[row["id"]])],
    }
    print("\n| disturbance | answers | value right, mean over questions |\n|---|---|---|")
    asked = [row for row in truth if not is_blank(row["answer_value"])]
    for name, change in changes.items():
        values = [[_row_score(row, one).value for one in change(row)] for row in asked]
        print(f"| {name} | {sum(map(len, values))} | {mean(mean(own) for own in values if own):.3f} |")


def _others(row: Row, context: Sequence[Snippet]) -> list[str]:
    return [name for name in dict.fromkeys(one.document_id for one in context) if name not in row["ref_id"]][:3]


def _row_score(row: Row, given: StructuredAnswer) -> RowScore:
    return score_rows([row], [_predicted(row, given)]).rows[0]


def mean(values: Any) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


if __name__ == "__main__":
    main()
