"""What correcting slips and routing questions bring: WattBot, HotpotQA and MuSiQue, each in one table.

    python benchmarks/planning.py [wattbot] [hotpotqa] [musique] [--data FOLDER] [--work FOLDER]

In the rows with slips two words of each question have a letter left out, doubled, changed or swapped with its
neighbour, always the same ones. p is that of the paired permutation test against the first row of the block. Plans are
made by rule. Indexes and vectors are kept beneath --work.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from retrieval_ablation import score_table
from retrieval_collections import Collection, build_index, hotpotqa, musique, wattbot
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import Retriever, plan_question
from kohaku_lib.settings import PlannerSettings, RetrievalSettings, Settings

COLLECTIONS = {"wattbot": wattbot, "hotpotqa": hotpotqa, "musique": musique}
METRICS = ("recall@1", "recall@5", "ndcg@10", "evidence@4000")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORD = re.compile(r"(?<![\w-])[a-z]{5,}(?![\w-])")


@dataclass(frozen=True)
class Row:
    """A row of the table: what it changes of the settings, and whether the questions have slips."""

    retrieval: Mapping[str, Any] = field(default_factory=dict)
    planner: Mapping[str, Any] = field(default_factory=dict)
    has_slips: bool = False


BLOCKS: tuple[Mapping[str, Row], ...] = (
    {
        "default": Row(),
        "no correction": Row({"spelling": False}),
        "routing by rule": Row(planner={"routing": "rules"}),
        **{
            f"routing: {name}": Row(planner={"routing": name})
            for name in ("dense_only", "fusion", "two_stage", "hierarchical")
        },
        "queries joined by rank": Row({"consensus": "rrf"}),
    },
    {
        "two slips a question, no correction": Row({"spelling": False}, has_slips=True),
        "two slips a question, corrected": Row(has_slips=True),
    },
)


def main() -> None:
    """Print the tables that are asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help=", ".join(COLLECTIONS))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    for name in options.collections or COLLECTIONS:
        collection = COLLECTIONS[name](options.data)
        print_table(collection, build_index(collection.documents, options.work, Settings()))


def print_table(collection: Collection, snapshot: Snapshot) -> None:
    """Print every row of every block for one collection."""
    print(f"\n**{collection.name}**, {len(collection.questions)} questions\n")
    print("| | " + " | ".join(METRICS) + " |\n" + "|---" * (len(METRICS) + 1) + "|")
    for block in BLOCKS:
        first: pa.Table | None = None
        for name, row in block.items():
            scores = evaluate(collection, snapshot, row)
            means = {figure.metric: figure.mean for figure in summarise(scores)}
            p_values = {} if first is None else {d.metric: d.p_value for d in compare_scores(first, scores)}
            print(f"| {name} | " + " | ".join(_cell(metric, means, p_values) for metric in METRICS) + " |", flush=True)
            first = scores if first is None else first


def evaluate(collection: Collection, snapshot: Snapshot, row: Row) -> pa.Table:
    """Return the scores (RETRIEVAL_SCORES) of every question."""
    retriever = Retriever(snapshot, RetrievalSettings(**row.retrieval), _query_vectors)
    planner = PlannerSettings(**row.planner)
    dice = random.Random(7)
    texts = {name: with_slips(text, dice) if row.has_slips else text for name, text in collection.questions.items()}
    plans = [plan_question(text, name, planner, None).plan for name, text in texts.items()]
    return score_table(collection, retriever.retrieve(plans))


def with_slips(question: str, dice: random.Random, slips: int = 2) -> str:
    """Return `question` with a slip in up to `slips` of its plain words of five letters and more."""
    words = list(WORD.finditer(question))
    for word in sorted(dice.sample(words, min(slips, len(words))), key=lambda word: -word.start()):
        question = question[: word.start()] + _slipped(word.group(), dice) + question[word.end() :]
    return question


def _slipped(word: str, dice: random.Random) -> str:
    at, letter = dice.randrange(1, len(word) - 1), dice.choice(LETTERS)
    before, here, after = word[:at], word[at], word[at + 1 :]
    return dice.choice(
        [before + after, before + here + here + after, before + letter + after, before + after[0] + here + after[1:]]
    )


def _query_vectors(texts: Sequence[str]) -> np.ndarray:
    missing = [text for text in texts if text not in _VECTORS]
    if missing:
        _VECTORS.update(zip(missing, embed_queries(missing, Settings().embedding), strict=True))
    return np.array([_VECTORS[text] for text in texts])


_VECTORS: dict[str, np.ndarray] = {}


def _cell(metric: str, means: Mapping[str, float], p_values: Mapping[str, float]) -> str:
    if metric not in means:
        return "–"
    return f"{means[metric]:.3f}" + (f" p {p_values[metric]:.2f}" if metric in p_values else "")


if __name__ == "__main__":
    main()
