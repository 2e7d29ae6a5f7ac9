"""What the page and HTTP take away: an upload goes to a trash, a file of the user is only left out of the index.

No verb destroys a file that Kohaku did not put there. Uploads are recorded with their content: a file that the user has
replaced since is the user's.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import InputFileError, StoreError
from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed

KEPT = timedelta(days=30)
Removed = Literal["trash", "left_out"]


@dataclass(frozen=True, slots=True)
class TrashedFile:
    """A deleted upload: its id in the trash, its path in the documents folder, and who deleted it when (UTC, ISO 8601)."""

    id: str
    path: str
    by: str
    at: str


class Removals:
    """The uploads, the trash and the list of what is left out, in the store; paths are relative to the documents folder.

    Raises:
        StoreError: From every method, that the record is damaged.
    """

    def __init__(self, store: Path, documents: Path, hash_file: Callable[[Path], str] = file_sha256) -> None:
        self._documents, self._hash_file = documents, hash_file
        self._file, self._trash = store / "removals.json", store / "trash"

    def record_upload(self, path: str, by: str) -> None:
        """Record that the file at `path` has come by HTTP; what was left out of this path, or within it, is read again."""
        with self._changed() as record:
            record["uploads"][path] = {"sha256": file_sha256(self._documents / path), "by": by, "at": _now()}
            _read_again(record, path)

    def is_upload(self, path: str, sha256: str | None = None) -> bool:
        """Return whether the file at `path` is what was uploaded, which `remove` puts into the trash.

        With `sha256` the file is one that is out of reach.
        """
        upload = self._read()["uploads"].get(path)
        try:
            return upload is not None and (sha256 or self._hash_file(self._documents / path)) == upload["sha256"]
        except OSError:  # gone, or not readable
            return False

    def remove(self, path: str, by: str) -> Removed:
        """Put an upload into the trash, or leave a file of the user out of the index, where it stays."""
        with self._changed() as record:
            self._empty(record)
            if not self.is_upload(path):
                record["left_out"][path] = {"by": by, "at": _now()}
                return "left_out"
            trashed = TrashedFile(uuid.uuid4().hex[:12], path, by, _now())
            _copy(self._documents / path, self._trash / trashed.id)
            record["trash"][trashed.id] = asdict(trashed)
            record["trash"][trashed.id]["upload"] = record["uploads"].pop(path)
        (self._documents / path).unlink()  # once the record is durable
        return "trash"

    def destroy(self, paths: Collection[str], sha256s: Collection[str], is_own: Callable[[str], bool]) -> list[str]:
        """Destroy the uploads at `paths`, and what the trash has of these paths and contents; return what was destroyed.

        Files of others in the trash, whose paths are not one's own (`is_own`), stay whatever their contents.
        A file of the user at one of the paths stays. That none is left is the record's last word, so a kill repeats it.
        """
        with self._changed() as record:
            done = [path for path in paths if self.is_upload(path)]
            for path in done:
                (self._documents / path).unlink(missing_ok=True)
            for trash_id, one in list(record["trash"].items()):
                is_copy = one["upload"]["sha256"] in sha256s and is_own(one["path"])
                if one["path"] in paths or is_copy:
                    (self._trash / trash_id).unlink(missing_ok=True)
                    del record["trash"][trash_id]
                    done.append(f"{one['path']} in the trash")
            for path in paths:
                if not (self._documents / path).exists():
                    record["uploads"].pop(path, None)
                    _read_again(record, path)
        return done

    def trashed(self) -> list[TrashedFile]:
        """Return what is in the trash, oldest first."""
        entries = ({key: one[key] for key in TrashedFile.__slots__} for one in self._read()["trash"].values())
        return sorted((TrashedFile(**one) for one in entries), key=lambda one: one.at)

    def restore(self, trash_id: str) -> str:
        """Put a file of the trash back and return its path; raises InputFileError where it cannot be."""
        with self._changed() as record:
            entry = record["trash"].get(trash_id)
            if entry is None:
                msg = f"the trash has no file {trash_id!r}; 'kohaku documents --trash' lists what it has"
                raise InputFileError(msg)
            target = self._documents / entry["path"]
            is_back = (
                target.is_file() and self._hash_file(target) == entry["upload"]["sha256"]
            )  # by a call that was killed
            if target.exists() and not is_back:
                msg = f"there is a file {entry['path']!r} by now; rename it, then restore the other one"
                raise InputFileError(msg)
            if not is_back:
                _copy(self._trash / trash_id, target)
            record["uploads"][entry["path"]] = entry["upload"]
            del record["trash"][trash_id]
        (self._trash / trash_id).unlink(missing_ok=True)
        return entry["path"]

    def include(self, path: str) -> None:
        """Read a file again that was left out; raises InputFileError if none of this path is."""
        with self._changed() as record:
            if record["left_out"].pop(path, None) is None:
                msg = f"{path!r} is not left out; 'kohaku documents' lists the files and why they are not read"
                raise InputFileError(msg)

    def left_out(self) -> Mapping[str, str]:
        """Return why each file is left out, by path."""
        remedy = "kohaku documents --include"
        return {
            path: f"left out by {one['by']} at {one['at'][:16]}; undo it by {remedy} {path!r}"
            for path, one in self._read()["left_out"].items()
        }

    def _empty(self, record: dict[str, Any]) -> None:
        """Destroy what has been in the trash for longer than KEPT."""
        oldest = (datetime.now(UTC) - KEPT).isoformat()
        for trash_id in [key for key, one in record["trash"].items() if one["at"] < oldest]:
            (self._trash / trash_id).unlink(missing_ok=True)
            del record["trash"][trash_id]

    @contextmanager
    def _changed(self) -> Iterator[dict[str, Any]]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._file}.lock"):
            record = self._read()
            self._drop_unrecorded(record)
            yield record
            write_sealed(self._file, record, durable=True)

    def _drop_unrecorded(self, record: dict[str, Any]) -> None:
        """Destroy what is in the trash without a record: the call that put it there was killed, and the file is in place."""
        for file in self._trash.iterdir() if self._trash.is_dir() else ():
            if file.name not in record["trash"] and _TRASH_ID.fullmatch(file.name):
                file.unlink()

    def _read(self) -> dict[str, Any]:
        if not self._file.exists():
            return {"uploads": {}, "trash": {}, "left_out": {}}
        record = read_sealed(self._file)
        if record is None:
            msg = (
                f"{str(self._file)!r} is damaged, so it is unknown which documents are left out; restore it from a backup, "
                "or delete it to read all files again"
            )
            raise StoreError(msg)
        return record


_TRASH_ID = re.compile(r"[0-9a-f]{12}")


def _read_again(record: Mapping[str, Any], path: str) -> None:
    """Forget that the file at `path`, or what is within it, is left out."""
    for name in [name for name in record["left_out"] if name == path or name.startswith(f"{path}/")]:
        del record["left_out"][name]


def _copy(source: Path, target: Path) -> None:
    """Copy a file with its times, whole or not at all, durable on return."""
    write_atomically(target, lambda path: shutil.copy2(source, path), exclusive=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
