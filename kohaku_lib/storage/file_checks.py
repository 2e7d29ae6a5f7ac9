"""Integrity checks of files: by size and times always, by content if these changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage.caches.hash_memo import HashMemo

CHECKED = ".checked.json"  # in the folder whose files are checked


@dataclass(frozen=True, slots=True)
class FileSeal:
    """Size and hash of a file when it was written."""

    bytes: int
    sha256: str


def seal_of(path: Path) -> FileSeal:
    """Compute the seal of the file at `path`.

    Raises:
        OSError: The file cannot be read.

    """
    return FileSeal(path.stat().st_size, file_sha256(path))


class FileChecks:
    """Checks files below `folder` against their seals; a file with known size and times is not read again.

    Hashes are cached in `folder` if it is writable. With `afresh=True` every file is hashed again once.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (path := Path(folder, "a.txt")).write_text("amber")
    ...     seal = seal_of(path)
    ...     _ = path.write_text("amb")
    ...     FileChecks(Path(folder)).damage(path, seal)
    'has 3 bytes instead of 5'
    """

    def __init__(self, folder: Path, *, afresh: bool = False) -> None:
        self._hashes = HashMemo(folder / CHECKED, afresh=afresh)

    def damage(self, path: Path, seal: FileSeal) -> str | None:
        """Describe the damage of the file at `path` as the end of a sentence; None if it is intact."""
        wrong = self._damage(path, seal)
        self._hashes.save()
        return wrong

    def damage_by_name(self, folder: Path, seals: Mapping[str, FileSeal]) -> dict[str, str]:
        """Describe the damage of the files in `folder` that are not intact; all hashes are persisted at once."""
        found = {name: self._damage(folder / name, seal) for name, seal in seals.items()}
        self._hashes.save()
        return {name: wrong for name, wrong in found.items() if wrong}

    def _damage(self, path: Path, seal: FileSeal) -> str | None:
        try:
            size = path.stat().st_size
            if size != seal.bytes:
                return f"has {size} bytes instead of {seal.bytes}"
            is_same = self._hashes.sha256(path) == seal.sha256
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        return None if is_same else "has changed since it was written"

    def note(self, path: Path, seal: FileSeal) -> None:
        """Cache the seal of a file that was just written; `save` persists it."""
        self._hashes.note(path, seal.sha256)

    def save(self) -> None:
        """Persist the cached hashes."""
        self._hashes.save()
