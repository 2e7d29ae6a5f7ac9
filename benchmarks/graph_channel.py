"""Does the graph channel earn its place? HotpotQA and MuSiQue, and the labelled WattBot questions.

    python benchmarks/graph_channel.py [hotpotqa] [musique] [wattbot] [--data FOLDER] [--work FOLDER]

Each channel alone, then all of them together with the default settings, without the second hop and without the graph.
The weight and the relations that the graph follows are chosen on every second question and reported on the others, and
the default, second hop included, on all of them, with the 95 % bootstrap interval of the difference by document;
beside it the time that the search of one question and of the whole batch takes, and what the graph costs a refresh.
Indexes and vectors are kept beneath --work.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_ablation import question_scores
from retrieval_collections import Collection, build_index, hotpotqa, musique, wattbot
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation.statistics.intervals import bootstrap_interval
from kohaku_lib.index import Snapshot, extract_mentions, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels.graph import graph_search
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import RetrievalSettings, Settings

WEIGHTS, HOPS = (0.05, 0.1, 0.2), (0, 1, 2)
PLAIN = {"evidence_share": 0.0, "document_weight": 0.0, "planned_query_weight": 0.0, "graph_weight": 0.0}
DENSE, BM25 = {"lexical_weight": 0.0}, {"dense_weight": 0.0}
ALONE: Mapping[str, Mapping[str, Any]] = {
    "dense alone": PLAIN | DENSE,
    "BM25 alone": PLAIN | BM25,
    "graph alone, no hop": PLAIN | DENSE | BM25 | {"graph_weight": 1.0, "graph_hops": 0},
    "graph alone, 1 hop": PLAIN | DENSE | BM25 | {"graph_weight": 1.0, "graph_hops": 1},
    "graph alone, 2 hops": PLAIN | DENSE | BM25 | {"graph_weight": 1.0, "graph_hops": 2},
}
METRICS = {
    "HotpotQA": ("recall@2", "recall@5", "ndcg@10"),
    "MuSiQue": ("recall@2", "recall@5", "ndcg@10"),
    "WattBot": ("recall@1", "recall@5", "evidence@4000", "evidence@16000"),
}
COLLECTIONS: dict[str, Callable[[Path], Collection]] = {"hotpotqa": hotpotqa, "musique": musique, "wattbot": wattbot}
Scores = dict[str, np.ndarray]  # by metric, (questions,), NaN where it is not measured


def main() -> None:
    """Print the tables that are asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help=", ".join(COLLECTIONS))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    for name in options.collections or COLLECTIONS:
        report(COLLECTIONS[name](options.data), options.work)


def report(collection: Collection, work: Path) -> None:
    """Print the tables of one collection."""
    snapshot = build_index(collection.documents, work, Settings())
    metrics = METRICS[collection.name]
    measure = _measure(collection, snapshot)
    clusters = np.array([collection.cluster(name) for name in collection.questions])
    half = np.arange(len(collection.questions)) % 2 == 0
    print(f"\n**{collection.name}**, {len(half)} questions, {collection.documents.num_rows:,} documents\n")
    print("| | " + " | ".join(metrics) + " |\n" + "|---" * (len(metrics) + 1) + "|")
    for name, changes in ALONE.items():
        _print_row(name, measure(changes), metrics)
    without = measure({"graph_weight": 0.0})
    _print_row("default without the graph", without, metrics)
    grid = {
        (weight, hops): measure({"graph_weight": weight, "graph_hops": hops, "hop_weight": 0.0})
        for weight in WEIGHTS
        for hops in HOPS
    }
    for (weight, hops), scores in grid.items():
        _print_row(f"+ graph, weight {weight}, {hops} hops", scores, metrics)
    best = max(grid, key=lambda key: sum(float(np.nanmean(grid[key][metric][half])) for metric in metrics))
    print(f"\nChosen on one half: weight {best[0]}, {best[1]} hops. On the other half:\n")
    _print_differences(without, grid[best], clusters, ~half, metrics)
    print("\nThe default against none, on all questions:\n")
    _print_differences(without, measure({}), clusters, np.ones(len(half), bool), metrics)
    _print_times(collection, snapshot, best[1])


def _measure(collection: Collection, snapshot: Snapshot) -> Callable[[Mapping[str, Any]], Scores]:
    plans = [(name, plan_by_rule(text, Settings().planner.max_queries)) for name, text in collection.questions.items()]
    vectors: dict[str, np.ndarray] = {}

    def embed(queries: Sequence[str]) -> np.ndarray:
        missing = [text for text in queries if text not in vectors]
        if missing:
            vectors.update(zip(missing, embed_queries(missing, Settings().embedding), strict=True))
        return np.array([vectors[text] for text in queries])

    def measure(changes: Mapping[str, Any]) -> Scores:
        settings = RetrievalSettings(**changes)
        retriever = Retriever(snapshot, settings, embed)
        rows = [question_scores(collection, result) for result in retriever.retrieve(plans)]
        names = METRICS[collection.name]
        return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}

    return measure


def _print_row(name: str, scores: Scores, metrics: Sequence[str]) -> None:
    print(f"| {name} | " + " | ".join(f"{np.nanmean(scores[metric]):.3f}" for metric in metrics) + " |", flush=True)


def _print_differences(
    before: Scores, after: Scores, clusters: np.ndarray, rows: np.ndarray, metrics: Sequence[str]
) -> None:
    print("| metric | without | with | difference (95 % interval) |\n|---|---|---|---|")
    for metric in metrics:
        one, two = before[metric][rows], after[metric][rows]
        measured = ~np.isnan(one)
        interval = bootstrap_interval((two - one)[measured], clusters[rows][measured].tolist())
        means = (float(np.nanmean(one)), float(np.nanmean(two)))
        print(
            f"| {metric} | {means[0]:.3f} | {means[1]:.3f} | {means[1] - means[0]:+.3f} ({interval.text(signed=True)}) |"
        )


def _print_times(collection: Collection, snapshot: Snapshot, hops: int) -> None:
    texts = list(collection.questions.values())
    fresh = _opened_anew(snapshot, texts[0], hops)
    start = time.perf_counter()
    graph_search(fresh, texts, 100, hops)
    batch_s = time.perf_counter() - start
    single, fresh = [], _opened_anew(snapshot, texts[0], hops)
    for text in texts[1:31]:
        start = time.perf_counter()
        graph_search(fresh, [text], 100, hops)
        single.append(time.perf_counter() - start)
    start = time.perf_counter()
    extract_mentions(snapshot.nodes, Settings().graph)
    extraction_s = time.perf_counter() - start
    print(
        f"\n{1000 * batch_s / len(texts):.1f} ms a question in one batch, {1000 * float(np.median(single)):.1f} ms alone; "
        f"finding the entities of {snapshot.nodes.num_rows:,} nodes took {extraction_s:.1f} s."
    )


def _opened_anew(snapshot: Snapshot, text: str, hops: int) -> Snapshot:
    """Return the same index, open, which keeps nothing of the names in any other question than `text`."""
    fresh = open_snapshot(snapshot.folder.parent, snapshot.version)
    graph_search(fresh, [text], 100, hops)
    return fresh


if __name__ == "__main__":
    main()
