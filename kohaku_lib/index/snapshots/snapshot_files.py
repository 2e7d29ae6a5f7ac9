"""File names of a snapshot, and syncing files and folders to disk."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kohaku_lib.errors import StoreError

DATABASE, META, LEXICAL_FOLDER, GRAPH_FOLDER, CURRENT = "index.duckdb", "meta.json", "lexical", "graph", "current"
NODES_FILE, DOCUMENTS_FILE = "nodes.arrow", "documents.arrow"
RAPTOR_FOLDER, LATE_FOLDER, LIGHTRAG_FOLDER = "raptor", "late", "lightrag"  # of optional engines
SUGGESTED_FILE = "suggested_questions.arrow"  # written once the version is published, apart from the sealed files
SPACES = ("main", "para_full", "image")  # of vectors: of all nodes, of whole paragraphs, of images
PIN = "pinned"
PARTIAL_PREFIX = ".partial-"

_VERSION = re.compile(r"(?!(?:current|pinned)$)[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


def is_version(name: str) -> bool:
    """Return whether `name` is a valid name of an index version."""
    return _VERSION.fullmatch(name) is not None


def check_version(index_version: str) -> None:
    """Raise StoreError unless `index_version` is a plain name for a folder.

    >>> check_version("2f1c")
    """
    if not is_version(index_version):
        msg = f"an index version is a name of letters, digits, '.', '_' and '-', got {index_version!r}; choose another"
        raise StoreError(msg)


def matrix_path(folder: Path, space: str) -> Path:
    """Return the file of the vectors of a space, float32."""
    return folder / f"vectors.{space}.npy"


def rows_path(folder: Path, space: str) -> Path:
    """Return the file of the node ids of the vectors of a space."""
    return folder / f"vectors.{space}.arrow"


def scan_path(folder: Path, space: str, kind: str) -> Path:
    """Return the file of a quantised copy of the vectors of a space, or of their scales."""
    return folder / f"vectors.{space}.{kind}.npy"


def graph_path(folder: Path, kind: str, ann: str) -> Path:
    """Return the file of the ANN graph over one kind of searched nodes."""
    return folder / f"vectors.main.{kind}.{ann}"


def sync_tree(folder: Path) -> None:
    """Sync `folder` and everything below it to disk."""
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)


def sync(path: Path) -> None:
    """Sync one file or folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
