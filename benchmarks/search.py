"""Vector search side by side: ours against NumPy per query, a DuckDB scan, usearch exact and kohakuvault.

    python benchmarks/search.py                    26,000 nodes, one query and a batch of 1,128
    python benchmarks/search.py --million          1,000,000 synthetic vectors too: time, growth, opening, memory

Vectors are synthetic: 384 dimensions around 200 centres, normalised. All systems take turns within each round, so a
ratio holds although the machine is shared. Slow ones are timed on a few queries and the batch is extrapolated (~).
usearch and kohakuvault are compared where they are installed. The million takes 4 GB of disk beneath --folder while
it runs.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.index import IndexTables, open_snapshot, write_snapshot
from kohaku_lib.settings import Settings, VectorsSettings
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS, LEXICAL, MENTIONS, NODES, vector_schema

DIM, K = 384, 10
Search = Callable[[np.ndarray], np.ndarray]  # queries (n, dim) to rows (n, K)


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        compare(Path(folder), options.nodes, options.queries, options.rounds)
    if options.million:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            million(Path(folder), options.large)


def compare(folder: Path, nodes: int, queries: int, rounds: int) -> None:
    """Print one query and the batch for every system, in one run."""
    vectors, asked = synthetic(nodes, 0), synthetic(queries, 1)
    systems = {**ours(folder, vectors), **others(folder, vectors)}
    expected = systems["NumPy per query"](asked[:8])
    single: dict[str, list[float]] = {name: [] for name in systems}
    batch: dict[str, list[float]] = {name: [] for name in systems}
    sizes = {name: queries if _fast(name) else 4 for name in systems}
    same = {name: float(np.mean(search(asked[:8]) == expected)) for name, search in systems.items()}
    for turn in range(rounds):
        for name, search in systems.items():
            search(asked[-1:])  # each finds its own vectors in the cache, as far as they fit
            single[name].append(timed(search, asked[turn : turn + 1]))
        if turn < 3:
            for name, search in systems.items():
                batch[name].append(timed(search, asked[: sizes[name]]) * queries / sizes[name])
    _print_comparison(nodes, queries, single, batch, sizes, same)


def million(folder: Path, large: int) -> None:
    """Print times, growth, opening and memory of a large index in each precision."""
    vectors = synthetic(large, 0)
    print(f"\n{large:,} x {DIM}, float32 rows take {vectors.nbytes / 1e9:.2f} GB")
    limit = bandwidth(vectors)
    print(f"reading them as fast as NumPy can: {limit:.1f} GB/s, which is the limit for one query\n")
    started = time.perf_counter()
    for precision in ("float32", "float16", "int8"):
        settings = Settings(vectors=VectorsSettings(precision=precision))
        write_snapshot(folder, precision, large_tables(vectors), settings)
    print(f"three snapshots written in {time.perf_counter() - started:.0f} s\n")
    del vectors
    _print_growth(folder, large, limit)
    _print_opening(folder)


def _print_growth(folder: Path, large: int, limit: float) -> None:
    asked = synthetic(128, 1)
    print("| precision | rows | one query ms | batch of 128, ms a query | GB/s of one query | share of the limit |")
    print("|---|---|---|---|---|---|")
    for precision, width in (("float32", 4), ("float16", 2), ("int8", 1)):
        search = open_snapshot(folder, precision).search
        for rows in sorted({10**4, 10**5, large}):
            ask = partial(search.top, k=K, span=range(rows), rescore=4)
            ask(asked[:1])
            one = min(timed(ask, asked[turn : turn + 1]) for turn in range(9))
            many = min(timed(ask, asked) for _ in range(2)) / len(asked)
            rate = rows * DIM * width / one / 1e9
            cells = f"{one * 1e3:.2f} | {many * 1e3:.3f} | {rate:.1f} | {rate / limit:.0%}"
            print(f"| {precision} | {rows:,} | {cells} |")


def _print_opening(folder: Path) -> None:
    print("\nTwo processes hold the same snapshot open and search; memory of the first, in MB:\n")
    print("| precision | open s | after opening RSS | first query s | then RSS | PSS while the other searches too |")
    print("|---|---|---|---|---|---|")
    for precision in ("float32", "float16", "int8"):
        command = [sys.executable, __file__, "--reader", str(folder), precision]
        both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        told = [process.stdout.readline().strip() for process in both if process.stdout]
        for process in both:
            print("", file=process.stdin, flush=True)
        last = [process.stdout.readline().strip() for process in both if process.stdout]
        for process in both:
            print("", file=process.stdin, flush=True)
            process.communicate()
        print(f"| {precision} | {told[0]} | {last[0]} |")


def reader(folder: Path, version: str) -> None:
    """Open, search once, wait for the other process, and tell the memory at each step."""
    import torch  # the model of the queries has it loaded in any case

    assert torch
    empty = memory_mb("Rss")
    started = time.perf_counter()
    snapshot = open_snapshot(folder, version)
    search = snapshot.search
    opened = time.perf_counter() - started
    after_open = memory_mb("Rss") - empty
    started = time.perf_counter()
    search.top(synthetic(1, 1), K, range(snapshot.searched), rescore=4)
    first = time.perf_counter() - started
    searched = memory_mb("Rss") - empty
    print(f"{opened:.3f} | {after_open:.0f} | {first:.2f} | {searched:.0f}", flush=True)
    sys.stdin.readline()
    print(f"{memory_mb('Pss') - empty:.0f}", flush=True)
    sys.stdin.readline()


def ours(folder: Path, vectors: np.ndarray) -> dict[str, Search]:
    """Return our search in each precision, over snapshots that are mapped from disk."""
    found: dict[str, Search] = {}
    for precision in ("float32", "float16", "int8"):
        settings = Settings(vectors=VectorsSettings(precision=precision))
        write_snapshot(folder, precision, large_tables(vectors), settings)
        found[f"ours, {precision}"] = partial(_ours, open_snapshot(folder, precision).search, range(len(vectors)))
    return found


def others(folder: Path, vectors: np.ndarray) -> dict[str, Search]:
    """Return the other systems that are installed."""
    found: dict[str, Search] = {
        "NumPy per query": partial(_numpy, vectors),
        "DuckDB scan": _duckdb(folder, vectors),
    }
    if importlib.util.find_spec("usearch"):
        found["usearch exact"] = partial(_usearch, vectors)
    if importlib.util.find_spec("kohakuvault"):
        found["kohakuvault"] = _kohakuvault(folder, vectors)
    return found


def synthetic(count: int, seed: int) -> np.ndarray:
    """Return unit vectors around 200 centres, (count, DIM) float32."""
    centres = np.random.default_rng(99).standard_normal((200, DIM), dtype=np.float32)
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, DIM), dtype=np.float32)
    for start in range(0, count, 10**5):
        part = vectors[start : start + 10**5]
        part += centres[random.integers(0, 200, len(part))]
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return vectors


def large_tables(vectors: np.ndarray) -> IndexTables:
    """Return the tables of an index in which document i holds sentences of a thousand vectors, without words."""
    count = len(vectors)
    ids = pa.array([f"d{row // 1000}:sec1:p1:s{row % 1000 + 1}" for row in range(count)])
    documents = pa.array([f"d{row // 1000}" for row in range(count)])
    same = {
        "org_id": "default", "parent_row": -1, "kind": "sentence", "ordinal": 0, "title": "", "content_sha256": "",
        "modality": "text", "content_type": "body", "searchable": True, "token_count": 20, "metadata_json": "{}",
        "text": "A sentence of the length that sentences have, with about twenty words in it, more or less.",
    }  # fmt: skip
    columns = {name: pa.repeat(pa.scalar(value, NODES.field(name).type), count) for name, value in same.items()}
    columns |= {"node_id": ids, "document_id": documents}
    nodes = pa.table([columns.get(field.name, pa.nulls(count, field.type)) for field in NODES], schema=NODES)
    matrix = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIM)
    nothing = vector_schema(DIM).empty_table()
    table = pa.table([ids, matrix, pa.repeat(True, count)], schema=vector_schema(DIM))
    lexical, mentions, images = (schema.empty_table() for schema in (LEXICAL, MENTIONS, DOCUMENT_IMAGES))
    return IndexTables(DOCUMENTS.empty_table(), nodes, table, nothing, lexical, mentions, images, nothing)


def bandwidth(vectors: np.ndarray) -> float:
    """Return how many GB/s one or two threads read of `vectors`, whichever is more, at best."""

    def read(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(np.max, np.array_split(vectors, threads)))

    return vectors.nbytes / min(timed(read, 1 + turn % 2) for turn in range(8)) / 1e9


def memory_mb(kind: str) -> float:
    """Return the resident (Rss) or proportional (Pss) memory of this process."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")) / 1e3


