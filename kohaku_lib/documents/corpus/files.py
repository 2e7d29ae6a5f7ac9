"""List the document files below the corpus folder, and the skipped entries."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.errors import InputFileError
from kohaku_lib.settings import CorpusSettings

_REMEDY = "move it here, or set corpus.follow_links = true"


_LOCK_FILE_PREFIX = "~$"
_PROJECT_FILES = {"kohaku.toml", "workspace.yaml"}  # of a project in the folder of its documents


def corpus_files(corpus: CorpusSettings) -> CorpusFiles:
    """Return the files below `corpus.documents`, none if it is not set; hidden files and the corpus' CSVs are ignored.

    >>> corpus_files(CorpusSettings())
    CorpusFiles(paths=[], skipped={}, left_out=frozenset(), kept={}, away=())

    Raises:
        InputFileError: The folder does not exist or cannot be read.

    """
    files = CorpusFiles()
    folder = corpus.documents
    if folder is None:
        return files
    if not folder.is_dir():
        msg = f"the folder {str(folder)!r} that corpus.documents names does not exist; create it or correct the setting"
        raise InputFileError(msg)
    own = {os.path.realpath(path) for path in (corpus.metadata, corpus.questions) if path is not None}
    root = os.path.realpath(folder)
    entries = _visible_files(folder, files, corpus.follow_links)
    for path in sorted(entries, key=lambda path: path.relative_to(folder).parts):
        real = os.path.realpath(path)
        if real in own or (path.parent == folder and path.name in _PROJECT_FILES):
            continue
        reason = _reason_to_skip(path, folder, None if corpus.follow_links else root)
        if reason is None:
            files.paths.append(path)
        else:
            files.skipped[_printable_path(path, folder)] = reason
    return files


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What is known of a file that was read before."""

    sha256: str
    size_bytes: int | None
    document_id: str


@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """The files in a known format, sorted by path, and the reasons by path why other entries are skipped.

    `left_out` are the paths of those that were left out by choice, which may lead into files. `kept` are the files among `paths`
    that are out of reach (`with_kept`), `away` the skipped places where they were.
    """

    paths: list[Path] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    kept: Mapping[str, KnownFile] = field(default_factory=dict)
    away: tuple[str, ...] = ()


def _visible_files(folder: Path, files: CorpusFiles, follow_links: bool) -> Iterator[Path]:
    """Yield the visible files below `folder`; folders that are not entered are added to `files.skipped`.

    With `follow_links` each folder is entered once, however many links point to it.
    """

    def on_error(fault: OSError) -> None:
        if Path(fault.filename) == folder:
            reason = f"cannot be read ({fault.strerror}); correct its permissions"
            msg = f"the folder {str(folder)!r} that corpus.documents names {reason}"
            raise InputFileError(msg) from fault
        files.skipped[_printable_path(Path(fault.filename), folder)] = (
            f"the folder cannot be read ({fault.strerror}); correct its permissions"
        )

    entered: set[str] = set()
    for place, folders, names in os.walk(folder, onerror=on_error, followlinks=follow_links):
        real = os.path.realpath(place)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders[:] = [name for name in folders if not name.startswith(".") and not _is_dagster_home(Path(place, name))]
        for link in (
            path for path in (Path(place, name) for name in folders) if path.is_symlink() and not follow_links
        ):
            files.skipped[_printable_path(link, folder)] = f"links to folders are not followed; {_REMEDY}"
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _reason_to_skip(path: Path, folder: Path, root: str | None) -> str | None:
    """Return why an entry is no document; None for one that is. Links may not lead out of `root`, if it is given."""
    real = os.path.realpath(path)
    if not _is_file(path):
        return "no file, but a pipe, a socket or a device"
    if path.is_symlink() and not os.path.lexists(real):
        return "the link leads nowhere (is the drive mounted?)"
    if root is not None and not Path(real).is_relative_to(root):
        return f"the link points outside the documents folder; {_REMEDY}"
    if _printable_path(path, folder) != path.relative_to(folder).as_posix():
        return "the file's name is not UTF-8; rename it"
    if path.name.startswith(_LOCK_FILE_PREFIX):
        return "a lock file of an office program"
    return "not a document format" if format_of(path) is None else None


def _is_dagster_home(folder: Path) -> bool:
    """Return whether Dagster keeps its own files in `folder`, as in a project whose folder holds the documents."""
    return (folder / "dagster.yaml").is_file()


def _is_file(path: Path) -> bool:
    """Return whether `path` is a file or cannot be examined; in that case its row reports why it cannot be read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def _printable_path(path: Path, folder: Path) -> str:
    """Return the path relative to `folder` in printable form; a name that is not UTF-8 is escaped by `ascii`."""
    relative = path.relative_to(folder).as_posix()
    try:
        relative.encode()
    except UnicodeEncodeError:
        return ascii(relative)
    return relative
