"""KohakuRAG node for node: what the profile `kohaku` retrieves beside what KohakuRAG's own code retrieved.

    python benchmarks/kohakurag_reference.py [--data FOLDER] [--work FOLDER]

The nodes of the index are compared first (ids, kinds, parents and texts), then, for six configurations, the ranked ids and
the snippets (ids and texts) of the 41 questions, given the same queries. "But for ties": there are scores within NOISE of
ours, a few times the distance of two runs in float32, under which our ranking is exactly that of the reference. Texts that
occur in several documents and paragraphs of one sentence have equal scores. Vectors are kept beneath --work, so that a
second run embeds nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_collections import build_index, wattbot
from shared_data import data_parser

from kohaku_lib.composition import load_settings
from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.fusion.interface import QueryRankings
from kohaku_lib.retrieval.fusion.rank import rank_question
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.packing.pack import pack
from kohaku_lib.retrieval.refine.expand import expand
from kohaku_lib.settings import Settings
from kohaku_lib.tables import RetrievalResult

NOISE = 2e-6
FIRST = 16  # nodes whose overlap is printed
OFFLINE = ("profile=kohaku", "embedding.model=minilm", "answer.by=reader")
OUR_NAMES = {"deduplicate_retrieval": "deduplicate", "rerank_strategy": "consensus"}
OUR_VALUES = {"tree": "tree_in_place"}

Snippets = list[tuple[str, str]]  # node id, first 16 hexadecimal digits of the SHA-256 of the text


@dataclass(frozen=True)
class Compared:
    """How one question compares with the reference."""

    same_ids: bool
    same_ids_but_ties: bool
    same_snippets: bool
    same_snippets_but_ties: bool
    overlap: float  # share of the first nodes that are among our first
    overlap_but_ties: float


def main() -> None:
    """Print the comparison of the nodes and of every configuration."""
    parser = data_parser(__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-reference")
    options = parser.parse_args()
    snapshot = build_index(wattbot(options.data).documents, options.work, kohaku_settings({}))
    reference = options.data / "kohakurag-reference"
    differing = differing_nodes(snapshot.nodes.to_pylist(), read_lines(reference / "nodes.jsonl.gz"))
    print(
        f"nodes: {snapshot.nodes.num_rows:,}, of which {len(differing)} differ in kind, parent or text, or are missing\n"
    )
    columns = (
        "same ids",
        "but for ties",
        "same snippets",
        "but for ties",
        f"least / mean overlap of {FIRST}",
        "but for ties",
    )
    print(f"| configuration | {' | '.join(columns)} |\n|---" + "|---" * len(columns) + "|")
    for name, arguments in json.loads((reference / "configs.json").read_text(encoding="utf-8")).items():
        rows = list(read_lines(reference / f"{name}.jsonl.gz"))
        print(f"| {name} | {_figures(compare_all(snapshot, rows, kohaku_settings(arguments)))} |", flush=True)


def kohaku_settings(arguments: Mapping[str, Any]) -> Settings:
    """Return the profile with the arguments of KohakuRAG's pipeline as settings of retrieval."""
    overrides = [
        f"retrieval.{OUR_NAMES.get(name, name)}={json.dumps(OUR_VALUES.get(value, value))}"
        for name, value in arguments.items()
    ]
    return load_settings(overrides=[*OFFLINE, *overrides], environment={}, folder=Path(tempfile.gettempdir())).settings


