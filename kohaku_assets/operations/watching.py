"""Keeps an index in step with a folder: whenever its files come to rest, a refresh runs. Imports no Dagster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from kohaku_assets.pipeline.project import Project
from kohaku_lib.documents.corpus.files import corpus_files
from kohaku_lib.errors import InputFileError

State = frozenset[tuple[str, int, int]]  # path, size in bytes, time of change in ns


def watch(
    project: Project, refresh: Callable[[], bool], stop: threading.Event, *, every_s: float, rest_s: float
) -> None:
    """Call `refresh` at once and after each change of the project's files, until `stop` is set; again where it is False.

    Files that are still being written are waited for: the files must be the same for `rest_s`, looked at each `every_s`.

    Raises:
        InputFileError: There is no folder of documents.
    """
    if project.settings.corpus.documents is None:
        msg = "corpus.documents is not set; name the folder to watch in kohaku.toml"
        raise InputFileError(msg)
    done: State | None = None
    seen, quiet_s = file_states(project), rest_s
    while not stop.is_set():
        if seen != done and quiet_s >= rest_s and refresh():
            done = seen
        stop.wait(every_s)
        now = file_states(project)
        quiet_s = quiet_s + every_s if now == seen else 0.0
        seen = now


def file_states(project: Project) -> State:
    """Return size and time of every file that the project reads; a file that vanishes meanwhile is left out."""
    corpus = project.settings.corpus
    paths = [*corpus_files(corpus).paths, *(path for path in (corpus.metadata, corpus.questions) if path is not None)]
    return frozenset(state for path in paths if (state := _state(path)) is not None)


def _state(path: Path) -> tuple[str, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return str(path), found.st_size, found.st_mtime_ns
