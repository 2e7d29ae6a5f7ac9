"""Which files of a store Kohaku writes; whatever else lies there is somebody else's, and is neither erased nor replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

_STAGE, _KEY, _RECORD = "[a-z0-9_]+", "[0-9a-f]{32}", r"latest\.json"
_PATTERNS = (
    r"\.(lock|use\.lock|backup\.lock|assistant\.db\.lock|accepted_questions\.lock|unfinished|bucket\.json)",
    r"format\.json|fetch\.jsonl|removals\.json(\.lock)?|submission\.csv|release_scores\.parquet",
    r"kohaku\.duckdb(\.wal)?|assistant\.db(-wal|-shm|-journal)?",
    r"((stages|cache|snapshots)/(.+/)?)?\.checked\.json",
    rf"stages/{_STAGE}/({_RECORD}|{_KEY}\.(parquet|json))",
    r"cache/(attachments|file_hashes|payload_ids)\.json",
    r"cache/(.+/)?part-([0-9]{20}-[0-9a-f]{16}\.parquet|[0-9a-f]{32}\.tmp)",
    r"llm_calls/[0-9]{20}-[0-9]+-[0-9a-f]{8}\.jsonl",
    r"llm_batches/[0-9]{20}-[0-9a-f]{8}\.json",
    r"snapshots/(current|pinned|withdrawn)",
    r"snapshots/(\.partial-)?[A-Za-z0-9][\w.-]*/(meta\.json|index\.\S+|\w+\.arrow|vectors\.\S+)",
    r"snapshots/(\.partial-)?[A-Za-z0-9][\w.-]*/(lexical|graph|raptor|late|lightrag)/\S+",
    r"history/[0-9]{4}-[^/]+ [0-9a-f]{8}\.json",
    rf"experiments/[0-9a-f]{{12}}/[^/]+/((experiment|results)\.parquet|(answers|first_question)\.csv|(records|first)/{_STAGE}/{_RECORD})",
    rf"sweeps/[^/]+/(report\.(md|html|png)|questions/[0-9a-f]{{12}}\.csv|records/[0-9a-f]{{12}}/{_STAGE}/{_RECORD})",
    rf"sweeps/[^/]+/cells/{_KEY}\.(parquet|failure\.json)",
    r"reports/error_report\.(html|md)",
    r"usage/[a-z_]+\.parquet",
    r"trash/[0-9a-f]{12}",
    r"erasing/[0-9a-f]{16}\.json",
    r"damaged/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6}/.+",
)
_OWN = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{8}\.tmp(?:\.wal)?")  # beside the file that it becomes


def is_own(name: str) -> bool:
    """Return whether the file `name`, a path relative to a store with slashes, is one that Kohaku writes.

    >>> is_own("history/2026-11-25T22-54-46.1+00-00 0a1b2c3d.json"), is_own("submission.csv"), is_own("notes.md")
    (True, True, False)
    >>> is_own(".submission.csv.0a1b2c3d.tmp"), is_own(".notes.md.0a1b2c3d.tmp"), is_own("damaged/photo.png")
    (True, False, False)
    """
    path = PurePosixPath(name)
    temporary = _TEMPORARY.fullmatch(path.name)
    return _OWN.fullmatch(path.with_name(temporary[1]).as_posix() if temporary else name) is not None


def own_files(store: Path, folder: Path | None = None) -> list[Path]:
    """Return the files that Kohaku has written in a store, or below a `folder` of it, sorted."""
    return [path for path, own in _files(store, folder or store) if own]


def other_files(store: Path) -> list[Path]:
    """Return the files of a store that Kohaku has not written, links too, sorted."""
    return [path for path, own in _files(store, store) if not own]


def leftovers(store: Path) -> list[Path]:
    """Return the temporary files that killed processes left in a store; no writer may be active meanwhile."""
    return [path for path in own_files(store) if path.suffix == ".tmp"]


def remove_own_files(store: Path, folder: Path) -> int:
    """Delete the files that Kohaku has written below `folder` of a store, and what is empty then; return their number."""
    files = own_files(store, folder)
    for path in files:
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        with suppress(OSError):  # not empty
            path.rmdir()
    with suppress(OSError):
        folder.rmdir()
    return len(files)


def _files(store: Path, folder: Path) -> Iterator[tuple[Path, bool]]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or path.is_file():
            yield path, is_own(path.relative_to(store).as_posix())
