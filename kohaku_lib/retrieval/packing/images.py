"""Figures for a context: those next to its snippets, and those found by search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc

from kohaku_lib.index import Snapshot
from kohaku_lib.tables import ImageMatch
from kohaku_lib.tree.figure_keys import figure_key

CAPTIONED = "image_caption"
MODALITIES = ("image", CAPTIONED)


class ImageFinder:
    """The figures of documents with an `allowed` row (searched)."""

    def __init__(self, snapshot: Snapshot, allowed: np.ndarray | None = None) -> None:
        self._snapshot, self._allowed = snapshot, allowed

    def beside(self, rows: Sequence[int]) -> list[ImageMatch]:
        """Return the captioned figures of the sections of the nodes at `rows`, each section once, in order."""
        sections = dict.fromkeys(section for row in rows for section in self._sections_above(row))
        figures = [row for section in sections for row in self._figures_by_section.get(section, ())]
        return [
            self._image_match(row) for row in figures if self._modality_by_row[row] == CAPTIONED and self._is_open(row)
        ]

    def search(self, vectors: np.ndarray, top_k: int) -> list[ImageMatch]:
        """Return the `top_k` figures with the largest cosine to any of `vectors` (queries, dim), best first.

        Equal cosines keep the order of the index. Zero vectors are never returned.
        """
        space = self._snapshot.space_rows("image")
        keys = space.column("node_id").to_pylist()
        rows = np.array([self._row_by_key.get(key, -1) for key in keys], np.int64)
        usable = np.array([bool(ok) for ok in space.column("norm_ok").to_pylist()], bool)
        usable &= np.array([row >= 0 and self._is_open(row) for row in rows.tolist()], bool)
        usable_at = np.flatnonzero(usable)
        if not len(usable_at) or not len(vectors):
            return []
        scores = (vectors @ self._snapshot.vectors("image")[usable_at].T).max(axis=0)
        best = np.argsort(-scores, kind="stable")[:top_k]
        return [self._image_match(int(rows[usable_at[at]]), float(scores[at])) for at in best]

    def _sections_above(self, row: int) -> list[int]:
        above = [row, *self._snapshot.parents(row, 3)]
        return [node for node in above if self._snapshot.kind(node) == "section"]

    def _image_match(self, row: int, score: float | None = None) -> ImageMatch:
        node = self._figure_nodes[row]
        caption = node["text"] if node["modality"] == CAPTIONED else ""
        return ImageMatch(
            self._key_by_row[row], node["document_id"], node["page"], caption, score, searched=score is not None
        )

    def _is_open(self, row: int) -> bool:
        return self._open_documents is None or self._figure_nodes[row]["document_id"] in self._open_documents

    @cached_property
    def _open_documents(self) -> frozenset[str] | None:
        if self._allowed is None:
            return None
        rows = self._snapshot.search_rows[self._allowed]
        return frozenset(self._snapshot.column("document_id", rows))

    @cached_property
    def _figure_nodes(self) -> dict[int, dict[str, Any]]:
        nodes = self._snapshot.nodes
        is_figure = np.logical_or.reduce([_equals_column(nodes, "modality", value) for value in MODALITIES])
        at = np.flatnonzero(is_figure & _equals_column(nodes, "kind", "paragraph"))
        columns = ["document_id", "parent_row", "page", "text", "modality", "metadata_json"]
        return dict(zip(at.tolist(), nodes.select(columns).take(at).to_pylist(), strict=True))

    @cached_property
    def _modality_by_row(self) -> dict[int, str]:
        return {row: node["modality"] for row, node in self._figure_nodes.items()}

    @cached_property
    def _figures_by_section(self) -> dict[int, list[int]]:
        rows_by_section: dict[int, list[int]] = {}
        for row, node in self._figure_nodes.items():
            rows_by_section.setdefault(node["parent_row"], []).append(row)
        return rows_by_section

    @cached_property
    def _key_by_row(self) -> dict[int, str]:
        return {
            row: figure_key(node["document_id"], json.loads(node["metadata_json"]))
            for row, node in self._figure_nodes.items()
        }

    @cached_property
    def _row_by_key(self) -> dict[str, int]:
        return {key: row for row, key in self._key_by_row.items() if key}


def _equals_column(nodes: Any, column: str, value: str) -> np.ndarray:
    return np.asarray(pc.call_function("equal", [nodes.column(column), value]).to_numpy(), bool)
