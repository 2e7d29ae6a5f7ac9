"""Cached file hashes, keyed by size and times, so that an unchanged file is read once."""

from __future__ import annotations

import time
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.caches.json_memo import JsonMemo

ENTRY = 4  # size, time of modification, time of change, SHA-256
SETTLED_NS = 2_000_000_000  # after which a rewritten file has other times, on file systems that count seconds, too


class HashMemo:
    """SHA-256 of files, cached in the JSON file at `path` by file path, size and times (ns).

    The change time, which only the system sets, reveals a file whose modification time was set back after writing. What
    was written within the last seconds is hashed again next time: it may be written once more without another time.
    With `afresh=True` every file is hashed again once.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.txt").write_text("kohaku")
    ...     HashMemo(Path(folder) / "memo.json").sha256(Path(folder) / "a.txt")[:12]
    'bd5dcec5032f'
    """

    def __init__(self, path: Path, *, afresh: bool = False) -> None:
        self._memo = JsonMemo(path)
        self._afresh, self._seen = afresh, set[str]()

    def sha256(self, file: Path) -> str:
        """Return the SHA-256 of `file` in hex.

        Raises:
            OSError: The file cannot be read.

        """
        name, stamp = _name_and_stamp(file)
        if self._afresh and name not in self._seen:
            self._seen.add(name)
            self._memo.set(name, None)  # forgotten for good: a hash of a file written just now is not kept
        if (known := self._known(name, stamp)) is not None:
            return known
        sha256 = file_sha256(file)
        if _name_and_stamp(file)[1] == stamp and time.time_ns() - max(stamp[1:]) > SETTLED_NS:
            self._memo.set(name, [*stamp, sha256])
        return sha256

    def is_known(self, file: Path) -> bool:
        """Return whether the hash of `file` is known without reading it; raises OSError if it is gone."""
        return self._known(*_name_and_stamp(file)) is not None

    def _known(self, name: str, stamp: list[int]) -> str | None:
        known = self._memo.get(name)
        return known[-1] if isinstance(known, list) and len(known) == ENTRY and known[:-1] == stamp else None

    def note(self, file: Path, sha256: str) -> None:
        """Store the hash of a file that was just written; no effect if the file is gone."""
        if file.exists():
            name, stamp = _name_and_stamp(file)
            self._memo.set(name, [*stamp, sha256])

    def save(self) -> None:
        """Persist the hashes of the files that still exist; write errors are ignored."""
        if self._memo.is_changed:  # which spares looking for every file
            self._memo.keep_only(lambda name: Path(name).exists())
            self._memo.save()


def _name_and_stamp(file: Path) -> tuple[str, list[int]]:
    stat = file.stat()
    return str(file.resolve()), [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