def differing_nodes(nodes: Sequence[Mapping[str, Any]], reference: Iterator[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the nodes that only one side has, or that differ in kind, parent or text."""
    ours = {(node["node_id"], node["kind"], node["parent_id"], text_digest(node["text"])) for node in nodes}
    theirs = {(node["node_id"], node["kind"], node["parent_id"], node["text_sha16"]) for node in reference}
    return {node[0] for node in ours ^ theirs}


def compare_all(snapshot: Snapshot, rows: Sequence[Mapping[str, Any]], settings: Settings) -> list[Compared]:
    """Compare the results for the queries of every row."""
    retriever = Retriever(snapshot, settings.retrieval, partial(embed_queries, settings=settings.embedding))
    results = retriever.retrieve([(row["id"], row["queries"]) for row in rows])
    return [_compare(snapshot, settings, row, result) for row, result in zip(rows, results, strict=True)]


def _compare(snapshot: Snapshot, settings: Settings, row: Mapping[str, Any], result: RetrievalResult) -> Compared:
    expected = [node for node, _ in row["matches"]], [(node, digest) for node, digest in row["snippets"]]
    ids = [match.node_id for match in result.matches][: settings.retrieval.top_k_final or None]
    found = ids, [(snippet.node_id, text_digest(snippet.text)) for snippet in result.snippets]
    vectors = embed_queries(row["queries"], settings.embedding)
    nudged = found if found == expected else nudged_result(snapshot, settings, vectors, expected[0])
    first = set(expected[0][:FIRST])
    return Compared(
        found[0] == expected[0],
        nudged[0] == expected[0],
        found[1] == expected[1],
        nudged[1] == expected[1],
        len(first & set(ids[:FIRST])) / max(len(first), 1),
        len(first & set(nudged[0][:FIRST])) / max(len(first), 1),
    )


def nudged_result(
    snapshot: Snapshot, settings: Settings, queries: np.ndarray, expected: Sequence[str]
) -> tuple[list[str], Snippets]:
    """Return the ids and the snippets of queries (n, dim) under scores within NOISE of ours, towards the expected order.

    The nodes of the reference are raised by their place in it, sections and documents by less, all others not at all.
    """
    place = {node: at for at, node in reversed(list(enumerate(expected)))}
    nodes = snapshot.column("node_id", snapshot.space_rows("main").column("node_row").to_numpy())
    share = np.array([1.0 - place[node] / len(expected) / 2 if node in place else 0.0 for node in nodes])
    share[snapshot.searched :] = 0.5
    scores = queries.astype(np.float64) @ snapshot.vectors().T.astype(np.float64) + NOISE * share
    rankings = [_best(snapshot, own, settings.retrieval.top_k) for own in scores]
    context = rank_question(snapshot, rankings, settings.retrieval).context
    matches = [(int(snapshot.search_rows[row]), score) for row, score in context]
    packed, _ = pack(snapshot, expand(snapshot, matches, settings.retrieval), *_budgets(settings))
    ids = snapshot.column("node_id", [item.node.row for item in packed])
    snippets = [(node, text_digest(item.text)) for node, item in zip(ids, packed, strict=True)]
    return snapshot.column("node_id", [row for row, _ in matches]), snippets


def _best(snapshot: Snapshot, scores: np.ndarray, k: int) -> QueryRankings:
    """Return the sentences and paragraphs among the best `k` nodes of all kinds."""
    best = np.argsort(-scores, kind="stable")[:k]
    kinds = best[best < snapshot.sentences], best[(best >= snapshot.sentences) & (best < snapshot.searched)]
    return QueryRankings("", {"dense": tuple(ScoredRows(rows, scores[rows]) for rows in kinds)}, np.zeros(0))


def _budgets(settings: Settings) -> tuple[int, int]:
    return settings.retrieval.context_tokens, settings.retrieval.snippet_tokens


def text_digest(text: str) -> str:
    """Return the digest of a text as the reference has it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def _figures(compared: Sequence[Compared]) -> str:
    names = ("same_ids", "same_ids_but_ties", "same_snippets", "same_snippets_but_ties")
    cells = [f"{sum(getattr(one, name) for one in compared) / len(compared):.3f}" for name in names]
    for name in ("overlap", "overlap_but_ties"):
        overlaps = [getattr(one, name) for one in compared]
        cells.append(f"{min(overlaps):.3f} / {sum(overlaps) / len(overlaps):.4f}")
    return " | ".join(cells)


if __name__ == "__main__":
    main()
