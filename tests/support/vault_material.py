"""A file as KohakuRAG writes it: node records under their ids, vectors that carry node ids, images by key."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

TEXTS = {
    "cats": ("document", None, "Cats"),
    "cats:sec1": ("section", "cats", "Page 1"),
    "cats:sec1:p1": ("paragraph", "cats:sec1", "Cats sleep for 15 hours. A cat purrs at 25 hertz."),
    "cats:sec1:p1:s1": ("sentence", "cats:sec1:p1", "Cats sleep for 15 hours."),
    "cats:sec1:p1:s2": ("sentence", "cats:sec1:p1", "A cat purrs at 25 hertz."),
    "cats:sec1:p2": ("paragraph", "cats:sec1", "Kittens drink milk."),
    "cats:sec1:p2:s1": ("sentence", "cats:sec1:p2", "Kittens drink milk."),
    "cats:sec1:p10": ("paragraph", "cats:sec1", "Old cats sleep more."),
    "cats:sec1:p10:s1": ("sentence", "cats:sec1:p10", "Old cats sleep more."),
    "dogs": ("document", None, "Dogs"),
    "dogs:sec1": ("section", "dogs", "Page 1"),
    "dogs:sec1:p1": ("paragraph", "dogs:sec1", "Dogs bark."),
    "dogs:sec1:p1:s1": ("sentence", "dogs:sec1:p1", "Dogs bark."),
}


def record(node_id: str) -> dict[str, Any]:
    """Return the stored record of one node."""
    kind, parent, text = TEXTS[node_id]
    metadata: dict[str, Any] = (
        {"document_id": node_id.split(":", maxsplit=1)[0], "page": 1} if parent else {"year": "2024"}
    )
    children = [other for other, (_, its_parent, _) in TEXTS.items() if its_parent == node_id]
    return {
        "node_id": node_id,
        "kind": kind,
        "title": text if kind in ("document", "section") else "",
        "text": text,
        "metadata": metadata,
        "parent_id": parent,
        "child_ids": children,
    }


def webp() -> bytes:
    """Return a small WebP image."""
    target = io.BytesIO()
    Image.new("RGB", (60, 50), "red").save(target, "WEBP")
    return target.getvalue()


def write_vault(
    path: Path, embed: Callable[[Sequence[str]], np.ndarray], prefix: str = "rag_nodes", full: bool = True
) -> None:
    """Write TEXTS as an index of KohakuRAG's, with twice the length of the vectors of `embed`, and one image."""
    from kohakuvault import KVault, VectorKVault

    vectors = embed([text for _, _, text in TEXTS.values()]) * 2
    dim = vectors.shape[1]
    with KVault(str(path), table=f"{prefix}_kv") as nodes, KVault(str(path), table="image_blobs") as images:
        for node_id in TEXTS:
            nodes[node_id] = record(node_id)
        images["img:cats:p1:i1"] = webp()
        images["img:cats:p1:i2"] = b"no image"
    for ending, kinds in (("_vec", None), *((("_para_full_vec", ("paragraph",)),) if full else ())):
        with VectorKVault(str(path), table=prefix + ending, dimensions=dim, metric="cosine") as table:
            for (node_id, (kind, _, _)), vector in zip(TEXTS.items(), vectors, strict=True):
                if kinds is None or kind in kinds:
                    table.insert(vector, node_id)
    with VectorKVault(str(path), table=f"{prefix}_images_vec", dimensions=dim, metric="cosine") as table:
        table.insert(vectors[0], "img:cats:p1:i1")
