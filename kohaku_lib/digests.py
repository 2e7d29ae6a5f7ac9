"""Stable digests of plain values, files and Arrow tables, for use as cache keys."""

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
    whole = TableDigest(chosen.schema)
    whole.add(chosen)
    return whole.hex()


class TableDigest:
    """The `table_digest` of rows of `schema` that come in parts, none of which is kept.

    >>> table = pa.table({"a": ["x", "y"]})
    >>> parts = TableDigest(table.schema)
    >>> for row in range(2):
    ...     parts.add(table.slice(row, 1))
    >>> parts.hex() == table_digest(table)
    True
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._head = str(schema.remove_metadata()).encode()
        self._columns = [_ValuesDigest(field.type) for field in schema]

    def add(self, table: pa.Table) -> None:
        """Take the next rows, in the columns of the schema."""
        for column, values in zip(self._columns, table.columns, strict=True):
            for chunk in values.chunks:
                column.add(chunk)

    def hex(self) -> str:
        """Return the digest of all rows so far, 32 hex characters."""
        return hashlib.sha256(b"".join([self._head, *(column.digest() for column in self._columns)])).hexdigest()[:32]


class _ValuesDigest:
    """The digest of values of one type, nested as they may be: of nulls, lengths and contents apart."""

    def __init__(self, kind: pa.DataType) -> None:
        self._kind = _without_maps(kind)
        self._rows, self._nulls, self._lengths, self._contents = 0, _Bits(), hashlib.sha256(), hashlib.sha256()
        inner = [self._kind.field(at).type for at in range(self._kind.num_fields)]
        self._inner = [_ValuesDigest(kind) for kind in inner]

    def add(self, chunk: pa.Array) -> None:
        kind = self._kind
        chunk = chunk.cast(kind) if chunk.type != kind else chunk
        self._rows += len(chunk)
        self._nulls.add(chunk.is_null().to_numpy(zero_copy_only=False))
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            self._add_lengths(pc.fill_null(pc.call_function("list_value_length", [chunk]), -1))
            self._inner[0].add(chunk.flatten())
        elif pa.types.is_struct(kind):
            for inner, values in zip(self._inner, chunk.flatten(), strict=True):
                inner.add(values)
        elif pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_string(kind):
            self._add_lengths(pc.fill_null(pc.call_function("binary_length", [chunk.cast(pa.large_binary())]), 0))
            self._contents.update(_joined(chunk))
        elif not pa.types.is_null(kind):
            zero = pa.scalar(False if pa.types.is_boolean(kind) else 0, kind)
            self._contents.update(pc.fill_null(chunk, zero).to_numpy(zero_copy_only=False).tobytes())

    def digest(self) -> bytes:
        parts = [self._nulls.digest(), self._lengths.digest(), self._contents.digest()]
        parts += [inner.digest() for inner in self._inner]
        return hashlib.sha256(b"".join([f"{self._kind}{self._rows}".encode(), *parts])).digest()

    def _add_lengths(self, lengths: pa.Array) -> None:
        self._lengths.update(lengths.to_numpy(zero_copy_only=False).tobytes())


class _Bits:
    """The digest of booleans, eight to a byte however they come."""

    def __init__(self) -> None:
        self._hash, self._rest = hashlib.sha256(), np.empty(0, bool)

    def add(self, bits: np.ndarray) -> None:
        bits = np.concatenate([self._rest, bits])
        whole = len(bits) // 8 * 8
        self._hash.update(np.packbits(bits[:whole]).tobytes())
        self._rest = bits[whole:]

    def digest(self) -> bytes:
        last = self._hash.copy()
        last.update(np.packbits(self._rest).tobytes())
        return last.digest()


def _without_maps(kind: pa.DataType) -> pa.DataType:
    """Return a map as the list of pairs that it is; anything else as it is."""
    if not pa.types.is_map(kind):
        return kind
    return pa.list_(pa.struct([kind.key_field, kind.item_field]))


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
