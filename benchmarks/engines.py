"""What each optional engine of retrieval brings: RAPTOR, late interaction and LightRAG beside the default channels.

    python benchmarks/engines.py [wattbot] [scifact] [hotpotqa] [musique] [--every N] [--data FOLDER] [--work FOLDER]

All engines are built without a chat model. A row adds one engine at the weight of the assistant's maximum level to the default
settings, or searches by dense vectors alone and by these and the engine at equal weights. Means over the questions; p is that of
the paired permutation test against the row without the engine, of the first two measures. The times are processor time of the
first 10 questions, one at a time, their vectors included. With --every, only every N-th of the documents that no question needs
is indexed. Indexes and vectors are kept beneath --work.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from retrieval_ablation import score_table
from retrieval_collections import Collection, build_index, hotpotqa, musique, scifact, wattbot
from shared_data import data_parser

from kohaku_lib.conversation.levels import LEVELS
from kohaku_lib.embedding import embed_queries, embed_tokens
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import LateSettings, LightragSettings, RaptorSettings, RetrievalSettings, Settings

COLLECTIONS: Mapping[str, Callable[[Path], Collection]] = {
    "wattbot": wattbot,
    "scifact": partial(scifact, split="test"),
    "hotpotqa": hotpotqa,
    "musique": musique,
}
METRICS = {
    "wattbot": ("recall@1", "recall@5", "evidence@4000"),
    "scifact": ("ndcg@10", "recall@10", "recall@100"),
    "hotpotqa": ("recall@2", "recall@5", "ndcg@10"),
    "musique": ("recall@2", "recall@5", "ndcg@10"),
}
ENGINES = {"RAPTOR": "raptor_weight", "LightRAG": "lightrag_weight", "late interaction": "late_weight"}
WEIGHTS = {name: float(LEVELS["maximum"][f"retrieval.{key}"]) for name, key in ENGINES.items()}
DENSE = {"lexical_weight": 0.0, "graph_weight": 0.0, "hop_weight": 0.0}
ALL_ON = Settings(
    raptor=RaptorSettings(enabled=True), late=LateSettings(enabled=True), lightrag=LightragSettings(enabled=True)
)
COMPRESSED = ALL_ON.model_copy(update={"late": LateSettings(enabled=True, compression="residuals")})
TIMED = 10  # questions
Scores = tuple[pa.Table, float]  # RETRIEVAL_SCORES, and milliseconds a question


def main() -> None:
    """Print a table for each collection that is asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="COLLECTION", help=", ".join(COLLECTIONS))
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="index every N-th of the irrelevant documents"
    )
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-engines")
    options = parser.parse_args()
    for name in options.names or COLLECTIONS:
        print_table(name, thinned(COLLECTIONS[name](options.data), options.every), options.work)


def thinned(collection: Collection, every: int) -> Collection:
    """Return the collection with the relevant documents and every `every`-th of the others."""
    relevant = frozenset().union(*collection.relevant.values())
    ids = collection.documents.column("document_id").to_pylist()
    kept = pa.array([name in relevant or not number % every for number, name in enumerate(ids)])
    return replace(collection, documents=collection.documents.filter(kept))


def print_table(name: str, collection: Collection, work: Path) -> None:
    """Print what each engine brings on one collection."""
    metrics = METRICS[name]
    started = time.perf_counter()
    snapshot = build_index(collection.documents, work, ALL_ON)
    built_s = time.perf_counter() - started
    sizes = ", ".join(
        f"{folder} {_megabytes(snapshot.folder / folder):.0f} MB" for folder in ("raptor", "lightrag", "late")
    )
    print(
        f"\n**{collection.name}**, {len(collection.questions)} questions, {collection.documents.num_rows:,} documents; ",
        end="",
    )
    print(f"{sizes} of {_megabytes(snapshot.folder):.0f} MB; index opened or built in {built_s:.0f} s\n")
    print(
        "| channels | " + " | ".join(metrics) + " | p | p | ms a question |\n|---" + "|---" * (len(metrics) + 3) + "|"
    )
    measured = partial(measure, collection, snapshot)
    before = measured({})
    _print_row("the defaults", before, metrics)
    for engine, key in ENGINES.items():
        _print_row(f"+ {engine}", measured({key: WEIGHTS[engine]}), metrics, before)
    _print_row("+ all three", measured({key: WEIGHTS[engine] for engine, key in ENGINES.items()}), metrics, before)
    dense = measured(DENSE)
    _print_row("dense alone", dense, metrics)
    for engine, key in ENGINES.items():
        _print_row(f"dense + {engine}, equal weights", measured(DENSE | {key: 0.35}), metrics, dense)
    compressed = build_index(collection.documents, work, COMPRESSED)
    late = {"late_weight": WEIGHTS["late interaction"]}
    shown = f"+ late interaction by residuals ({_megabytes(compressed.folder / 'late'):.0f} MB)"
    _print_row(shown, measure(collection, compressed, late), metrics, before)


def measure(collection: Collection, snapshot: Snapshot, changes: Mapping[str, Any]) -> Scores:
    """Return the scores of every question under the default settings with `changes` of retrieval, and the time."""
    settings = Settings()
    embed = partial(embed_queries, settings=settings.embedding)
    tokens = partial(embed_tokens, settings=settings.embedding)
    retriever = Retriever(snapshot, RetrievalSettings(**changes), embed, embed_tokens=tokens)
    plans = [(name, plan_by_rule(text, settings.planner.max_queries)) for name, text in collection.questions.items()]
    results = retriever.retrieve(plans)
    retriever = Retriever(snapshot, RetrievalSettings(**changes), embed, embed_tokens=tokens)
    started = time.process_time()  # of all threads, whatever else the machine does
    for plan in plans[:TIMED]:
        retriever.retrieve([plan])
    ms = (time.process_time() - started) * 1000 / len(plans[:TIMED])
    return score_table(collection, results), ms


def _print_row(name: str, scores: Scores, metrics: tuple[str, ...], before: Scores | None = None) -> None:
    means = {figure.metric: figure.mean for figure in summarise(scores[0])}
    p_values = {one.metric: one.p_value for one in compare_scores(before[0], scores[0])} if before else {}
    cells = [f"{means[metric]:.3f}" for metric in metrics]
    cells += [f"{p_values[metric]:.2f}" if p_values else "" for metric in metrics[:2]]
    print(f"| {name} | {' | '.join(cells)} | {scores[1]:.0f} |", flush=True)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main()
