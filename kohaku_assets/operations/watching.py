"""Keeps an index in step with a folder: whenever its files come to rest, a refresh runs. Imports no Dagster."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from kohaku_assets.pipeline.project import Project
from kohaku_lib.documents.corpus.files import corpus_files
from kohaku_lib.errors import InputFileError

_LOG = logging.getLogger("kohaku")
_MOST_WAIT_S = 900.0
State = frozenset[tuple[str, int, int]]  # path, size in bytes, time of change in ns


def watch(
    project: Project, refresh: Callable[[], bool], stop: threading.Event, *, every_s: float, rest_s: float
) -> None:
    """Call `refresh` at once and after each change of the project's files, until `stop` is set; again where it is False.

    Files that are still being written are waited for: the files must be the same for `rest_s`, looked at each `every_s`. A
    folder that is away is waited for, too. Between calls that return False the wait doubles, up to 15 minutes.

    Raises:
        InputFileError: There is no folder of documents at the start.
    """
    if project.settings.corpus.documents is None:
        msg = "corpus.documents is not set; name the folder to watch in kohaku.toml"
        raise InputFileError(msg)
    done: State | None = None
    seen: State | None = file_states(project)
    quiet_s, wait_s, next_wait_s = rest_s, 0.0, every_s
    while not stop.is_set():
        if seen is not None and seen != done and quiet_s >= rest_s and wait_s <= 0.0:
            if refresh():
                done, next_wait_s = seen, every_s
            else:
                wait_s, next_wait_s = next_wait_s, min(2 * next_wait_s, _MOST_WAIT_S)
        stop.wait(every_s)
        wait_s -= every_s
        now = _present_states(project)
        if now is None and seen is not None:
            _LOG.warning("the documents cannot be looked at; they are waited for")
        if now != seen:
            quiet_s, wait_s, next_wait_s = 0.0, 0.0, every_s
        else:
            quiet_s += every_s
        seen = now


def _present_states(project: Project) -> State | None:
    try:
        return file_states(project)
    except InputFileError:
        return None


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
