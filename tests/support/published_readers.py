"""Threads that ask and search a project while its index versions are published in turn and pruned."""

from __future__ import annotations

import shutil
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from kohaku_assets.components.preflight import open_checked
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.index import SearchFilter, current_version, prune, publish

QUESTION, UNIT, VALUE = "How much electricity did the whole workshop use in 2023?", "kWh", "41800"


@dataclass
class Read:
    """What came of all calls."""

    publishes: int = 0
    asked: int = 0
    searched: int = 0
    lost: int = 0
    wrong: int = 0  # answers other than the one that stands in the documents
    errors: list[str] = field(default_factory=list)


def read_while_publishing(home: Path, threads: int, publishes: int) -> Read:
    """Let threads read the built project at `home`, half by questions and half by searches, while copies are published.

    Each publish is of a copy of the index under a new name, after which all but the newest version are pruned.
    """
    found, done, lock = Read(), threading.Event(), threading.Lock()
    project = Project(load_settings(environment={}, folder=home))
    open_checked(project).ask(QUESTION, UNIT)  # models load once
    workers = [
        threading.Thread(target=_read, args=(home, number, found, done, lock), daemon=True) for number in range(threads)
    ]
    for worker in workers:
        worker.start()
    folder = project.snapshots
    for turn in range(publishes):
        before = current_version(folder)
        assert before is not None
        _copy(folder / before, folder / f"copy{turn}")
        publish(folder, f"copy{turn}")
        prune(folder, 1)
        found.publishes += 1
        time.sleep(0.2)
    done.set()
    for worker in workers:
        worker.join()
    return found


def _copy(source: Path, target: Path) -> None:
    partial = target.with_name(f".partial-{target.name}")
    shutil.copytree(source, partial)
    partial.replace(target)


def _read(home: Path, number: int, found: Read, done: threading.Event, lock: threading.Lock) -> None:
    while True:
        try:
            lost, is_right = _asked(home) if number % 2 else _searched(home)
            error = None
        except Exception as fault:
            lost, is_right, error = False, True, f"{type(fault).__name__}: {fault}"
        with lock:
            found.asked += number % 2
            found.searched += 1 - number % 2
            found.lost += lost
            found.wrong += not is_right
            found.errors += [error] if error else []
        if done.is_set():
            return


def _asked(home: Path) -> tuple[bool, bool]:
    answer = open_checked(Project(load_settings(environment={}, folder=home))).ask(QUESTION, UNIT)
    return bool(answer.lost_channels), answer.value == VALUE


def _searched(home: Path) -> tuple[bool, bool]:
    opened = open_checked(Project(load_settings(environment={}, folder=home)), ())
    result, _ = opened.ranking("electricity of the machine room", 3, SearchFilter())
    return "failed_channels" in result.trace, bool(result.matches)
