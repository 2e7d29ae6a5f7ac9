"""File hashes remembered by size and times, so that an unchanged file is read once."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.caches.json_memo import JsonMemo

ENTRY = 4  # size, time of modification, time of change, SHA-256


class HashMemo:
    """SHA-256 of files, kept in the JSON file at `path` by file path, size and times (ns).

    The time of change, which the system sets, tells a file whose time of modification was set back after it was
    written. Where `afresh`, every file is read once more.

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
        """Return the SHA-256 of `file` in hex; raises OSError where it cannot be read."""
        name, stamp = _name_and_stamp(file)
        known = self._memo.get(name)
        if self._afresh and name not in self._seen:
            self._seen.add(name)
            known = None
        if isinstance(known, list) and len(known) == ENTRY and known[:-1] == stamp:
            return known[-1]
        sha256 = file_sha256(file)
        self._memo.set(name, [*stamp, sha256])
        return sha256

    def note(self, file: Path, sha256: str) -> None:
        """Remember the hash of a file that was just written; nothing where it is gone again."""
        if file.exists():
            name, stamp = _name_and_stamp(file)
            self._memo.set(name, [*stamp, sha256])

    def save(self) -> None:
        """Keep what was learnt of the files that are there for the next run, as far as it can be written."""
        self._memo.keep_only(lambda name: Path(name).exists())
        self._memo.save()


def _name_and_stamp(file: Path) -> tuple[str, list[int]]:
    stat = file.stat()
    return str(file.resolve()), [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
