"""Figures for small indexes: nodes with captions, and the vectors of those."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from index_material import LIBRARY, WORDS, Tree, nodes_table, word_vectors

from kohaku_lib.tables import NODES, vector_schema

Captions = Mapping[str, tuple[str, str, str]]  # storage key to section, text and modality

CAPTIONS: Captions = {
    "img:cats:p1:i1": ("cats:sec1", "Cats sleep by hour", "image_caption"),
    "img:cats:p2:i1": ("cats:sec2", "Old cats and shoe", "image_caption"),
    "img:dogs:p1:i1": ("dogs:sec1", "Puppies and shoes", "image_caption"),
    "img:dogs:p1:i2": ("dogs:sec1", "[Image page=1 idx=2]", "image"),  # nobody described it
}


def with_figures(tree: Tree = LIBRARY, captions: Captions = CAPTIONS) -> pa.Table:
    """Return NODES of a tree with a paragraph for each figure at the end of its section, without sentences."""
    rows = nodes_table(tree).to_pylist()
    for number, (key, (section, caption, modality)) in enumerate(captions.items()):
        parent = next(row for row in rows if row["node_id"] == section)
        page, index = key.split(":")[-2:]
        metadata = {"page": int(page[1:]), "image_index": int(index[1:])}
        rows.append(
            parent
            | {
                "node_id": f"{section}:p{number + 7}",
                "parent_id": section,
                "parent_row": rows.index(parent),
                "kind": "paragraph",
                "text": caption,
                "page": metadata["page"],
                "modality": modality,
                "searchable": False,
                "metadata_json": json.dumps(metadata),
            }
        )
    return pa.Table.from_pylist(rows, schema=NODES)


def image_vectors(captions: Captions = CAPTIONS, norm_ok: bool = True) -> pa.Table:
    """Return the word vectors of the captions, by storage key."""
    vectors = word_vectors([caption for _, caption, _ in captions.values()])
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), len(WORDS))
    flags = pa.array([norm_ok and bool(np.any(vector)) for vector in vectors])
    return pa.table([pa.array(list(captions)), column, flags], schema=vector_schema(len(WORDS)))
