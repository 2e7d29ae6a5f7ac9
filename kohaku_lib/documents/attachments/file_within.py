"""Find a file by its path, which may lead into another file: "offer.eml/plan.pdf" is attached to "offer.eml"."""

from __future__ import annotations

import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePath

from kohaku_lib.documents.formats.interface import AttachedFile, format_of
from kohaku_lib.documents.identifiers import file_stem
from kohaku_lib.errors import DocumentError

MOST_FILES = 1000  # that are read of those within one file
_LONGEST_STEM, _LONGEST_SUFFIX = 56, 12  # of names on disk, which most systems limit to 255 bytes
_SKIPPED = "…"


@contextmanager
def file_at(path: Path) -> Iterator[Path]:
    """Yield the file at `path`, which is a temporary one where it is within another file.

    The file that the last one was within is unpacked once, as long as it does not change.

    Raises:
        DocumentError: The file that it is within cannot be read, or holds no such file any more.

    """
    holder = holder_of(path)
    names = path.relative_to(holder).parts
    if not names:
        yield path
        return
    status = holder.stat()
    unpacked = _unpacked(holder, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    data = unpacked.data_of(names)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / names[-1]
        file.write_bytes(data)
        yield file


def holder_of(path: Path) -> Path:
    """Return the file on disk that `path` leads to or into; `path` itself where there is none.

    >>> holder_of(Path("missing.eml/plan.pdf")).as_posix()
    'missing.eml/plan.pdf'
    """
    return next((place for place in (path, *path.parents) if place.is_file()), path)


def named_files(files: Sequence[AttachedFile]) -> dict[str, AttachedFile]:
    """Return the first thousand of the files within a file by names that any system allows and tells apart.

    >>> list(named_files([AttachedFile(name) for name in ("a/b.pdf", "x.txt", "X.txt", "x.txt")]))
    ['a%2Fb.pdf', 'x.txt', 'X-2.txt', 'x-3.txt']
    """
    named: dict[str, AttachedFile] = {}
    taken, numbers = set[str](), Counter[str]()
    for file in islice(files, MOST_FILES):
        stem, suffix = _short_name(file.name)
        wanted = alike = f"{stem}{suffix}"
        while wanted.casefold() in taken:  # not all systems tell case
            numbers[alike.casefold()] += 1
            wanted = f"{stem}-{numbers[alike.casefold()] + 1}{suffix}"
        taken.add(wanted.casefold())
        named[wanted] = file
    return named


def _short_name(name: str) -> tuple[str, str]:
    """Return stem and suffix of a name for a file on disk; a long stem loses its middle, as its end often tells most."""
    name = unicodedata.normalize("NFC", name).strip()
    suffix = PurePath(file_stem(name)).suffix
    suffix = suffix if len(suffix) <= _LONGEST_SUFFIX and name.endswith(suffix) else ""
    stem = name.removesuffix(suffix).strip()
    if len(stem) > _LONGEST_STEM:
        half = (_LONGEST_STEM - len(_SKIPPED)) // 2
        stem = f"{stem[:half]}{_SKIPPED}{stem[-half:]}"
    return file_stem(stem) or "file", suffix


@lru_cache(maxsize=1)
def _unpacked(holder: Path, _status: tuple[int, ...]) -> _Unpacked:
    return _Unpacked(holder)


class _Unpacked:
    """What is within a file on disk, and within that, each unpacked when it is first asked for."""

    def __init__(self, holder: Path) -> None:
        self._holder = holder
        self._files: dict[tuple[str, ...], Mapping[str, AttachedFile]] = {}

    def data_of(self, names: tuple[str, ...]) -> bytes:
        """Return the contents of the file at the end of `names`, each of which is within the one before it."""
        *above, name = names
        found = self._within(tuple(above)).get(name)
        if found is None or found.data is None:
            msg = f"{name!r} is not within {(above or [self._holder.name])[-1]!r} any more; run again"
            raise DocumentError(msg)
        return found.data

    def _within(self, names: tuple[str, ...]) -> Mapping[str, AttachedFile]:
        if names not in self._files:
            self._files[names] = self._unpack(names)
        return self._files[names]

    def _unpack(self, names: tuple[str, ...]) -> Mapping[str, AttachedFile]:
        kind = format_of((names or (self._holder.name,))[-1])
        if kind is None or kind.attachments is None:
            return {}
        if not names:
            return named_files(kind.attachments(self._holder).files)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / names[-1]
            file.write_bytes(self.data_of(names))
            return named_files(kind.attachments(file).files)
