"""The collections that retrieval is measured on, each as documents, questions and what is relevant to them.

Used by the other retrieval benchmarks; run alone it prints how large each collection is:

    python benchmarks/retrieval_collections.py [--data FOLDER]
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from shared_data import data_parser

from kohaku_lib.digests import digest, text_sha256
from kohaku_lib.documents import list_sources, parse_documents
from kohaku_lib.embedding import (
    EMBEDDING_CACHE_SCHEMA,
    embed_leaf_tokens,
    embed_leaves,
    embed_paragraphs,
    embed_texts,
    model_key,
    propagate,
)
from kohaku_lib.evaluation.metrics.evidence import cluster_of, gold_documents
from kohaku_lib.index import IndexTables, Snapshot, build_lexical, extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.lightrag import find_themes
from kohaku_lib.index.raptor import summarise_nodes, summary_leaves
from kohaku_lib.index.snapshots.arrow_files import map_table, write_table
from kohaku_lib.index.summaries import ExtractiveSummariser
from kohaku_lib.settings import CorpusSettings, Settings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS, IMAGE_CAPTIONS, vector_schema
from kohaku_lib.tree import build_tree

UNSPACED = ("zh", "ja", "th")
XQUAD = ("th", "ar", "es", "ru", "hi")


@dataclass(frozen=True)
class Collection:
    """Documents (DOCUMENTS), the questions by id, and the relevant documents of each question."""

    name: str
    documents: pa.Table
    questions: Mapping[str, str]
    relevant: Mapping[str, frozenset[str]]
    truth: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # rows with quotes, where there are any

    def cluster(self, question: str) -> str:
        """Return the document that other questions may be about too: the first by truth, else by id."""
        return cluster_of(self.truth.get(question, {})) or min(self.relevant[question])


def wattbot(data: Path) -> Collection:
    """Return the 32 papers and the labelled questions whose truth names documents."""
    folder = data / "wattbot"
    corpus = CorpusSettings(documents=folder / "corpus", metadata=folder / "metadata.csv")
    sources, _ = list_sources(corpus)
    documents, _ = parse_documents(sources, corpus, Settings().documents)
    with (folder / "train_QA.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["id"]: row for row in csv.DictReader(stream)}
    relevant = {name: frozenset(gold_documents(row)) for name, row in rows.items() if gold_documents(row)}
    questions = {name: rows[name]["question"] for name in relevant}
    return Collection("WattBot", documents, questions, relevant, {name: rows[name] for name in relevant})


def scifact(data: Path, split: str) -> Collection:
    """Return the 5,183 abstracts and the claims of a split, train or test."""
    folder = data / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        documents = documents_table((row["_id"], row["title"], row["text"]) for row in map(json.loads, stream))
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as stream:
        pairs = [(row["query-id"], row["corpus-id"]) for row in csv.DictReader(stream, delimiter="\t")]
    texts = {str(row["_id"]): row["text"] for row in _lines(folder / "queries.jsonl")}
    relevant = _grouped(pairs)
    return Collection(f"SciFact {split}", documents, {name: texts[name] for name in relevant}, relevant)


def hotpotqa(data: Path) -> Collection:
    """Return 200 questions over their pooled paragraphs; relevant are the titles of the supporting ones."""
    rows = list(_lines(data / "multihop-hotpotqa" / "hotpotqa_dev_200.jsonl"))
    texts = {title: " ".join(sentences) for row in rows for title, sentences in row["context"]}
    ids = {title: f"h{number}" for number, title in enumerate(texts)}
    relevant = _grouped((row["_id"], ids[title]) for row in rows for title, _ in row["supporting_facts"])
    documents = documents_table((ids[title], title, text) for title, text in texts.items())
    return Collection("HotpotQA", documents, {row["_id"]: row["question"] for row in rows}, relevant)


def musique(data: Path) -> Collection:
    """Return 100 questions of two to four hops over 1,890 passages; relevant are the supporting ones."""
    folder = data / "multihop-musique-train"
    passages = json.loads((folder / "musique_train_corpus.json").read_text(encoding="utf-8"))
    rows = json.loads((folder / "musique_train.json").read_text(encoding="utf-8"))
    ids = {(passage["title"], passage["text"]): f"m{number}" for number, passage in enumerate(passages)}
    supporting = [
        (row["id"], ids[passage["title"], passage["paragraph_text"]])
        for row in rows
        for passage in row["paragraphs"]
        if passage["is_supporting"]
    ]
    documents = documents_table((name, title, text) for (title, text), name in ids.items())
    return Collection("MuSiQue", documents, {row["id"]: row["question"] for row in rows}, _grouped(supporting))


def chunking(data: Path) -> Collection:
    """Return 472 questions over five long texts; the quotes of a question are the passages that answer it."""
    folder = data / "chunking-evaluation"
    corpus = CorpusSettings(documents=folder / "corpora")
    documents, _ = parse_documents(list_sources(corpus)[0], corpus, Settings().documents)
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as stream:
        rows = {f"c{number}": row for number, row in enumerate(csv.DictReader(stream))}
    truth = {
        name: {
            "Quote": "1",
            "ref_id": row["corpus_id"],
            "supporting_materials": "\n".join(span["content"] for span in json.loads(row["references"])),
            "references": row["references"],
        }
        for name, row in rows.items()
    }
    relevant = {name: frozenset([row["corpus_id"]]) for name, row in rows.items()}
    return Collection("chunking", documents, {name: row["question"] for name, row in rows.items()}, relevant, truth)


def unspaced(language: str, reworded: bool = False) -> Collection:
    """Return 60 short texts in zh, ja or th and two questions about each: one in its words, one in others.

    With `reworded` there are only the latter.
    """
    rows = list(_lines(Path(__file__).with_name("unspaced") / f"{language}.jsonl"))
    asked = [(f"{row['id']}/{number}", row["id"], text) for row in rows for number, text in enumerate(row["questions"])]
    documents = documents_table((row["id"], row["title"], row["text"]) for row in rows)
    asked = asked[1::2] if reworded else asked
    questions = {name: text for name, _, text in asked}
    name = f"unspaced {language}" + (", reworded" if reworded else "")
    return Collection(name, documents, questions, _grouped((question, row) for question, row, _ in asked))


def xquad(data: Path, language: str) -> Collection:
    """Return the 240 paragraphs of XQuAD in ar, es, hi, ru or th, and 1,190 questions about one paragraph each.

    The titles of its articles, which are English in every language, are left out.
    """
    with gzip.open(data / "xquad" / f"xquad.{language}.json.gz", "rt", encoding="utf-8") as stream:
        articles = json.load(stream)["data"]
    paragraphs = {
        f"x{number}": row for number, row in enumerate(row for part in articles for row in part["paragraphs"])
    }
    asked = [(row["id"], name, row["question"]) for name, paragraph in paragraphs.items() for row in paragraph["qas"]]
    # some paragraphs open with a byte order mark
    documents = documents_table((name, "", row["context"].strip("\ufeff")) for name, row in paragraphs.items())
    questions = {question: text for question, _, text in asked}
    relevant = _grouped((question, name) for question, name, _ in asked)
    return Collection(f"XQuAD {language}", documents, questions, relevant)


def documents_table(rows: Iterable[tuple[str, str, str]]) -> pa.Table:
    """Return DOCUMENTS of (id, title, text), each a single paragraph that opens with its title, if it has one."""
    fixed = {"org_id": "default", "mime_type": "application/json", "status": "parsed", "metadata_json": "{}"}
    return pa.Table.from_pylist(
        [
            fixed
            | {
                "document_id": str(name),
                "path": str(name),
                "sha256": text_sha256(text),
                "title": title,
                "payload_json": json.dumps(
                    _payload(str(name), title, f"{title.rstrip('. ')}. {text}" if title else text)
                ),
            }
            for name, title, text in rows
        ],
        schema=DOCUMENTS,
    )


def build_index(documents: pa.Table, folder: Path, settings: Settings) -> Snapshot:
    """Return the snapshot of `documents`, built beneath `folder` unless it lies there; vectors are kept there too."""
    nodes, _ = build_tree(documents, IMAGE_CAPTIONS.empty_table(), settings.tree)
    kinds = (settings.tree, settings.embedding, settings.lexical, settings.vectors)
    lexical, _ = build_lexical(nodes, settings.lexical)
    hashes = nodes.column("content_sha256").to_pylist(), lexical.column("tokens").to_pylist()
    mentions, _ = extract_mentions(nodes, settings.graph)
    entities = [mentions.column(name).to_pylist() for name in ("entity_id", "char_start")]
    engines = [part.model_dump() for part in (settings.raptor, settings.late, settings.lightrag) if part.enabled]
    version = digest([[part.model_dump() for part in kinds], *hashes, *entities, *engines])[:16]
    if not (folder / "snapshots" / version).exists():
        empty = vector_schema(384).empty_table()
        with RowCache(folder / "vectors" / model_key(settings.embedding), EMBEDDING_CACHE_SCHEMA) as cache:
            leaves, _ = embed_leaves(nodes, settings.embedding, cache)
            direct, _ = embed_paragraphs(nodes, settings.embedding, cache)
            vectors, _ = propagate(nodes, leaves, direct, settings.embedding)
            engine_tables = _engine_tables(nodes, vectors, mentions, settings, cache, folder)
        images = DOCUMENT_IMAGES.empty_table()
        tables = IndexTables(documents, nodes, vectors, direct, lexical, mentions, images, empty, **engine_tables)
        write_snapshot(folder / "snapshots", version, tables, settings)
    return open_snapshot(folder / "snapshots", version)


def _engine_tables(
    nodes: pa.Table, vectors: pa.Table, mentions: pa.Table, settings: Settings, cache: RowCache, folder: Path
) -> dict[str, pa.Table]:
    """Return the tables of the optional engines that are on, built without a chat model."""
    embed = partial(embed_texts, settings=settings.embedding, cache=cache)
    tables: dict[str, pa.Table] = {}
    if settings.raptor.enabled:
        summariser = ExtractiveSummariser(settings.raptor.summary_tokens)
        tables["summaries"], _ = summarise_nodes(nodes, vectors, settings.raptor, summariser, embed)
        tables["summary_leaves"], _ = summary_leaves(tables["summaries"])
    if settings.lightrag.enabled:
        summariser = ExtractiveSummariser(settings.lightrag.summary_tokens)
        tables["themes"], _ = find_themes(nodes, vectors, mentions, settings.lightrag, summariser, embed)
    if settings.late.enabled:
        path = folder / "tokens" / f"{digest(nodes.column('content_sha256').to_pylist())[:16]}.arrow"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_table(path, embed_leaf_tokens(nodes, settings.embedding)[0])
        tables["tokens"] = map_table(path)
    return tables


def _payload(name: str, title: str, text: str) -> dict[str, Any]:
    section = {"title": title, "paragraphs": [{"text": text, "sentences": None, "metadata": {}}], "metadata": {}}
    return {"document_id": name, "title": title, "text": text, "metadata": {}, "sections": [section]}


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, document in pairs:
        found.setdefault(name, set()).add(document)
    return {name: frozenset(documents) for name, documents in found.items()}


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def main() -> None:
    """Print the size of every collection."""
    parser = data_parser(__doc__)
    data = parser.parse_args().data
    print("| collection | documents | questions | relevant per question |\n|---|---|---|---|")
    split = [scifact(data, name) for name in ("train", "test")]
    languages = [*(unspaced(name) for name in UNSPACED), *(xquad(data, name) for name in XQUAD)]
    for found in (wattbot(data), *split, hotpotqa(data), musique(data), chunking(data), *languages):
        mean = np.mean([len(documents) for documents in found.relevant.values()])
        print(f"| {found.name} | {found.documents.num_rows:,} | {len(found.questions):,} | {mean:.2f} |")


if __name__ == "__main__":
    main()
