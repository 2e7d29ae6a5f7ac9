"""Takes a document out of Dagster's history: what messages quote of it, and what earlier versions told of rows and answers."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from kohaku_assets.components.dagster_home import dagster_home, dagster_settings
from kohaku_assets.pipeline.project import Project
from kohaku_lib.errors import StoreError
from kohaku_lib.storage.erasure.traces import ERASED, Traces

_DATABASES = ("history/**/*.db", "schedules/*.db")
_LOGS = ("storage/*/compute_logs/*", "*/compute_logs/*")
# The metadata in which earlier versions told of rows and answers, each with one that stands beside it.
_TOLD = {"preview": "input key", "problems": "input key", "first rows": "file", "report": "summary"}
_BUSY_S = 30.0  # how long another program may keep a database


def erase_history(project: Project, traces: Traces) -> int:
    """Erase the document from Dagster's databases and logs; events stay. Returns the number of their cells and files.

    Raises:
        StoreError: A database is damaged, or another program uses it for long.
    """

    @lru_cache(2**16)  # descriptions of columns come again and again
    def is_quoted(text: str) -> bool:
        return _is_prose(text) and traces.is_quoted(text)

    number = 0
    for path in _found(project, _DATABASES):
        try:
            number += _erased_cells(path, is_quoted)
        except sqlite3.DatabaseError as error:
            msg = (
                f"{str(path)!r} of Dagster's history cannot be rewritten ({error}); end 'kohaku ui' and what else uses it, or "
                "run 'kohaku doctor' if it is damaged, then erase again, which goes on from here"
            )
            raise StoreError(msg) from error
    for path in _found(project, _LOGS):
        if traces.is_quoted(path.read_text(encoding="utf-8", errors="replace")):
            path.write_bytes(b"")
            number += 1
    return number


def unreached_history(project: Project) -> Iterator[str]:
    """Say where Dagster keeps a history or logs that nothing here can change."""
    settings = dagster_settings(project)
    storage = settings.get("storage") or {}
    kinds = [name for name in storage if name != "sqlite" and "kohaku_assets" not in str(storage[name])]
    if kinds:
        yield (
            f"Dagster's history in {kinds[0]} may quote it, in previews by earlier versions and in messages of failures; no "
            "result depends on it, so delete it by 'dagster run wipe', then VACUUM that database"
        )
    logs = str((settings.get("compute_logs") or {}).get("class", ""))
    if logs and not logs.startswith(("Local", "NoOp")):
        yield f"logs of runs that {logs} has uploaded may quote it; delete them there"


def _found(project: Project, patterns: Sequence[str]) -> list[Path]:
    """Return the files in Dagster's home and in the folders that its dagster.yaml names."""
    folders = {dagster_home(project), *map(Path, filter(None, _base_dirs(dagster_settings(project))))}
    return sorted({path for one in folders for pattern in patterns for path in one.glob(pattern) if path.is_file()})


def _base_dirs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "base_dir":
                yield str(os.environ.get(inner["env"], "") if isinstance(inner, dict) else inner)
            else:
                yield from _base_dirs(inner)


def _erased_cells(path: Path, is_quoted: Callable[[str], bool]) -> int:
    """Rewrite the cells of a database, and then its file, so that no free page keeps what was in it before."""
    number = 0
    with closing(sqlite3.connect(path, _BUSY_S, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for [table] in tables:
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            for column in columns:
                query = f'SELECT rowid, "{column}" FROM "{table}" WHERE typeof("{column}") = ?'  # noqa: S608 - Dagster's names
                cells = connection.execute(query, ["text"])
                changed = [(new, rowid) for rowid, cell in cells if (new := _cleaned_cell(cell, is_quoted)) != cell]
                connection.executemany(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', changed)  # noqa: S608
                number += len(changed)
        connection.execute("COMMIT")
        connection.execute("VACUUM")
        [is_busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            msg = "its write-ahead log is in use"
            raise sqlite3.OperationalError(msg)
    return number


def _cleaned_cell(cell: str, is_quoted: Callable[[str], bool]) -> str:
    value: Any = cell
    with suppress(ValueError):
        value = json.loads(cell) if cell[:1] in ("{", "[") else cell
    cleaned = _cleaned(value, is_quoted)
    if cleaned == value:
        return cell
    return cleaned if isinstance(cleaned, str) else json.dumps(cleaned)


def _cleaned(value: Any, is_quoted: Callable[[str], bool]) -> Any:
    if isinstance(value, str):
        return ERASED if is_quoted(value) else value
    if isinstance(value, dict):
        return {key: _cleaned(inner, is_quoted) for key, inner in value.items()}
    if isinstance(value, list):
        labels = {inner.get("label") for inner in value if isinstance(inner, dict)}
        return [_cleaned(inner, is_quoted) for inner in value if not _is_told(inner, labels)]
    return value


def _is_told(entry: Any, labels: Set[Any]) -> bool:
    """Return whether an entry of metadata is Markdown of rows and answers, as earlier versions wrote it."""
    is_markdown = isinstance(entry, dict) and "md_str" in (entry.get("entry_data") or ())
    return is_markdown and _TOLD.get(str(entry.get("label"))) in labels


def _is_prose(text: str) -> bool:
    """Return whether a string may be a text, and is no id, date or path without blanks, whose numbers a document may have too."""
    return not text.isascii() or (" " in text and any(map(str.isalpha, text)))