def timed(function: Callable[[Any], object], argument: Any) -> float:
    started = time.perf_counter()
    function(argument)
    return time.perf_counter() - started


def _ours(search, span: range, queries: np.ndarray) -> np.ndarray:
    return search.top(queries, K, span, rescore=4).rows


def _numpy(vectors: np.ndarray, queries: np.ndarray) -> np.ndarray:
    found = []
    for query in queries:
        scores = vectors @ query
        best = np.argpartition(scores, -K)[-K:]
        found.append(best[np.argsort(-scores[best])])
    return np.array(found)


def _duckdb(folder: Path, vectors: np.ndarray) -> Search:
    import duckdb

    connection = duckdb.connect(folder / "scan.duckdb")
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIM)
    connection.register("arrow", pa.table({"row": np.arange(len(vectors)), "vector": column}))
    connection.execute(f"CREATE TABLE v AS SELECT row, vector::FLOAT[{DIM}] AS vector FROM arrow")
    order = f"array_inner_product(vector, $1::FLOAT[{DIM}])"
    query = f"SELECT row FROM v ORDER BY {order} DESC LIMIT {K}"
    return lambda queries: np.array(
        [[row for (row,) in connection.execute(query, [one.tolist()]).fetchall()] for one in queries]
    )


def _usearch(vectors: np.ndarray, queries: np.ndarray) -> np.ndarray:
    from usearch.compiled import MetricKind
    from usearch.index import search

    return np.reshape(search(vectors, queries, K, MetricKind.IP, exact=True).keys, (len(queries), K))


