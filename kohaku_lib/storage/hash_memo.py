"""File hashes remembered by size and modification time, so that an unchanged file is read once."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.atomic import write_atomically

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
        self._path = path
        self._known = _read(path)
        self._changed = False

    def sha256(self, file: Path) -> str:
        """Return the SHA-256 of `file` in hex; raises OSError where it cannot be read."""
        stat = file.stat()
        name, stamp = str(file.resolve()), [stat.st_size, stat.st_mtime_ns]
        known = self._known.get(name)
        if known is not None and known[:2] == stamp:
            return known[2]
        sha256 = file_sha256(file)
        self._known[name] = [*stamp, sha256]
        self._changed = True
        return sha256

    def save(self) -> None:
        """Keep what was learnt for the next run; where it cannot be written, as by a mere reader, it is let go."""
        if self._changed:
            text = json.dumps(self._known)
            with suppress(OSError):
                write_atomically(self._path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
            self._changed = False


def _read(path: Path) -> dict[str, list]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    entries = content.items() if isinstance(content, dict) else ()
    return {name: entry for name, entry in entries if isinstance(entry, list) and len(entry) == ENTRY}
