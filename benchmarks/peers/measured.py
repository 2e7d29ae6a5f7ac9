"""What every script of this folder shares: the texts and questions, the clock, and the form of a result.

The standard library alone, because each script runs in the environment of its own system.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Ranking = tuple[Sequence[str], Sequence[str]]  # documents of the hits, best first; texts to answer from, best first

TOP_K = 50
WORK, MODEL = Path(sys.argv[1]), sys.argv[2]
QUESTIONS: dict[str, str] = json.loads((WORK / "questions.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (WORK / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
]

_RESULTS: list[dict[str, Any]] = []


class Clock:
    """Wall and processor seconds since it was made, those of ended child processes included."""

    def __init__(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), _cpu_s()

    def read(self) -> tuple[float, float]:
        """Return the wall seconds and the processor seconds until now."""
        return time.perf_counter() - self._wall_s, _cpu_s() - self._cpu_s


def measure(mode: str, index_s: tuple[float, float], search: Callable[[str], Ranking]) -> None:
    """Ask all questions one at a time and keep what was found; `index_s` is (wall, processor) of the index."""
    search(next(iter(QUESTIONS.values())))  # models are loaded
    walls: list[float] = []
    found: dict[str, Ranking] = {}
    clock = Clock()
    for name, text in QUESTIONS.items():
        started = time.perf_counter()
        found[name] = search(text)
        walls.append(time.perf_counter() - started)
    _, cpu_s = clock.read()
    times = {"ms": 1000 * statistics.median(walls), "cpu_ms": 1000 * cpu_s / len(walls)}
    _RESULTS.append({"mode": mode, "index_s": index_s[0], "index_cpu_s": index_s[1], **times, "found": found})


def write_results() -> None:
    """Write the kept results beside the texts, under the name of the script."""
    (WORK / f"{Path(sys.argv[0]).stem}.json").write_text(json.dumps(_RESULTS), encoding="utf-8")


def _cpu_s() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
