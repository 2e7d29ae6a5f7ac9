"""The files below a folder that can be documents, and what else stands there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kohaku_lib.errors import InputFileError
from kohaku_lib.kinds import format_of
from kohaku_lib.settings import CorpusSettings

_REMEDY = "move it here, or set corpus.follow_links = true"


_LOCK = "~$"


def corpus_files(corpus: CorpusSettings) -> CorpusFiles:
    """Return what stands below `corpus.documents`; hidden files and the corpus' own CSV files are not looked at.

    Without `corpus.documents` there are none. Raises InputFileError where the folder does not exist or cannot be read.

    >>> corpus_files(CorpusSettings())
    CorpusFiles(found=[], passed_over={})
    """
    files = CorpusFiles()
    folder = corpus.documents
    if folder is None:
        return files
    if not folder.is_dir():
        msg = f"the folder {str(folder)!r} that corpus.documents names does not exist; create it or mend the setting"
        raise InputFileError(msg)
    own = {os.path.realpath(path) for path in (corpus.metadata, corpus.questions) if path is not None}
    whole = os.path.realpath(folder)
    entries = _entries(folder, files, corpus.follow_links)
    for path in sorted(entries, key=lambda path: path.relative_to(folder).parts):
        real = os.path.realpath(path)
        if real in own or not _is_file(path):
            continue
        name = _shown(path, folder)
        if not corpus.follow_links and not Path(real).is_relative_to(whole):
            files.passed_over[name] = f"the link leads out of the folder of documents; {_REMEDY}"
        elif name != path.relative_to(folder).as_posix():
            files.passed_over[name] = "the file's name is not UTF-8; rename it"
        elif path.name.startswith(_LOCK):
            files.passed_over[name] = "a lock file that an office program keeps while a document is open"
        elif format_of(path) is None:
            files.passed_over[name] = "not a document format"
        else:
            files.found.append(path)
    return files


@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """The files in a format that is read, sorted by path, and why what else stands there is passed over, by its path."""

    found: list[Path] = field(default_factory=list)
    passed_over: dict[str, str] = field(default_factory=dict)


def _entries(folder: Path, files: CorpusFiles, follow_links: bool) -> Iterator[Path]:
    """Yield what stands below `folder` and is neither hidden nor a folder; folders that are not entered are told.

    With `follow_links` a folder is entered once, however many links lead to it.
    """

    def tell(fault: OSError) -> None:
        if Path(fault.filename) == folder:
            msg = f"the folder {str(folder)!r} that corpus.documents names cannot be read ({fault.strerror}); mend its rights"
            raise InputFileError(msg) from fault
        files.passed_over[_shown(Path(fault.filename), folder)] = (
            f"the folder cannot be read ({fault.strerror}); mend its rights"
        )

    entered: set[str] = set()
    for place, folders, names in os.walk(folder, onerror=tell, followlinks=follow_links):
        real = os.path.realpath(place)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders[:] = [name for name in folders if not name.startswith(".")]
        for link in (
            path for path in (Path(place, name) for name in folders) if path.is_symlink() and not follow_links
        ):
            files.passed_over[_shown(link, folder)] = f"links to folders are not followed; {_REMEDY}"
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _is_file(path: Path) -> bool:
    """Return whether `path` is a file, or cannot be told from one: its row then says why it cannot be read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def _shown(path: Path, folder: Path) -> str:
    """Return the path below `folder` as it can be printed: a name that is not UTF-8 as Python writes it."""
    relative = path.relative_to(folder).as_posix()
    try:
        relative.encode()
    except UnicodeEncodeError:
        return ascii(relative)
    return relative
