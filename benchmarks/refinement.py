"""What each way of refining a ranking does offline: penalties, deduplication, verification by cosine, novelty.

    python benchmarks/refinement.py [wattbot] [scifact] [multihop] [chunking] [--data ../shared/data] [--work FOLDER]

Every row stands alone against the default settings, in one run. Means come with their 95 % bootstrap interval; p is
that of the paired permutation test against the default; "snippets" is how many a context holds in the mean. Indexes
and vectors are kept beneath --work, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from retrieval_ablation import question_scores
from retrieval_collections import Collection, build_index, chunking, data_folder, hotpotqa, musique, scifact, wattbot

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import Refiner, Retriever
from kohaku_lib.retrieval.plan_rules import plan_by_rule
from kohaku_lib.settings import RerankSettings, Settings
from kohaku_lib.tables import RETRIEVAL_SCORES, RetrievalResult

WAYS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "penalties reference 0.7, toc 0.5": {"penalties": {"reference": 0.7, "toc": 0.5}},
    "penalties reference 0.5, toc 0.2": {"penalties": {"reference": 0.5, "toc": 0.2}},
    "semantic_dedup 0.95": {"semantic_dedup": 0.95},
    "semantic_dedup 0.90": {"semantic_dedup": 0.90},
    "mmr 0.7, k 10": {"mmr": 0.7},
    "mmr 0.9, k 10": {"mmr": 0.9},
    "verify quick 0.35": {"verify": "quick"},
    "verify quick 0.20": {"verify": "quick", "verify_cosine": 0.2},
}
RANKED = ("recall@1", "recall@5", "recall@10")
METRICS = {
    "wattbot": (*RANKED, "evidence@4000", "evidence@16000"),
    "scifact": ("ndcg@10", *RANKED),
    "multihop": ("recall@2", "recall@5", "ndcg@10"),
    "chunking": ("spans/recall", "spans/precision", "evidence@4000"),
}


def main() -> None:
    """Print the tables that are asked for, all by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(METRICS))
    parser.add_argument("--data")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    data = data_folder(options.data)
    for name in options.tables or METRICS:
        for collection in _collections(name, data):
            print_table(collection, options.work, METRICS[name])


def print_table(collection: Collection, work: Path, metrics: Sequence[str]) -> None:
    """Print one row per way of refining."""
    snapshot = build_index(collection.documents, work, Settings())
    print(f"\n**{collection.name}**, {len(collection.questions)} questions\n")
    print("| | " + " | ".join(metrics) + " | snippets |\n" + "|---" * (len(metrics) + 2) + "|")
    default: pa.Table | None = None
    for name, changes in WAYS.items():
        results = retrieve_all(collection, snapshot, Refiner(RerankSettings(**changes)))
        scores = _scores(collection, results)
        default = scores if default is None else default
        means = {figure.metric: figure for figure in summarise(scores)}
        p_values = {found.metric: found.p_value for found in compare_scores(default, scores)}
        cells = [_cell(means[metric], None if scores is default else p_values[metric]) for metric in metrics]
        size = sum(len(result.snippets) for result in results) / len(results)
        print(f"| {name} | " + " | ".join(cells) + f" | {size:.1f} |", flush=True)


def retrieve_all(collection: Collection, snapshot: Snapshot, refiner: Refiner) -> list[RetrievalResult]:
    """Return the result of every question, its queries planned by rule."""
    settings = Settings()
    embed = partial(embed_queries, settings=settings.embedding)
    retriever = Retriever(snapshot, settings.retrieval, embed, refiner=refiner)
    queries = settings.planner.max_queries
    return retriever.retrieve([(name, plan_by_rule(text, queries)) for name, text in collection.questions.items()])


def _scores(collection: Collection, results: Sequence[RetrievalResult]) -> pa.Table:
    rows = [
        {"id": result.id, "metric": metric, "value": value}
        for result in results
        for metric, value in question_scores(collection, result).items()
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES)


def _cell(figure: Any, p_value: float | None) -> str:
    low, high = figure.interval.low, figure.interval.high
    return f"{figure.mean:.3f} ({low:.3f}–{high:.3f})" + ("" if p_value is None else f" p {p_value:.2f}")


def _collections(name: str, data: Path) -> list[Collection]:
    if name == "multihop":
        return [hotpotqa(data), musique(data)]
    return [{"wattbot": wattbot, "scifact": partial(scifact, split="test"), "chunking": chunking}[name](data)]


if __name__ == "__main__":
    main()
