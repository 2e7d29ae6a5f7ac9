"""What each step of retrieval brings: WattBot, SciFact, HotpotQA, MuSiQue and chunking-evaluation, each in one table.

    python benchmarks/retrieval_ablation.py [wattbot] [scifact] [multihop] [chunking] [--data FOLDER]
                                            [--work FOLDER]

Each row adds its settings to those of the row before; a row that starts with "only" stands alone. Means come with
their 95 % bootstrap interval by document; p is that of the paired permutation test against the row before. Indexes and
vectors are kept beneath --work, so that a second run embeds nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from chunking_spans import at_published_size, marked_spans, span_scores
from retrieval_collections import (
    Collection,
    build_index,
    chunking,
    hotpotqa,
    musique,
    scifact,
    wattbot,
)
from shared_data import data_parser

from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation import compare_scores, summarise
from kohaku_lib.evaluation.metrics.evidence import evidence_recall, is_quoted
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RankedContext
from kohaku_lib.evaluation.metrics.retrieval.ndcg import score_ndcg
from kohaku_lib.evaluation.metrics.retrieval.recall import score_recall
from kohaku_lib.evaluation.metrics.retrieval.reciprocal_rank import score_reciprocal_rank
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import EmbeddingSettings, LexicalSettings, RetrievalSettings, Settings
from kohaku_lib.tables import RETRIEVAL_SCORES, RetrievalResult

Step = Mapping[str, Any]  # settings of retrieval; "lexical" those of BM25, "kinds" the only nodes that are searched
Steps = Mapping[str, Step]
SHARES = {"evidence_share": 0.0, "document_weight": 0.0, "planned_query_weight": 0.0, "title_weight": 0.0}
OFF = SHARES | {"graph_weight": 0.0, "hop_weight": 0.0, "spelling": False}
PLAIN = OFF | {"lexical": {"k1": 1.2, "b": 0.75}, "fusion": "bounded"}
DENSE, BM25 = {"lexical_weight": 0.0}, {"dense_weight": 0.0}
DEFAULT = RetrievalSettings()
TOKENS = LexicalSettings().model_dump(include={"k1", "b"})

# a step whose name starts with "only" does not build on the one before
STEPS: Steps = {
    "only dense": PLAIN | DENSE,
    "only BM25": PLAIN | BM25,
    "only RRF, equal weights": PLAIN | {"fusion": "rrf"},
    "only weighted RRF": PLAIN | {"fusion": "weighted_rrf"},
    "only min–max": PLAIN | {"fusion": "minmax"},
    "only scores as shares of the possible": PLAIN,
    "+ sentence and paragraph vouch for each other": {"evidence_share": DEFAULT.evidence_share},
    "+ words of title and id count in BM25": {"title_weight": DEFAULT.title_weight},
    f"+ BM25 with k1 {TOKENS['k1']}, b {TOKENS['b']} for 1.2, 0.75": {"lexical": TOKENS},
    "+ key words as second query": {"planned_query_weight": DEFAULT.planned_query_weight},
    "+ graph of entities, corrected spelling": {"graph_weight": DEFAULT.graph_weight, "spelling": DEFAULT.spelling},
    "+ second hop = default": {"hop_weight": DEFAULT.hop_weight},
    "not kept: + BM25 of whole documents, 0.15": {"document_weight": 0.15},
}
WHOLE = PLAIN | {"kinds": ("paragraph",)}
# What is published for SciFact: one text per abstract, and its own vector.
WHOLE_STEPS: Steps = {
    "only dense, abstracts alone": WHOLE | DENSE | {"paragraph_search_mode": "full"},
    "only BM25, abstracts alone": WHOLE | BM25,
}


def main() -> None:
    """Print the tables that are asked for, all by default."""
    parser = data_parser(__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    for name in options.tables or TABLES:
        TABLES[name](options.data, options.work)


def wattbot_table(data: Path, work: Path) -> None:
    """Document recall and evidence recall; the first row is KohakuRAG's, measured with its own code."""
    metrics = ("recall@1", "recall@5", "recall@10", "evidence@4000", "evidence@16000")
    published = {"KohakuRAG, top_k 16, combined": (0.692, 0.872, 0.872, 0.296, 0.479)}
    _print(wattbot(data), work, metrics, STEPS, published)


def scifact_table(data: Path, work: Path) -> None:
    """nDCG@10 and recall@100 on the claims that parameters are chosen on, and on the test claims."""
    published = {"BM25 (Lucene)": (0.679, 0.925), "BM25 (bm25s)": (0.687, 0.913), "all-MiniLM-L6-v2": (0.645, 0.925)}
    for split in ("train", "test"):
        steps = {**WHOLE_STEPS, **STEPS}
        _print(scifact(data, split), work, ("ndcg@10", "recall@100"), steps, published if split == "test" else {})


def multihop_tables(data: Path, work: Path) -> None:
    """Recall of the supporting paragraphs."""
    for collection in (hotpotqa(data), musique(data)):
        _print(collection, work, ("recall@2", "recall@5", "ndcg@10"), STEPS, {})


