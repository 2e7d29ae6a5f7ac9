"""Small indexes for the tests: real nodes and real files, with vectors that count words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding import propagate
from kohaku_lib.index import IndexTables, Snapshot, build_lexical, extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.settings import GraphSettings, Settings
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS, MENTIONS, NODES, vector_schema

Tree = Mapping[str, Sequence[Sequence[Sequence[str]]]]  # document id to sections of paragraphs of sentences

LIBRARY: Tree = {
    "cats": [
        [["Cats sleep for 15 hours.", "A cat purrs at 25 hertz."], ["Kittens drink milk."]],
        [["Old cats sleep more."]],
    ],
    "dogs": [[["Dogs bark.", "A dog sleeps for 12 hours."], ["Puppies chew shoes.", "Shoes are leather."]]],
}
WORDS = ("cat", "dog", "sleep", "hour", "purr", "kitten", "milk", "bark", "puppi", "shoe", "leather", "chew")


def word_vectors(texts: Sequence[str]) -> np.ndarray:
    """Return one dimension per known word, normalised; zeros for a text that has none of them."""
    counts = np.array([[len(re.findall(word, text.lower())) for word in WORDS] for text in texts], np.float32)
    counts = counts.reshape(len(texts), len(WORDS))
    norms = np.linalg.norm(counts, axis=1, keepdims=True)
    return np.divide(counts, norms, out=np.zeros_like(counts), where=norms > 0)


def nodes_table(tree: Tree, separator: str = " ") -> pa.Table:
    """Return NODES of a tree; the page of a node is the number of its section, `separator` stands between sentences."""
    rows: list[dict[str, Any]] = []
    for document_id, sections in tree.items():
        root = _add(rows, document_id, document_id, -1, "document", document_id, None)
        for s, paragraphs in enumerate(sections, 1):
            text = "\n".join(" ".join(sentences) for sentences in paragraphs)
            section = _add(rows, f"{document_id}:sec{s}", document_id, root, "section", text, s)
            for p, sentences in enumerate(paragraphs, 1):
                node_id = f"{document_id}:sec{s}:p{p}"
                paragraph = _add(rows, node_id, document_id, section, "paragraph", separator.join(sentences), s)
                start = 0
                for n, sentence in enumerate(sentences, 1):
                    row = _add(rows, f"{node_id}:s{n}", document_id, paragraph, "sentence", sentence, s)
                    rows[row] |= {"char_start": start, "char_end": start + len(sentence)}
                    start += len(sentence) + len(separator)
    return pa.Table.from_pylist(rows, schema=NODES)


def index_tables(tree: Tree = LIBRARY, settings: Settings | None = None) -> IndexTables:
    """Return the tables of an index of `tree`, without images, mentions or direct paragraph vectors."""
    settings = settings or Settings()
    nodes = nodes_table(tree)
    leaves = vectors_table(nodes.filter(pa.compute.equal(nodes.column("kind"), "sentence")))
    nothing = vector_schema(len(WORDS)).empty_table()
    return IndexTables(
        documents=documents_table(tree),
        nodes=nodes,
        node_vectors=propagate(nodes, leaves, nothing, settings.embedding)[0],
        paragraph_vectors=nothing,
        lexical=build_lexical(nodes, settings.lexical)[0],
        mentions=MENTIONS.empty_table(),
        images=DOCUMENT_IMAGES.empty_table(),
        image_vectors=nothing,
    )


def vectors_table(nodes: pa.Table) -> pa.Table:
    """Return the word vectors of nodes by their own text."""
    vectors = word_vectors(nodes.column("text").to_pylist())
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), len(WORDS))
    norm_ok = pa.array(np.any(vectors != 0, axis=1))
    return pa.table([nodes.column("node_id"), column, norm_ok], schema=vector_schema(len(WORDS)))


def small_snapshot(folder: Path, tree: Tree = LIBRARY, version: str = "v1", **tables: pa.Table) -> Snapshot:
    """Write and open an index of `tree`; `tables` replace those of `index_tables`."""
    settings = Settings()
    write_snapshot(folder, version, replace(index_tables(tree, settings), **tables), settings, now=lambda: NOON)
    return open_snapshot(folder, version)


def graph_snapshot(folder: Path, tree: Tree) -> Snapshot:
    """Write and open an index of `tree` with the mentions that the rules find in it."""
    mentions, _ = extract_mentions(nodes_table(tree), GraphSettings())
    return small_snapshot(folder, tree, mentions=mentions)


NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def documents_table(tree: Tree) -> pa.Table:
    rows = [
        {
            "document_id": document_id,
            "org_id": "default",
            "path": f"{document_id}.md",
            "sha256": text_sha256(document_id),
            "mime_type": "text/markdown",
            "title": document_id.title(),
            "pages": None,
            "status": "parsed",
            "error": None,
            "metadata_json": json.dumps({"url": f"https://example.org/{document_id}"}),
            "payload_json": None,
        }
        for document_id in tree
    ]
    return pa.Table.from_pylist(rows, schema=DOCUMENTS)


def _add(
    rows: list[dict[str, Any]], node_id: str, document_id: str, parent: int, kind: str, text: str, page: int | None
) -> int:
    rows.append(
        {
            "node_id": node_id,
            "org_id": "default",
            "document_id": document_id,
            "parent_id": rows[parent]["node_id"] if parent >= 0 else None,
            "parent_row": parent,
            "kind": kind,
            "ordinal": sum(row["parent_row"] == parent for row in rows),
            "title": document_id.title(),
            "text": text,
            "content_sha256": text_sha256(text),
            "page": page,
            "modality": "text",
            "content_type": "body",
            "searchable": kind in ("sentence", "paragraph"),
            "token_count": max(len(text) // 4, 1),
            "metadata_json": "{}",
        }
    )
    return len(rows) - 1
