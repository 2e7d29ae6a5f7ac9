"""Import of an index by KohakuRAG as index tables."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import file_sha256
from kohaku_lib.embedding.vectors import normalized, vector_table
from kohaku_lib.errors import InputFileError
from kohaku_lib.index.bm25.tokenising import build_lexical
from kohaku_lib.index.graph import extract_mentions
from kohaku_lib.index.kohakuvault.vault_file import VaultFile, VaultVectors, as_text
from kohaku_lib.index.kohakuvault.vault_nodes import vault_nodes
from kohaku_lib.index.snapshots.snapshot_writing import IndexTables
from kohaku_lib.settings import Settings
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS

NODES_TABLE, VECTORS_TABLE, FULL_TABLE, IMAGES_TABLE = "_kv", "_vec", "_para_full_vec", "_images_vec"
IMAGE_BLOBS = "image_blobs"
_IMAGE_KEY = re.compile(r"img:(?P<document>.+):p(?P<page>\d+):i(?P<idx>\d+)")


@dataclass(frozen=True, slots=True)
class VaultIndex:
    """An imported index, and the problems of the import."""

    tables: IndexTables
    prefix: str
    dim: int
    problems: tuple[str, ...]


def read_vault(path: Path, settings: Settings, prefix: str | None = None) -> VaultIndex:
    """Return the index in a file of KohakuRAG, including vectors, as the tables of a snapshot.

    `prefix` is KohakuRAG's table_prefix; None selects the only one in the file. Vectors are normalised; the last of several
    vectors of a node wins. Terms and mentions are recomputed according to `settings`. The documents get the tenant
    corpus.org_id. Raises InputFileError if the file is not KohakuRAG's.
    """
    vault = VaultFile(path)
    prefix = prefix or _only_prefix(vault)
    nodes, problems = vault_nodes(list(vault.items(prefix + NODES_TABLE)), settings.corpus.org_id)
    main = vault.vectors(prefix + VECTORS_TABLE)
    dim = main.vectors.shape[1]
    if not nodes.num_rows or not dim:
        msg = f"{str(path)!r} contains no nodes with vectors under the prefix {prefix!r}; give KohakuRAG's table_prefix"
        raise InputFileError(msg)
    images, unread = _images(list(vault.items(IMAGE_BLOBS)))
    if unread:
        problems.append(f"{unread} unreadable images are skipped")
    tables = IndexTables(
        documents=_documents(nodes, path),
        nodes=nodes,
        node_vectors=_vectors(main, nodes["node_id"].to_pylist(), dim, problems),
        paragraph_vectors=_vectors(vault.vectors(prefix + FULL_TABLE), nodes["node_id"].to_pylist(), dim, problems),
        lexical=build_lexical(nodes, settings.lexical)[0],
        mentions=extract_mentions(nodes, settings.graph)[0],
        images=images,
        image_vectors=_vectors(vault.vectors(prefix + IMAGES_TABLE), images["storage_key"].to_pylist(), dim, problems),
    )
    return VaultIndex(tables, prefix, dim, tuple(problems))


def _only_prefix(vault: VaultFile) -> str:
    found = [name.removesuffix(NODES_TABLE) for name in vault.tables(NODES_TABLE)]
    found = [prefix for prefix in found if vault.has(prefix + VECTORS_TABLE)]
    if len(found) != 1:
        msg = (
            f"{str(vault.path)!r} contains {len(found)} indexes of KohakuRAG ({found}), expected one; "
            "choose one with --prefix, or give another file"
        )
        raise InputFileError(msg)
    return found[0]


def _vectors(found: VaultVectors, keys: Sequence[str], dim: int, problems: list[str]) -> pa.Table:
    """Return the last vector of each of `keys` with a vector, in their order."""
    rows = {as_text(value): row for row, value in enumerate(found.values)}
    known = [key for key in keys if key in rows]
    unknown = len(rows.keys() - set(known))
    if unknown:
        problems.append(f"{unknown} vectors of unknown nodes or images are skipped")
    if found.values and found.vectors.shape[1] != dim:
        problems.append(f"{len(found.values)} vectors have {found.vectors.shape[1]} dimensions instead of {dim}")
        known = []
    chosen = found.vectors[[rows[key] for key in known]] if known else np.empty((0, dim), np.float32)
    return vector_table(known, normalized(chosen))


def _documents(nodes: pa.Table, path: Path) -> pa.Table:
    """Return a row per document node, with the path and hash of the imported file."""
    sha256 = file_sha256(path)
    return pa.Table.from_pylist(
        [
            {
                "document_id": row["document_id"],
                "org_id": row["org_id"],
                "path": path.name,
                "sha256": sha256,
                "mime_type": "application/vnd.sqlite3",
                "title": row["title"],
                "pages": None,
                "status": "parsed",
                "error": None,
                "metadata_json": row["metadata_json"],
                "payload_json": None,
            }
            for row in nodes.to_pylist()
            if row["kind"] == "document"
        ],
        schema=DOCUMENTS,
    )


def _images(items: Sequence[tuple[str, Any]]) -> tuple[pa.Table, int]:
    rows = [row for key, value in items if (row := _image(key, value))]
    return pa.Table.from_pylist(rows, schema=DOCUMENT_IMAGES), len(items) - len(rows)


def _image(key: str, value: Any) -> dict[str, Any] | None:
    """Return a row of DOCUMENT_IMAGES, with the format read from the bytes; None if key or bytes are not an image's."""
    from PIL import Image

    place = _IMAGE_KEY.fullmatch(key)
    if place is None or not isinstance(value, bytes):
        return None
    try:
        with Image.open(io.BytesIO(value)) as image:
            (width, height), mime = image.size, Image.MIME.get(image.format or "")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    return {
        "storage_key": key,
        "document_id": place["document"],
        "page": int(place["page"]),
        "idx": int(place["idx"]),
        "name": key,
        "mime": mime or "application/octet-stream",
        "width": width,
        "height": height,
        "sha256": hashlib.sha256(value).hexdigest(),
        "bytes": value,
    }
