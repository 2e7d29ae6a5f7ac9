"""Is the right document found in languages other than English, those written without blanks between words among them?

    python benchmarks/unspaced.py [COLLECTION ...] [--data FOLDER] [--work FOLDER]

Chinese, Japanese and Thai by our own sets (benchmarks/unspaced), once more by those of their questions that are not in
the words of the text; Thai, Arabic, Spanish, Russian and Hindi by XQuAD. BM25 alone and dense alone are the channels as
they are by default, without what is combined with them; the last row of a collection is the default. No document says
its language, as no file of a user does. Questions are retrieved one at a time by a retriever that never saw them,
planned and embedded beforehand, so that no model is timed; ms are those of a question on its whole way from queries to
packed context, and to be compared only within a run. Means come with their 95 % bootstrap interval by document. Indexes
and vectors are kept beneath --work.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_ablation import BM25, DENSE, OFF, figure_cell, score_table
from retrieval_collections import UNSPACED, XQUAD, Collection, build_index, unspaced, xquad
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import summarise
from kohaku_lib.index import Snapshot, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.rerank.vector_cache import Embed, VectorCache
from kohaku_lib.settings import RetrievalSettings, Settings
from kohaku_lib.tables import RetrievalResult

CONFIGURATIONS: Mapping[str, Mapping[str, Any]] = {"BM25 alone": OFF | BM25, "dense alone": OFF | DENSE, "default": {}}
METRICS = ("recall@1", "recall@5", "recall@100")
COLLECTIONS: dict[str, Callable[[Path], Collection]] = {
    **{language: lambda _, language=language: unspaced(language) for language in UNSPACED},
    **{f"{language}-reworded": lambda _, language=language: unspaced(language, True) for language in UNSPACED},
    **{f"xquad-{language}": partial(xquad, language=language) for language in XQUAD},
}
MOST_VECTORS = 2**16
Plan = tuple[str, list[str]]


def main() -> None:
    """Print the rows of the collections that are asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help=", ".join(COLLECTIONS))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    columns = ("collection", "documents", "questions", "", *METRICS, "median ms", "p95 ms")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for name in options.collections or COLLECTIONS:
        report(COLLECTIONS[name](options.data), options.work)


def report(collection: Collection, work: Path) -> None:
    """Print a row for every configuration."""
    snapshot = build_index(collection.documents, work, Settings())
    max_queries = Settings().planner.max_queries
    plans = [(name, plan_by_rule(text, max_queries)) for name, text in collection.questions.items()]
    embed = VectorCache(partial(embed_queries, settings=Settings().embedding), MOST_VECTORS).of
    Retriever(snapshot, RetrievalSettings(), embed).retrieve(plans)  # keeps the vectors of all queries
    for name, changes in CONFIGURATIONS.items():
        results, taken_ms = _one_by_one(snapshot, RetrievalSettings(**changes), embed, plans)
        figures = {figure.metric: figure for figure in summarise(score_table(collection, results))}
        times = f"{np.median(taken_ms):.1f} | {np.percentile(taken_ms, 95):.1f}"
        sizes = f"{collection.documents.num_rows} | {len(plans):,}"
        cells = " | ".join(figure_cell(figures[metric]) for metric in METRICS)
        print(f"| {collection.name} | {sizes} | {name} | {cells} | {times} |", flush=True)


def _one_by_one(
    snapshot: Snapshot, settings: RetrievalSettings, embed: Embed, plans: Sequence[Plan]
) -> tuple[list[RetrievalResult], list[float]]:
    """Return what is retrieved for each plan and the milliseconds it took, the opening of the index left out."""
    retriever = Retriever(open_snapshot(snapshot.folder.parent, snapshot.version), settings, embed)
    retriever.retrieve([("opens", ["index"])])
    results, taken_ms = [], []
    for plan in plans:
        started = time.perf_counter()
        results += retriever.retrieve([plan])
        taken_ms.append((time.perf_counter() - started) * 1e3)
    return results, taken_ms


if __name__ == "__main__":
    main()
