"""Folders and links that are away as a whole: what was read below them is out of reach, not deleted."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pyarrow as pa

from kohaku_lib.documents.corpus.files import CorpusFiles, KnownFile

KNOWN = ("path", "sha256", "size_bytes", "document_id")  # columns of `list_sources`
_ROOT = "."


def known_files(sources: pa.Table) -> dict[str, KnownFile]:
    """Return the files of a table with the columns KNOWN by path, without what is attached to them."""
    rows = {row["path"]: row for row in sources.to_pylist() if row["path"] and row["sha256"]}
    return {
        path: KnownFile(row["sha256"], row["size_bytes"], row["document_id"])
        for path, row in rows.items()
        if rows.keys().isdisjoint(_parents(path))
    }


def with_kept(
    files: CorpusFiles, folder: Path, before: Mapping[str, KnownFile], hash_file: Callable[[Path], str]
) -> CorpusFiles:
    """Return `files` with those of `before` whose folder or link is gone, unreadable or empty as a whole.

    Each such place is among the skipped, with how many documents stay. A file that is missing alone is deleted, and so is one
    that was moved: its bytes are those of a file that was not there before.
    """
    is_open = cache(lambda place: os.access(place, os.X_OK))
    present = {path.relative_to(folder).as_posix(): path for path in files.paths if is_open(path.parent)}
    missing = [name for name in before if name not in present and not os.path.exists(folder / name)]
    if not missing:
        return files
    inhabited = present.keys() | {parent for name in (*present, *files.skipped) for parent in _parents(name)}
    place_of = {name: place for name in missing if (place := _missing_place(name, inhabited, files.skipped))}
    moved = _hashes((path for name, path in present.items() if name not in before), hash_file) if place_of else ()
    place_of = {name: place for name, place in place_of.items() if before[name].sha256 not in moved}
    places = list(place_of.values())
    told = {
        str(folder) if place == _ROOT else place: _sentence(
            folder, place, files.skipped.get(place), places.count(place)
        )
        for place in dict.fromkeys(places)
    }
    paths = sorted(
        {*files.paths, *(folder / name for name in place_of)}, key=lambda path: path.relative_to(folder).parts
    )
    kept = {name: before[name] for name in place_of}
    return replace(files, paths=paths, skipped=files.skipped | told, kept=kept, away=tuple(told))


def _parents(name: str) -> list[str]:
    """Return the folders above a path, the innermost first.

    >>> _parents("a/b/c.md")
    ['a/b', 'a', '.']
    """
    parts = name.split("/")
    return [*("/".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)), _ROOT]


def _missing_place(name: str, inhabited: Collection[str], skipped: Collection[str]) -> str | None:
    """Return the outermost folder or link above a missing file that has nothing left, or the file's own link; None without."""
    places = [*reversed(_parents(name)), *([name] if name in skipped else [])]
    return next((place for place in places if place not in inhabited), None)


def _hashes(paths: Iterable[Path], hash_file: Callable[[Path], str]) -> set[str]:
    found = set()
    for path in paths:
        with suppress(OSError):
            found.add(hash_file(path))
    return found


def _sentence(folder: Path, place: str, fault: str | None, number: int) -> str:
    documents = "1 document of it stays" if number == 1 else f"{number} documents of it stay"
    remedy = (
        "put it back, or correct corpus.documents"
        if place == _ROOT
        else "'kohaku refresh --accept-missing' takes out what is deleted for good"
    )
    return f"{fault or _fault(folder / place)}; {documents} in the index until it is back; {remedy}"


def _fault(path: Path) -> str:
    if not os.path.exists(path):
        return "the link leads nowhere (is the drive mounted?)" if path.is_symlink() else "the folder is not there"
    return "the folder is empty" if os.access(path, os.R_OK | os.X_OK) else "the folder cannot be read"