def _kohakuvault(folder: Path, vectors: np.ndarray) -> Search:
    from kohakuvault import VectorKVault

    vault = VectorKVault(str(folder / "vault.db"), table="v", dimensions=DIM, metric="cosine")
    for row, vector in enumerate(vectors):
        vault.insert(vector, row)
    return lambda queries: np.array([[row for _, _, row in vault.search(one, K)] for one in queries])


def _fast(name: str) -> bool:
    return name.startswith(("ours", "NumPy", "usearch"))


def _print_comparison(nodes, queries, single, batch, sizes, same) -> None:
    fastest = min(min(times) for times in single.values())
    first = min(min(times) for times in batch.values())
    print(f"{nodes:,} x {DIM}, the {K} best; least and median of the rounds, ratios of the least\n")
    print(f"| system | one query ms (median) | ratio | batch of {queries:,} ms (median) | ratio | as NumPy |")
    print("|---|---|---|---|---|---|")
    for name, one in single.items():
        about = "" if sizes[name] == queries else "~"
        many = f"{about}{min(batch[name]) * 1e3:,.0f} ({median(batch[name]) * 1e3:,.0f})"
        alone = f"{min(one) * 1e3:.2f} ({median(one) * 1e3:.2f}) | {min(one) / fastest:.2f}"
        print(f"| {name} | {alone} | {many} | {min(batch[name]) / first:.1f} | {same[name]:.0%} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=26_000)
    parser.add_argument("--queries", type=int, default=1_128)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--large", type=int, default=10**6)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--reader", nargs=2, metavar=("FOLDER", "VERSION"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        reader(Path(options.reader[0]), options.reader[1])
        sys.exit()
    return options


if __name__ == "__main__":
    main()