def chunking_table(data: Path, work: Path) -> None:
    """Recall, precision and IoU of the characters in the first five snippets, and in a context of the published size.

    The published row belongs to the latter: see chunking_spans.py.
    """
    published = {"1,200 characters, text-embedding-3-large": (None, None, None, 0.809, 0.177, None)}
    steps = {
        f"only snippets of {tokens} tokens": {"snippet_tokens": tokens, "context_tokens": 100 * tokens}
        for tokens in (100, 200, DEFAULT.snippet_tokens)
    }
    first_five = ("spans/recall", "spans/precision", "spans/iou")
    metrics = (*first_five, "published size/recall", "published size/iou", "evidence@4000")
    _print(chunking(data), work, metrics, steps, published)


def _print(
    collection: Collection,
    work: Path,
    metrics: Sequence[str],
    steps: Steps,
    published: Mapping[str, Sequence[float | None]],
) -> None:
    print(
        f"\n**{collection.name}**, {len(collection.questions)} questions, {collection.documents.num_rows:,} documents\n"
    )
    print("| step | " + " | ".join(metrics) + " |\n" + "|---" * (len(metrics) + 1) + "|")
    for name, values in published.items():
        print(f"| *{name}* | " + " | ".join("" if value is None else f"{value:.3f}" for value in values) + " |")
    before: pa.Table | None = None
    for name, step in _cumulative(steps):
        scores = evaluate(collection, work, step)
        means = {figure.metric: figure for figure in summarise(scores)}
        p_values = {} if before is None else {d.metric: d.p_value for d in compare_scores(before, scores)}
        cells = [figure_cell(means[metric], p_values.get(metric)) for metric in metrics]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        before = scores


def figure_cell(figure: Any, p_value: float | None = None) -> str:
    """Return a mean with its 95 % interval and the documents behind it, and p where there is one."""
    return f"{figure.mean:.3f} ({figure.interval.text()})" + ("" if p_value is None else f" p {p_value:.2f}")


def _cumulative(steps: Steps) -> Iterator[tuple[str, Step]]:
    values: dict[str, Any] = {}
    for name, changes in steps.items():
        values = dict(changes) if name.startswith("only") else values | dict(changes)
        yield name, values


def evaluate(collection: Collection, work: Path, step: Step) -> pa.Table:
    """Return the scores (RETRIEVAL_SCORES) of every question of `collection` under the settings of `step`."""
    retrieval = RetrievalSettings(**{name: value for name, value in step.items() if name not in {"lexical", "kinds"}})
    # The abstracts' own vectors are only made for the rows that search them.
    mode: Any = "averaged" if retrieval.paragraph_search_mode == "averaged" else "both"
    embedding = EmbeddingSettings(paragraph_mode=mode)
    settings = Settings(lexical=LexicalSettings(**step.get("lexical", {})), embedding=embedding)
    where = SearchFilter(kinds=step["kinds"]) if "kinds" in step else None
    retriever = Retriever(_index(collection, work, settings), retrieval, _query_vectors, where=where)
    max_queries = settings.planner.max_queries
    plans = [(name, plan_by_rule(text, max_queries)) for name, text in collection.questions.items()]
    return score_table(collection, retriever.retrieve(plans))


def score_table(collection: Collection, results: Iterable[RetrievalResult]) -> pa.Table:
    """Return the scores (RETRIEVAL_SCORES) of every question."""
    rows = [
        {"id": result.id, "metric": metric, "value": value, "cluster": collection.cluster(result.id)}
        for result in results
        for metric, value in question_scores(collection, result).items()
    ]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES)


def question_scores(collection: Collection, result: RetrievalResult) -> dict[str, float]:
    """Return what is measured for one question."""
    gains = {document.lower(): 1.0 for document in collection.relevant[result.id]}
    ranked = list(dict.fromkeys(match.document_id.lower() for match in result.matches))
    judgement, retrieved = Judgement(result.id, "", gains), RankedContext(ranked, None)
    scores = {f"recall@{k}": score_recall(judgement, retrieved, k) for k in (1, 2, 5, 10, 100)}
    scores |= {"mrr": score_reciprocal_rank(judgement, retrieved), "ndcg@10": score_ndcg(judgement, retrieved, 10)}
    truth = collection.truth.get(result.id, {})
    texts = [snippet.text for snippet in result.snippets]
    if truth and is_quoted(truth):
        for budget in (4000, 16000):
            scores[f"evidence@{budget}"] = evidence_recall(truth["supporting_materials"], texts, budget) or 0.0
    if "references" in truth:
        scores |= span_scores(marked_spans(truth), texts[:5]) | at_published_size(truth, texts)
    return scores


_INDEXES: dict[str, Snapshot] = {}
_VECTORS: dict[str, np.ndarray] = {}


def _index(collection: Collection, work: Path, settings: Settings) -> Snapshot:
    key = f"{collection.name} {settings.lexical} {settings.embedding.paragraph_mode}"
    if key not in _INDEXES:
        _INDEXES[key] = build_index(collection.documents, work, settings)
    return _INDEXES[key]


def _query_vectors(texts: Sequence[str]) -> np.ndarray:
    missing = [text for text in texts if text not in _VECTORS]
    if missing:
        _VECTORS.update(zip(missing, embed_queries(missing, Settings().embedding), strict=True))
    return np.array([_VECTORS[text] for text in texts])


TABLES: dict[str, Callable[[Path, Path], None]] = {
    "wattbot": wattbot_table,
    "scifact": scifact_table,
    "multihop": multihop_tables,
    "chunking": chunking_table,
}

if __name__ == "__main__":
    main()
