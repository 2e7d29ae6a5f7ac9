"""How many documents have changed since they were read, as far as a quick look tells."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from kohaku_lib.errors import KohakuError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project

MOST_FILES = 400  # whose names, sizes and times are looked at within some 50 ms


def changed_files(project: Project) -> int | None:
    """Return how many documents are new, gone or written since the last refresh read them, by name, size and times alone.

    None where that is not known: without a folder, before the first refresh, or with more than 400 files.
    """
    record, folder = project.files.latest("source_files"), project.settings.corpus.documents
    if record is None or folder is None:
        return None
    try:
        listed = project.files.read("source_files", record.input_key).select(["path", "size_bytes"])
        if listed.num_rows > MOST_FILES:
            return None
        size_by_path = dict(zip(*(column.to_pylist() for column in listed.columns), strict=True))
        read_at_ns = project.files.record_path("source_files").stat().st_mtime_ns
        present = {path.relative_to(folder).as_posix(): path for path in project.user_files.files.paths}
    except (KohakuError, OSError):  # a run may be writing; whoever asks is answered all the same
        return None
    files = {name for name in size_by_path if name and size_by_path.keys().isdisjoint(_places_above(name))}
    written = [name for name in files & present.keys() if _is_written(present[name], size_by_path[name], read_at_ns)]
    unread = {name for name in written if not project.user_files.is_known(present[name])}
    return len(files ^ present.keys()) + len(unread)


def _places_above(name: str) -> set[str]:
    return {place.as_posix() for place in PurePosixPath(name).parents}


def _is_written(path: Path, size_bytes: int | None, read_at_ns: int) -> bool:
    try:
        found = path.stat()
    except OSError:  # the drive of a file that stays may be away
        return False
    return found.st_size != size_bytes or found.st_mtime_ns > read_at_ns
