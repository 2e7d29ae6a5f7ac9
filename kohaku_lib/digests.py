"""Stable digests of plain values, files and Arrow tables: the keys by which work is found again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Chunks = Callable[[], Iterable[pa.Array]]


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
    return columns_digest(chosen.schema, chosen.num_rows, lambda column: chosen.column(column).chunks)


def columns_digest(schema: pa.Schema, rows: int, chunks_of: Callable[[int], Iterable[pa.Array]]) -> str:
    """Return the `table_digest` of `rows` rows of which `chunks_of` gives a column, by number, chunk by chunk.

    It is asked a few times for every column, so that none has to be held whole.

    >>> table = pa.table({"a": ["x", "y"]})
    >>> columns_digest(table.schema, 2, lambda column: table.column(column).chunks) == table_digest(table)
    True
    """
    sink = hashlib.sha256(str(schema.remove_metadata()).encode())
    for at, field in enumerate(schema):
        _hash_values(field.type, rows, partial(chunks_of, at), sink)
    return sink.hexdigest()[:32]


def _hash_values(kind: pa.DataType, rows: int, chunks: Chunks, sink: Any) -> None:
    """Feed the nulls, lengths and values of `rows` values of any nesting to the hash `sink`."""
    kind, chunks = _without_maps(kind, chunks)
    sink.update(f"{kind}{rows}".encode())
    _hash_bits((chunk.is_null().to_numpy(zero_copy_only=False) for chunk in chunks()), sink)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        below = 0
        for chunk in chunks():
            lengths = pc.fill_null(pc.call_function("list_value_length", [chunk]), -1)
            sink.update(lengths.to_numpy(zero_copy_only=False).tobytes())
            below += len(chunk.flatten())
        _hash_values(kind.value_type, below, lambda: (chunk.flatten() for chunk in chunks()), sink)
    elif pa.types.is_struct(kind):
        for at in range(kind.num_fields):
            _hash_values(kind.field(at).type, rows, lambda at=at: (c.flatten()[at] for c in chunks()), sink)
    elif pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_string(kind):
        for chunk in chunks():
            lengths = pc.fill_null(pc.call_function("binary_length", [chunk.cast(pa.large_binary())]), 0)
            sink.update(lengths.to_numpy(zero_copy_only=False).tobytes())
        for chunk in chunks():
            sink.update(_joined(chunk))
    elif not pa.types.is_null(kind):
        zero = pa.scalar(False if pa.types.is_boolean(kind) else 0, kind)
        for chunk in chunks():
            sink.update(pc.fill_null(chunk, zero).to_numpy(zero_copy_only=False).tobytes())


def _without_maps(kind: pa.DataType, chunks: Chunks) -> tuple[pa.DataType, Chunks]:
    """Return a map as the list of pairs that it is; anything else as it is."""
    if not pa.types.is_map(kind):
        return kind, chunks
    pairs = pa.list_(pa.struct([kind.key_field, kind.item_field]))
    return pairs, lambda: (chunk.cast(pairs) for chunk in chunks())


def _hash_bits(chunks: Iterable[np.ndarray], sink: Any) -> None:
    """Feed booleans to `sink`, eight to a byte however they are chunked."""
    rest = np.empty(0, bool)
    for chunk in chunks:
        bits = np.concatenate([rest, chunk])
        whole = len(bits) // 8 * 8
        sink.update(np.packbits(bits[:whole]).tobytes())
        rest = bits[whole:]
    sink.update(np.packbits(rest).tobytes())


def _joined(values: pa.Array) -> memoryview | bytes:
    """Return the bytes of all strings of an array one after the other; nulls give none."""
    filled = pc.fill_null(values.cast(pa.large_binary()), b"") if values.null_count else values.cast(pa.large_binary())
    _, ends, data = filled.buffers()
    if not len(filled) or data is None:
        return b""
    offsets = np.frombuffer(ends, np.int64)[filled.offset : filled.offset + len(filled) + 1]
    return memoryview(data)[int(offsets[0]) : int(offsets[-1])]


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    msg = f"a digest takes plain values only, got {type(value).__name__}"
    raise TypeError(msg)
