"""How many characters of the marked spans a context holds, and the pieces of fixed length that are published.

    python benchmarks/chunking_spans.py [--data FOLDER] [--work FOLDER]

The published row of chunking-evaluation is for pieces of 1,200 characters. Its IoU of 0.177 cannot come from five of
them: five would give 0.047 at most, as many as hold the spans (1.33 in the mean) 0.176. So rows are comparable where a
context is cut to as many characters as those pieces have, 1,602 in the mean. Printed are these pieces with our own
embedding model, and the default settings cut to that size, in one run.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from retrieval_collections import Collection, build_index, chunking
from shared_data import data_parser

from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, embed_queries, embed_texts, model_key
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import RetrievalSettings, Settings
from kohaku_lib.storage import RowCache

PIECE, LEAST_END = 1200, 20  # characters
Truth = Mapping[str, str]


def span_scores(spans: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Return recall, precision and intersection over union of characters other than white space.

    A character of a span is found where the span's text, or one of its ends of 20 characters or more, stands in a text.

    >>> span_scores(["the cat sleeps"], ["A cat. the cat sleeps now."])["spans/recall"]
    1.0
    """
    wanted, held = (["".join(one.split()) for one in some] for some in (spans, texts))
    found = sum(_found(span, held) for span in wanted)
    total, retrieved = sum(map(len, wanted)), sum(map(len, held))
    union = total + retrieved - found
    return {
        "spans/recall": found / total,
        "spans/precision": found / retrieved if retrieved else 0.0,
        "spans/iou": found / union if union else 0.0,
    }


def at_published_size(truth: Truth, texts: Sequence[str]) -> dict[str, float]:
    """Return recall and IoU of `texts` cut to the characters of the pieces of 1,200 that hold the spans of `truth`."""
    scores = span_scores(marked_spans(truth), list(_cut(texts, PIECE * pieces_that_hold(truth))))
    return {"published size/recall": scores["spans/recall"], "published size/iou": scores["spans/iou"]}


def marked_spans(truth: Truth) -> list[str]:
    """Return the texts of the spans that answer a question."""
    return [span["content"] for span in json.loads(truth["references"])]


def pieces_that_hold(truth: Truth) -> int:
    """Return how many of the consecutive pieces of 1,200 characters hold a part of a span."""
    spans = json.loads(truth["references"])
    return len(
        {piece for span in spans for piece in range(span["start_index"] // PIECE, (span["end_index"] - 1) // PIECE + 1)}
    )


def _cut(texts: Sequence[str], budget: int) -> Iterator[str]:
    """Yield the first `budget` characters of `texts`."""
    for text in texts:
        if budget <= 0:
            return
        yield text[:budget]
        budget -= len(text)


def _found(span: str, texts: Sequence[str]) -> int:
    """Return how many characters of `span` stand in any of `texts`."""
    covered = np.zeros(len(span), bool)
    for text in texts:
        covered[_held(span, text)] = True
    return int(covered.sum())


def _held(span: str, text: str) -> slice:
    """Return which part of `span` stands in `text`: all of it, or its beginning at the end of the text, or reversed."""
    if span in text:
        return slice(0, len(span))
    if text and text in span:
        return slice(span.index(text), span.index(text) + len(text))
    for length in range(min(len(span), len(text)), LEAST_END - 1, -1):
        if text.endswith(span[:length]):
            return slice(0, length)
        if text.startswith(span[-length:]):
            return slice(len(span) - length, len(span))
    return slice(0, 0)


def fixed_pieces(collection: Collection, data: Path, work: Path) -> dict[str, list[str]]:
    """Return for each question the pieces of 1,200 characters nearest to it by cosine, as many as hold its spans."""
    files = sorted((data / "chunking-evaluation" / "corpora").glob("*.md"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    pieces = [text[at : at + PIECE] for text in texts for at in range(0, len(text), PIECE)]
    settings = Settings().embedding
    with RowCache(work / "vectors" / model_key(settings), EMBEDDING_CACHE_SCHEMA) as cache:
        vectors = embed_texts(pieces, settings, cache)
    nearest = np.argsort(-embed_queries(list(collection.questions.values()), settings) @ vectors.T, axis=1)
    counts = [pieces_that_hold(collection.truth[name]) for name in collection.questions]
    return {
        name: [pieces[at] for at in row[:count]]
        for name, row, count in zip(collection.questions, nearest, counts, strict=True)
    }


def snippet_texts(collection: Collection, work: Path, retrieval: RetrievalSettings) -> dict[str, list[str]]:
    """Return for each question the snippets of its context."""
    settings = Settings()
    snapshot = build_index(collection.documents, work, settings)
    retriever = Retriever(snapshot, retrieval, partial(embed_queries, settings=settings.embedding))
    plans = [(name, plan_by_rule(text, settings.planner.max_queries)) for name, text in collection.questions.items()]
    return {result.id: [snippet.text for snippet in result.snippets] for result in retriever.retrieve(plans)}


def main() -> None:
    """Print the rows that retrieve as many characters."""
    parser = data_parser(__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-retrieval")
    options = parser.parse_args()
    data = options.data
    collection = chunking(data)
    print("| as many characters as the pieces that hold the spans | recall | IoU |\n|---|---|---|")
    print("| *pieces of 1,200 characters, text-embedding-3-large, published* | 0.809 | 0.177 |")
    _print("pieces of 1,200 characters, all-MiniLM-L6-v2", collection, fixed_pieces(collection, data, options.work))
    for tokens in (RetrievalSettings().snippet_tokens, 200, 100, 50):
        found = snippet_texts(collection, options.work, RetrievalSettings(snippet_tokens=tokens))
        _print(f"ours, snippets of up to {tokens} tokens", collection, found)


def _print(name: str, collection: Collection, texts: Mapping[str, Sequence[str]]) -> None:
    rows = [at_published_size(collection.truth[key], found) for key, found in texts.items()]
    recall, iou = (np.mean([row[f"published size/{metric}"] for row in rows]) for metric in ("recall", "iou"))
    print(f"| {name} | {recall:.3f} | {iou:.3f} |", flush=True)


if __name__ == "__main__":
    main()
