"""Files of a store as a run writes them, without a run: an output, a published index, a ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


def write_output(store: Path, key: str, content: bytes = b"table", stage: str = "documents") -> None:
    """Write the table, its manifest, and last the record that names them."""
    folder = store / "stages" / stage
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.parquet").write_bytes(content)
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / f"{key}.json").write_text(json.dumps(described))
    replace_file(folder / "latest.json", json.dumps({"stage": stage, "input_key": key}).encode())


def publish_index(store: Path, version: str, content: bytes = b"vectors") -> None:
    """Write the files of an index version, and last the pointer to it."""
    folder = store / "snapshots" / version
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vectors.npy").write_bytes(content)
    (folder / "meta.json").write_text("{}")
    replace_file(store / "snapshots" / "current", version.encode())


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file at once."""
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.write_bytes(content)
    temporary.replace(path)


def contents(store: Path) -> Mapping[str, bytes]:
    """Return the files of a store by path, without locks and without what tells of the bucket."""
    files = [path for path in store.rglob("*") if path.is_file() and not path.name.endswith(".lock")]
    return {str(path.relative_to(store)): path.read_bytes() for path in files if path.name != ".bucket.json"}
