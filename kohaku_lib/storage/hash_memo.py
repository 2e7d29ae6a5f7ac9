"""File hashes remembered by size and modification time, so that an unchanged file is read once."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.json_memo import JsonMemo

ENTRY = 3  # size, modification time, SHA-256


class HashMemo:
    """SHA-256 of files, kept in the JSON file at `path` by file path, size and modification time (ns).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.txt").write_text("kohaku")
    ...     HashMemo(Path(folder) / "memo.json").sha256(Path(folder) / "a.txt")[:12]
    'bd5dcec5032f'
    """

    def __init__(self, path: Path) -> None:
        self._memo = JsonMemo(path)

    def sha256(self, file: Path) -> str:
        """Return the SHA-256 of `file` in hex; raises OSError where it cannot be read."""
        stat = file.stat()
        name, stamp = str(file.resolve()), [stat.st_size, stat.st_mtime_ns]
        known = self._memo.get(name)
        if isinstance(known, list) and len(known) == ENTRY and known[:2] == stamp:
            return known[2]
        sha256 = file_sha256(file)
        self._memo.set(name, [*stamp, sha256])
        return sha256

    def save(self) -> None:
        """Keep what was learnt for the next run, as far as it can be written."""
        self._memo.save()
