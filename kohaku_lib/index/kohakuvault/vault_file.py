"""Reads the tables of a KohakuVault file, KohakuRAG's store: keys with values, and vectors with values."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.errors import InputFileError
from kohaku_lib.install_command import install_command

# Header of a pickled value; never unpickled, as that would run arbitrary code from the file.
_PICKLED = bytes([0x89, 0x4B, 0x01, 0x01])


@dataclass(frozen=True, slots=True)
class VaultVectors:
    """The vectors of one table by row id, with their stored values."""

    values: list[Any]
    vectors: np.ndarray  # (n, dim) float32, as stored


class VaultFile:
    """A read-only KohakuVault file.

    Raises:
        InputFileError: the file is not a KohakuVault file, or the package kohakuvault is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._package = _kohakuvault()
        try:
            with closing(self._connect()) as connection:
                rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        except sqlite3.Error as error:
            msg = f"{str(path)!r} is not a KohakuVault file ({error}); give the .db file that KohakuRAG wrote"
            raise InputFileError(msg) from error
        self._sql_by_table: dict[str, str] = dict(rows)

    def has(self, table: str) -> bool:
        """Return whether the file has this table."""
        return table in self._sql_by_table

    def tables(self, ending: str) -> list[str]:
        """Return the names of the tables with this suffix, sorted."""
        return sorted(name for name in self._sql_by_table if name.endswith(ending))

    def items(self, table: str) -> Iterator[tuple[str, Any]]:
        """Yield the keys and values of a key-value table; pickled values are yielded as None, unread."""
        if not self.has(table):
            return
        with closing(self._connect()) as connection:
            query = f"SELECT key, substr(value, 1, 4) FROM {_quoted(table)} ORDER BY key"  # noqa: S608 - quoted
            heads = connection.execute(query).fetchall()
        with closing(self._package.KVault(str(self.path), table=table, read_only=True)) as vault:
            for key, head in heads:
                yield bytes(key).decode(errors="replace"), None if head == _PICKLED else vault[bytes(key)]

    def vectors(self, table: str) -> VaultVectors:
        """Return the vectors of a vector table, empty if it is missing; raises InputFileError if values are pickled."""
        dim = self._dim(table)
        if dim is None:
            return VaultVectors([], np.empty((0, 0), np.float32))
        values_table, rows_table = _quoted(f"{table}_values"), _quoted(f"{table}_rowids")
        query = (
            f"SELECT rowid FROM {rows_table} ORDER BY rowid",  # noqa: S608 - quoted
            f"SELECT count(*) FROM {values_table} WHERE substr(value, 1, 4) = ?",  # noqa: S608 - quoted
        )
        with closing(self._connect()) as connection:
            row_ids = [row_id for (row_id,) in connection.execute(query[0]).fetchall()]
            if connection.execute(query[1], [_PICKLED]).fetchone()[0]:
                msg = (
                    f"the table {table!r} of {str(self.path)!r} contains pickled values, which could run arbitrary code"
                )
                raise InputFileError(msg)
        with self._package.VectorKVault(str(self.path), table=table, dimensions=dim, read_only=True) as vault:
            pairs = [vault.get_by_id(row_id) for row_id in row_ids]
        matrix = np.array([vector for vector, _ in pairs], np.float32).reshape(len(pairs), dim)
        return VaultVectors([value for _, value in pairs], matrix)

    def _dim(self, table: str) -> int | None:
        found = re.search(r"float\[(\d+)\]", self._sql_by_table.get(table, ""))
        return int(found.group(1)) if found else None

    def _connect(self) -> sqlite3.Connection:
        if not self.path.is_file():
            msg = f"the file {str(self.path)!r} does not exist; give the .db file that KohakuRAG wrote"
            raise InputFileError(msg)
        return sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)


def as_mapping(value: Any) -> dict[str, Any] | None:
    """Return a stored record, a mapping or its JSON, as a dict; None for anything else.

    >>> as_mapping(b'{"kind": "section"}'), as_mapping("plain text")
    ({'kind': 'section'}, None)
    """
    if isinstance(value, (bytes, str)):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def as_text(value: Any) -> str:
    """Return a stored name as text: bytes, text, or the node_id of a record.

    >>> as_text(b"doc:sec1"), as_text({"node_id": "doc"})
    ('doc:sec1', 'doc')
    """
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value.get("node_id", "")) if isinstance(value, dict) else str(value)


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _kohakuvault() -> Any:
    try:
        import kohakuvault
    except ImportError as error:
        msg = f"reading a KohakuVault file needs the package kohakuvault; run {install_command('kohakuvault')}"
        raise InputFileError(msg) from error
    return kohakuvault
