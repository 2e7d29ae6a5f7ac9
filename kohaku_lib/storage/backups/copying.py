"""Copies the files of a store that an object store lacks, at a moment at which they agree."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.storage.backups.backup_manifest import BackedUpFile
from kohaku_lib.storage.backups.consistency import inconsistencies
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.store_paths import IN_STORE

PAUSE_S = 0.5  # a run changes what belongs together within milliseconds
WHOLE_BYTES = 2**24  # smaller files are read at once, so that a file that is replaced meanwhile is copied whole
# Written anew on the other machine.
OF_THIS_MACHINE = tuple(path.name for path in (IN_STORE.lock, IN_STORE.use_lock, IN_STORE.bucket))
_DERIVED = (IN_STORE.views.name, f"{IN_STORE.views.name}.wal", ".checked.json", "file_hashes.json", *OF_THIS_MACHINE)
_SKIPPED_FOLDERS = (IN_STORE.damaged.name,)
_SQLITE = b"SQLite format 3\0"


class Copying:
    """One pass over the files of `store`; `known` are those of the backup before, which is complete in `objects`.

    Without `databases`, SQLite files are left out.
    """

    def __init__(
        self, store: Path, objects: ObjectStore, known: Mapping[str, BackedUpFile], *, databases: bool
    ) -> None:
        self._store, self._objects = store, objects
        self._known, self._databases = dict(known), databases
        self._there = {one.sha256 for one in known.values()}
        self.new_files = self.new_bytes = 0

    def consistent_files(self, rounds: int) -> Mapping[str, BackedUpFile]:
        """Copy all files, again until they agree; only what changed meanwhile is copied again.

        Raises:
            StoreError: They do not agree after `rounds`, or `objects` cannot be written.
        """
        wrong: list[str] = []
        for _ in range(rounds):
            try:
                files = _without_unfinished({path: self._copied(path) for path in self._paths()})
            except FileNotFoundError as error:  # deleted meanwhile
                wrong = [f"{Path(str(error.filename)).name} was deleted meanwhile"]
                continue
            wrong = inconsistencies(files, self._content)
            if not wrong:
                return files
            if rounds > 1:
                time.sleep(PAUSE_S)
        msg = f"the store {str(self._store)!r} is not backed up, as {wrong[0]}; run 'kohaku doctor' first"
        raise StoreError(msg)

    def _paths(self) -> Iterator[str]:
        for path in sorted(self._store.rglob("*")):
            parts = path.relative_to(self._store).parts
            is_partial = any(part.startswith(".partial-") for part in parts)
            is_log = path.name.endswith((".tmp", ".lock", "-wal", "-shm", "-journal"))
            is_left_out = is_partial or is_log or path.name in _DERIVED or parts[0] in _SKIPPED_FOLDERS
            if path.is_file() and not is_left_out and (self._databases or not _is_sqlite(path)):
                yield "/".join(parts)

    def _copied(self, name: str) -> BackedUpFile:
        path = self._store / name
        stat = path.stat()
        known = self._known.get(name)
        is_database = _is_sqlite(path)
        if known and not is_database and (known.bytes, known.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            return known
        content = _database_copy(path) if is_database else _whole(path, stat.st_size)
        if isinstance(content, Path):
            size, sha256 = stat.st_size, file_sha256(content)
        else:
            size, sha256 = len(content), hashlib.sha256(content).hexdigest()
        entry = BackedUpFile(size, sha256, stat.st_mtime_ns)
        self._put(entry, content)
        if path.stat().st_mtime_ns != stat.st_mtime_ns and isinstance(content, Path):
            raise FileNotFoundError(2, "replaced while it was copied", str(path))
        self._known[name] = entry
        return entry

    def _put(self, entry: BackedUpFile, content: bytes | Path) -> None:
        is_there = entry.sha256 in self._there or (entry.bytes > 0 and self._objects.has(entry.object_name))
        if not is_there:
            self._objects.put(entry.object_name, content)
            self.new_files += 1
            self.new_bytes += entry.bytes
        self._there.add(entry.sha256)

    def _content(self, entry: BackedUpFile) -> bytes:
        return self._objects.get(entry.object_name) or b""


def _without_unfinished(files: Mapping[str, BackedUpFile]) -> dict[str, BackedUpFile]:
    """Leave out the outputs that are being written: their manifest is written last."""
    return {
        path: file
        for path, file in files.items()
        if not (path.startswith("stages/") and path.endswith(".parquet"))
        or f"{path.removesuffix('.parquet')}.json" in files
    }


def _whole(path: Path, size: int) -> bytes | Path:
    """Return the content of a small file, of a ledger up to its last complete line, or else the path."""
    if path.suffix == ".jsonl":
        content = path.read_bytes()
        return content[: content.rfind(b"\n") + 1]
    return path.read_bytes() if size <= WHOLE_BYTES else path


def _is_sqlite(path: Path) -> bool:
    if path.suffix not in (".db", ".sqlite"):
        return False
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE


def _database_copy(path: Path) -> bytes:
    """Return a consistent copy of a database that others may be writing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return copy.read_bytes()
