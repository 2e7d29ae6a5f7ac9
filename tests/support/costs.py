"""What each test and fixture costs: `pytest --costs=FILE` writes a line of JSON for each, with its seconds.

`python tests/support/costs.py FILE` then prints the dearest files and tests. `own` is the processor time of the process
that runs the test, `children` that of the processes it has waited for; a server that is not waited for is not counted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

DEAREST = 25


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", type=Path, help="append the seconds of each test and fixture to FILE")


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--costs"):
        config.pluginmanager.register(Costs(path.open("a", buffering=1, encoding="utf-8")))


class Costs:
    """Writes a line for each phase of a test, each fixture and the collection."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._worker = os.environ.get("PYTEST_XDIST_WORKER", "main")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        with self._timed("collection", ""):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with self._timed("setup", item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with self._timed("call", item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with self._timed("teardown", item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        with self._timed("fixture", f"{fixturedef.baseid}::{fixturedef.argname}"):
            return (yield)

    def pytest_unconfigure(self) -> None:
        self._stream.close()

    @contextmanager
    def _timed(self, kind: str, name: str) -> Iterator[None]:
        began, (own, children) = time.perf_counter(), _processor_s()
        try:
            yield
        finally:
            own_now, children_now = _processor_s()
            row = {"kind": kind, "name": name, "worker": self._worker, "wall_s": time.perf_counter() - began}
            row |= {"own_s": own_now - own, "children_s": children_now - children}
            text = json.dumps(
                {key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}
            )
            self._stream.write(f"{text}\n")


def _processor_s() -> tuple[float, float]:
    now = os.times()
    return now.user + now.system, now.children_user + now.children_system


def main(path: str) -> None:
    """Print the seconds of all workers, and the files and tests that take most of them."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    tests = [row for row in rows if row["kind"] != "fixture"]  # a fixture is part of the phase that asks for it
    by_file: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_test: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in tests:
        seconds = {key: row[key] for key in ("wall_s", "own_s", "children_s")}
        by_file[row["name"].partition("::")[0] or "collection"].update(seconds)
        by_test[row["name"] or "collection"].update(seconds)
    print(f"{'wall':>8} {'own':>8} {'children':>8}   seconds of the processor, by file and by test")
    everything = sum(by_file.values(), Counter())
    for name, seconds in [("all", everything), *_dearest(by_file), *_dearest(by_test)]:
        print(f"{seconds['wall_s']:8.1f} {seconds['own_s']:8.1f} {seconds['children_s']:8.1f}   {name}")


def _dearest(costs: dict[str, Counter[str]]) -> list[tuple[str, Counter[str]]]:
    return sorted(costs.items(), key=lambda item: -item[1]["wall_s"])[:DEAREST]


if __name__ == "__main__":
    main(*sys.argv[1:])
