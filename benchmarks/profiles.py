"""The retrieval of every profile beside that of the defaults, on WattBot's labelled questions.

    python benchmarks/profiles.py [PROFILE ...] [--data FOLDER] [--work FOLDER]

Every profile has the bundled embedding model and no language model, so that its planner is that of the rules and no reranker
of a server runs: what remains is its tree, its index, its channels, their fusion and its context. Means over the questions whose
truth names documents; "p" is that of the paired permutation test of evidence@4000 against the defaults. Indexes and vectors are
kept beneath --work.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from retrieval_ablation import score_table
from retrieval_collections import Collection, build_index, wattbot
from shared_data import data_parser

from kohaku_lib.composition import load_settings
from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.retrieval import RefineDependencies, Retriever, plan_question
from kohaku_lib.retrieval.rerank import RerankDependencies, build_rerankers
from kohaku_lib.settings import RerankSettings, Settings
from kohaku_lib.settings.profiles import PROFILES
from kohaku_lib.tables import QUESTIONS

METRICS = ("recall@1", "recall@5", "evidence@4000", "evidence@16000")
OFFLINE = (
    "embedding.model=minilm",
    "embedding.images=captions",
    "answer.by=reader",
    "images.captions=page",
    "vectors.ann=off",
)
DEFAULTS = "defaults"


def main() -> None:
    """Print a row for the defaults and for every profile that is asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="PROFILE", help=", ".join(PROFILES))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-profiles")
    options = parser.parse_args()
    collection = wattbot(options.data)
    print(
        "| profile | "
        + " | ".join(METRICS)
        + " | p | snippets | characters | ms, median | ms, 95 % |\n|---"
        + "|---" * 9
        + "|"
    )
    defaults: pa.Table | None = None
    for name in (DEFAULTS, *(options.names or PROFILES)):
        scores, sizes = measure(collection, options.work, offline_settings(name))
        defaults = scores if defaults is None else defaults
        means = {figure.metric: figure.mean for figure in summarise(scores)}
        p_values = {one.metric: one.p_value for one in compare_scores(defaults, scores)}
        cells = [*(f"{means[metric]:.3f}" for metric in METRICS), f"{p_values['evidence@4000']:.2f}", *sizes]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    _print_rerank(collection)


def offline_settings(name: str) -> Settings:
    """Return the settings of a profile, or the defaults, with the bundled model and no language model."""
    own = () if name == DEFAULTS else (f"profile={name}", *OFFLINE)
    dim = ("embedding.dim=384",) if own and PROFILES[name]["embedding.dim"] else ()
    return load_settings(overrides=[*own, *dim], environment={}, folder=Path(tempfile.gettempdir())).settings


def measure(collection: Collection, work: Path, settings: Settings) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the scores (RETRIEVAL_SCORES), and the mean number of snippets, their characters and the time of a question."""
    snapshot = build_index(collection.documents, work, settings)
    embed = partial(embed_queries, settings=settings.embedding)
    retriever = Retriever(snapshot, settings.retrieval, embed, refine_dependencies=RefineDependencies(settings.rerank))
    asked = _questions(collection).select(["id", "question"]).to_pylist()
    planned = [plan_question(row["question"], row["id"], settings.planner, None).plan for row in asked]
    retriever.retrieve(planned[:1])  # opens the index and loads the model
    results, taken = [], []
    for plan in planned:
        started = time.perf_counter()
        results += retriever.retrieve([plan])
        taken.append((time.perf_counter() - started) * 1000)
    texts = [[snippet.text for snippet in result.snippets] for result in results]
    snippets = sum(map(len, texts)) / len(texts)
    characters = sum(len(text) for own in texts for text in own) / len(texts)
    return score_table(collection, results), (
        f"{snippets:.0f}",
        f"{characters:,.0f}",
        f"{np.median(taken):.0f}",
        f"{np.percentile(taken, 95):.0f}",
    )


def _print_rerank(collection: Collection) -> None:
    """Print how long an embedding similarity takes to score five texts, those of other questions."""
    settings = RerankSettings(kind="embedding_similarity")
    [reranker] = build_rerankers(settings, RerankDependencies())
    texts = list(collection.questions.values())
    taken = []
    for number, text in enumerate(texts):
        started = time.perf_counter()
        reranker.scores(text, [texts[(number + step) % len(texts)] + f" {number}" for step in range(1, 6)], str(number))
        taken.append((time.perf_counter() - started) * 1000)
    print(
        f"\n{reranker.name} scores five texts in {np.median(taken):.0f} ms, 95 % in {np.percentile(taken, 95):.0f} ms"
    )


def _questions(collection: Collection) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {"id": name, "question": text, "has_truth": True, "row_json": "{}"}
        for name, text in collection.questions.items()
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


if __name__ == "__main__":
    main()
