"""How long one question takes from its words to a packed context, step by step, beside KohakuVault's vector search.

    python benchmarks/retrieval_latency.py [--data FOLDER] [--work FOLDER] [--rounds 3]

Every WattBot training question is planned by rule and retrieved alone, under the default settings and with its vectors
at hand, so that no model is timed. In each round the index is opened anew and the first question, which opens it, is left
out, so that no question finds what it left itself; KohakuVault, where it is installed, searches the same vectors for the same
questions in turn with ours. Then 282 questions of 4 queries each are retrieved in one batch. Ratios of one run count, not
times: the machine may be shared.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from retrieval_collections import build_index, wattbot
from search import others
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import Snapshot, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.rerank.vector_cache import Embed, VectorCache
from kohaku_lib.settings import RetrievalSettings, Settings

QUESTIONS, QUERIES = 282, 4  # of the large batch
MOST_VECTORS = 2**16
STEPS = ("prepare", "embed", "dense", "lexical", "graph", "rank", "pack")
Plan = tuple[str, list[str]]


def main() -> None:
    """Print the table of single questions and the time of the batch."""
    parser = data_parser(__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    collection = wattbot(options.data)
    snapshot = build_index(collection.documents, options.work, Settings())
    texts = list(collection.questions.values())
    plans = [(str(number), plan_by_rule(text, Settings().planner.max_queries)) for number, text in enumerate(texts)]
    batch = list(_large_batch(texts))
    embed = VectorCache(partial(embed_queries, settings=Settings().embedding), MOST_VECTORS).of
    retriever = Retriever(snapshot, RetrievalSettings(), embed)
    retriever.retrieve([*plans, *batch])  # opens what is opened once and keeps the vectors of all queries
    known = dict(zip(texts, embed_queries(texts, Settings().embedding), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        _print_single(_single(snapshot, embed, plans, known, Path(folder), options.rounds))
    _print_batch(retriever, batch)


def _single(
    snapshot: Snapshot,
    embed: Embed,
    plans: Sequence[Plan],
    known: dict[str, np.ndarray],
    folder: Path,
    rounds: int,
) -> dict[str, list[float]]:
    """Return the milliseconds of each step, of the whole and of the other system, for every question and round."""
    other = others(folder, np.array(snapshot.vectors()[: snapshot.searched])).get("kohakuvault")
    taken: dict[str, list[float]] = {}
    for retriever, plan in _first_times(snapshot, embed, plans, rounds):
        started = time.perf_counter()
        [result] = retriever.retrieve([plan])
        taken.setdefault("whole, words to context", []).append((time.perf_counter() - started) * 1e3)
        for step in STEPS:
            taken.setdefault(step, []).append(result.timings_ms[step])
        if other:
            started = time.perf_counter()
            other(known[plan[1][0]][np.newaxis])
            taken.setdefault("KohakuVault, vector search alone", []).append((time.perf_counter() - started) * 1e3)
    return taken


def _first_times(
    snapshot: Snapshot, embed: Embed, plans: Sequence[Plan], rounds: int
) -> Iterator[tuple[Retriever, Plan]]:
    """Yield each plan but the first with a retriever that never saw it, as often as there are rounds."""
    for _ in range(rounds):
        retriever = Retriever(open_snapshot(snapshot.folder.parent, snapshot.version), RetrievalSettings(), embed)
        retriever.retrieve(plans[:1])
        yield from ((retriever, plan) for plan in plans[1:])


def _print_single(taken: dict[str, list[float]]) -> None:
    print("| one question | median ms | p95 ms | times KohakuVault's median |\n|---|---|---|---|")
    other = taken.get("KohakuVault, vector search alone")
    for name, times in taken.items():
        ratio = f"{np.median(times) / np.median(other):.2f}" if other else ""
        print(f"| {name} | {np.median(times):.2f} | {np.percentile(times, 95):.2f} | {ratio} |")


def _print_batch(retriever: Retriever, plans: Sequence[Plan]) -> None:
    started, started_cpu = time.perf_counter(), time.process_time()
    results = retriever.retrieve(plans)
    whole, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    queries = len({text for _, texts in plans for text in texts})
    search = {name: results[0].timings_ms[name] / 1e3 for name in ("dense", "lexical", "graph")}
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in search.items())
    print(f"\n{len(plans)} questions, {queries:,} distinct queries in one batch: {spent} (at the same time), ", end="")
    print(f"with ranking and packing {whole:.2f} s, {cpu:.2f} s of the processors")


def _large_batch(texts: Sequence[str]) -> Iterator[Plan]:
    """Yield plans of distinct queries: rotations of the words of the questions, which keep terms and lengths."""
    for number in range(QUESTIONS):
        words = texts[number % len(texts)].split()
        starts = range(number // len(texts) * QUERIES, number // len(texts) * QUERIES + QUERIES)
        turned = (words[start % len(words) :] + words[: start % len(words)] for start in starts)
        yield f"b{number}", [" ".join([*one, str(place)]) for place, one in enumerate(turned)]


if __name__ == "__main__":
    main()
