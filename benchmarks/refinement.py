"""What each way of refining a ranking does offline: embedding similarity, penalties, deduplication, verification, novelty.

    python benchmarks/refinement.py [wattbot] [scifact] [train] [multihop] [chunking] [--data FOLDER]
                                    [--work FOLDER] [--only WAY]

Every row stands alone against the default settings, in one run; "train" are the claims of SciFact on which the parts of
an embedding similarity were chosen. Means come with their 95 % bootstrap interval by document; p is that of the paired
permutation test against the default; "snippets" is how many a context holds in the mean, "CPU ms" the processor time of a
question. Indexes, vectors and rerank scores are kept beneath --work, so that a second run embeds nothing and is timed without it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from retrieval_ablation import figure_cell, score_table
from retrieval_collections import Collection, build_index, chunking, hotpotqa, musique, scifact, wattbot
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import RefineDependencies, Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.rerank import RERANK_CACHE_SCHEMA, RerankDependencies, build_rerankers
from kohaku_lib.settings import RerankSettings, Settings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import RetrievalResult

WAYS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "embedding similarity": {"kind": "embedding_similarity"},
    "embedding similarity, the first 10": {"kind": "embedding_similarity", "top_n": 10},
    "embedding similarity 0.5": {"kind": "embedding_similarity", "weight": 0.5},
    "embedding similarity alone": {"kind": "embedding_similarity", "weight": 1.0},
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
    "train": ("ndcg@10", *RANKED),
    "multihop": ("recall@2", "recall@5", "ndcg@10"),
    "chunking": ("spans/recall", "spans/precision", "evidence@4000"),
}


def main() -> None:
    """Print the tables that are asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(METRICS))
    parser.add_argument("--only", metavar="WAY", help="the ways whose names begin so, beside the default")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    data = options.data
    for name in options.tables or METRICS:
        for collection in _collections(name, data):
            print_table(collection, options.work, METRICS[name], options.only or "")


def print_table(collection: Collection, work: Path, metrics: Sequence[str], only: str = "") -> None:
    """Print one row per way of refining whose name begins with `only`, and the default."""
    snapshot = build_index(collection.documents, work, Settings())
    print(f"\n**{collection.name}**, {len(collection.questions)} questions\n")
    print("| | " + " | ".join(metrics) + " | snippets | CPU ms |\n" + "|---" * (len(metrics) + 3) + "|")
    default: pa.Table | None = None
    retrieve_all(
        collection, snapshot, RefineDependencies(RerankSettings())
    )  # so that no row pays for loading and opening
    for name in (name for name in WAYS if name == "default" or name.startswith(only)):
        started = time.process_time()
        results = retrieve_all(collection, snapshot, _refine_dependencies(RerankSettings(**WAYS[name]), work))
        taken_ms = (time.process_time() - started) * 1e3 / len(results)
        scores = score_table(collection, results)
        default = scores if default is None else default
        means = {figure.metric: figure for figure in summarise(scores)}
        p_values = {found.metric: found.p_value for found in compare_scores(default, scores)}
        cells = [figure_cell(means[metric], None if scores is default else p_values[metric]) for metric in metrics]
        size = sum(len(result.snippets) for result in results) / len(results)
        print(f"| {name} | " + " | ".join(cells) + f" | {size:.1f} | {taken_ms:.0f} |", flush=True)


def retrieve_all(collection: Collection, snapshot: Snapshot, dependencies: RefineDependencies) -> list[RetrievalResult]:
    """Return the result of every question, its queries planned by rule."""
    settings = Settings()
    embed = partial(embed_queries, settings=settings.embedding)
    retriever = Retriever(snapshot, settings.retrieval, embed, refine_dependencies=dependencies)
    queries = settings.planner.max_queries
    return retriever.retrieve([(name, plan_by_rule(text, queries)) for name, text in collection.questions.items()])


def _refine_dependencies(settings: RerankSettings, work: Path) -> RefineDependencies:
    if settings.kind == "off":
        return RefineDependencies(settings)
    cache = RowCache(work / "rerank", RERANK_CACHE_SCHEMA)
    return RefineDependencies(settings, build_rerankers(settings, RerankDependencies(cache=cache)))


def _collections(name: str, data: Path) -> list[Collection]:
    if name == "multihop":
        return [hotpotqa(data), musique(data)]
    return [_COLLECTIONS[name](data)]


_COLLECTIONS: Mapping[str, Callable[[Path], Collection]] = {
    "wattbot": wattbot,
    "scifact": partial(scifact, split="test"),
    "train": partial(scifact, split="train"),
    "chunking": chunking,
}

if __name__ == "__main__":
    main()
