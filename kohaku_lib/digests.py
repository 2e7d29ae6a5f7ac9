"""Stable digests of plain values, files and Arrow tables: the keys by which work is found again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def digest(value: Any) -> str:
    """Return 32 hex characters that are equal exactly when the JSON form of `value` is equal.

    Mappings are compared without regard to order, tuples as lists, paths as their text.

    >>> digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})
    True
    >>> digest({"a": 1}) == digest({"a": "1"})
    False
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def text_sha256(text: str) -> str:
    """Return the SHA-256 of the UTF-8 bytes of `text`, in hex.

    >>> text_sha256("kohaku")[:12]
    'bd5dcec5032f'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of the bytes of the file at `path`, in hex; raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def table_digest(table: pa.Table, columns: list[str] | None = None) -> str:
    """Return a digest of the rows of `table`, in order, over `columns` (all by default).

    Neither the chunking of the table nor the bytes beneath null slots matter; the order of rows and columns does.
    """
    chosen = table.select(columns) if columns is not None else table
    sink = hashlib.sha256(str(chosen.schema.remove_metadata()).encode())
    for column in chosen.columns:
        _hash_values(pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type), sink)
    return sink.hexdigest()[:32]


def _hash_values(values: pa.Array, sink: Any) -> None:
    """Feed the nulls, lengths and values of an array of any nesting to the hash `sink`."""
    sink.update(f"{values.type}{len(values)}".encode())
    sink.update(np.packbits(values.is_null().to_numpy(zero_copy_only=False)).tobytes())
    kind = values.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        sink.update(
            pc.fill_null(pc.call_function("list_value_length", [values]), -1).to_numpy(zero_copy_only=False).tobytes()
        )
        _hash_values(values.flatten(), sink)
    elif pa.types.is_struct(kind):
        for field in values.flatten():
            _hash_values(field, sink)
    elif pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_string(kind):
        filled = pc.fill_null(values.cast(pa.large_binary()), b"")
        sink.update(pc.call_function("binary_length", [filled]).to_numpy(zero_copy_only=False).tobytes())
        sink.update(b"".join(filled.to_pylist()))
    elif not pa.types.is_null(kind):
        zero = False if pa.types.is_boolean(kind) else 0
        sink.update(pc.fill_null(values, pa.scalar(zero, kind)).to_numpy(zero_copy_only=False).tobytes())


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    msg = f"a digest takes plain values only, got {type(value).__name__}"
    raise TypeError(msg)
