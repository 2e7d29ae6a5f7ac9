"""Whether files are still what was written: by size and times always, by content where these are new."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.caches.hash_memo import HashMemo

CHECKED = ".checked.json"  # beneath the folder whose files were checked


@dataclass(frozen=True, slots=True)
class FileSeal:
    """What a file held when it was written."""

    bytes: int
    sha256: str


def seal_of(path: Path) -> FileSeal:
    """Return the seal of the file at `path`, which is read; raises OSError."""
    return FileSeal(path.stat().st_size, file_sha256(path))


class FileChecks:
    """Checks files beneath `folder` against their seals; a file whose size and times were seen before is not read.

    What was seen is kept in `folder`, as far as it can be written. Where `afresh`, every file is read once more.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (path := Path(folder, "a.txt")).write_text("amber")
    ...     seal = seal_of(path)
    ...     _ = path.write_text("amb")
    ...     FileChecks(Path(folder)).damage(path, seal)
    'has 3 bytes in place of 5'
    """

    def __init__(self, folder: Path, *, afresh: bool = False) -> None:
        self._hashes = HashMemo(folder / CHECKED, afresh=afresh)

    def damage(self, path: Path, seal: FileSeal) -> str | None:
        """Return what is wrong with the file at `path`, as the end of a sentence; None where nothing is."""
        try:
            size = path.stat().st_size
            if size != seal.bytes:
                return f"has {size} bytes in place of {seal.bytes}"
            is_same = self._hashes.sha256(path) == seal.sha256
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        self._hashes.save()
        return None if is_same else "has another content than was written"

    def note(self, path: Path, seal: FileSeal) -> None:
        """Remember that the file at `path` was just written; `save` keeps it."""
        self._hashes.note(path, seal.sha256)

    def save(self) -> None:
        """Keep what was seen for the next run."""
        self._hashes.save()
