"""What one organisation, and callers without a key, cost another one: latencies of `kohaku serve` over the loopback.

    python benchmarks/fairness.py [--seconds 8]

The sample project is copied, built and served with keys of two organisations, both of which have its documents. Searches
of the second are timed while nobody else asks, then while one key of the first sends all it can: long questions in one
session and in many, structured answers, and searches with large filters. Then /healthz is timed while another address of
this machine sends endless heads, idle connections and uploads without the right; after that the memory of the server is
compared with that before. Load comes from a process of its own, so that what is timed does not wait for it in the client.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import json
import multiprocessing
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from running_server import RunningServer, running_server

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import open_keys
from kohaku_lib.composition import load_settings

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("acme", "bolt")
MOST_TIMES_QUIET, MOST_HEALTH_MS, MOST_MEMORY_SHARE = 3.0, 100.0, 1.1
WARM_UP, BEGIN_S, PAUSE_S = 20, 3.0, 0.05
FOLDERS = 900  # of a large filter
AT_ONCE = 6  # threads of each kind of load
MUCH = 190_000_000  # bytes of an upload
PIECE = b"a" * 65_536


@dataclass(frozen=True)
class Target:
    """Where a load goes, by whose key, and what it asks; `ended` is set at its end."""

    host: str
    port: int
    key: str
    questions: Sequence[str]
    session_id: str
    ended: Any

    def connection(self) -> socket.socket:
        """Return a connection from another address than that of the client whose requests are timed."""
        return socket.create_connection((self.host, self.port), timeout=30, source_address=("127.0.0.2", 0))


def main() -> None:
    """Print the latencies and what came of the load; exit with 1 where an aim is missed."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        keys, questions = _project(home)
        with running_server(home, "--set", "assistant.cache=false") as server:
            host, port = server.client.base_url.host, server.client.base_url.port
            assert port is not None
            begun = httpx.post(
                f"{server.url}/v1/sessions", headers={"Authorization": f"Bearer {keys['acme']}"}, timeout=120
            )
            ended = multiprocessing.get_context("spawn").Event()
            target = Target(host, port, keys["acme"], questions, begun.json()["session_id"], ended)
            is_met = [
                *_fairness(server, target, keys["bolt"], options.seconds),
                *_flood(server, target, options.seconds),
            ]
    print(f"{sum(is_met)} of {len(is_met)} aims met")
    sys.exit(not all(is_met))


def _fairness(server: RunningServer, target: Target, key: str, seconds: float) -> Iterator[bool]:
    """Time the second organisation's searches alone and beside the first's load; yield whether each aim is met."""
    queries = itertools.cycle(target.questions)
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:

        def search() -> None:
            client.post("/v1/search", json={"query": next(queries)}).raise_for_status()

        for _ in range(WARM_UP):
            search()
        quiet_ms = _times_ms(search, seconds)
        print(f"{'measured':44}{'count':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}  statuses of the load")
        _show("search of bolt", quiet_ms, {})
        aim = MOST_TIMES_QUIET * float(np.percentile(quiet_ms, 95))
        for names in (*((name,) for name in BODIES), tuple(BODIES)):
            with _running(names, target) as counts:
                times_ms = _times_ms(search, seconds)
            _show(f"search of bolt, acme: {names[0] if len(names) == 1 else 'all'}", times_ms, counts)
            yield float(np.percentile(times_ms, 95)) <= aim
        print(f"aim: p95 of at most {aim:.0f} ms")


def _flood(server: RunningServer, target: Target, seconds: float) -> Iterator[bool]:
    """Time /healthz alone and beside callers without a key or a right; yield whether each aim is met."""
    process = psutil.Process(server.process.pid)

    def health() -> None:
        server.client.get("/healthz").raise_for_status()

    _show("/healthz", _times_ms(health, seconds), {})
    before = process.memory_info().rss
    for names in (*((name,) for name in FLOODS), tuple(FLOODS)):
        with _running(names, target) as counts:
            times_ms = _times_ms(health, seconds)
        _show(f"/healthz, {names[0] if len(names) == 1 else 'all'}", times_ms, counts)
        yield float(np.percentile(times_ms, 99)) <= MOST_HEALTH_MS
    print(f"aim: p99 of at most {MOST_HEALTH_MS:.0f} ms")
    after = process.memory_info().rss
    print(f"memory: {before / 1e6:.0f} MB before, {after / 1e6:.0f} MB after; aim: at most {MOST_MEMORY_SHARE:g} times")
    yield after <= MOST_MEMORY_SHARE * before


def _long(target: Target) -> str:
    return " ".join(itertools.islice(itertools.cycle(target.questions), 40))[:1980]


# What one reader of the first organisation sends, the n-th time.
BODIES: dict[str, Callable[[Target, int], tuple[str, dict[str, object]]]] = {
    "one session": lambda target, number: (
        "/v1/chat",
        {"message": f"{number} {_long(target)}", "session_id": target.session_id},
    ),
    "many sessions": lambda target, number: ("/v1/chat", {"message": f"{number} {_long(target)}"}),
    "answers": lambda target, number: ("/v1/answers", {"question": f"{number} {_long(target)}"}),
    "filters": lambda target, number: (
        "/v1/search",
        {"query": f"{number} {_long(target)}", "filter": {"folders": [NAMES[0]] * (FOLDERS - number % 100)}},
    ),
}


def _ask(name: str, target: Target, numbers: Iterator[int], counts: Counter[str]) -> None:
    with httpx.Client(base_url=f"http://{target.host}:{target.port}", timeout=120) as client:
        while not target.ended.is_set():
            path, body = BODIES[name](target, next(numbers))
            status = client.post(path, json=body, headers={"Authorization": f"Bearer {target.key}"}).status_code
            counts[str(status)] += 1
            if status == httpx.codes.TOO_MANY_REQUESTS:
                target.ended.wait(PAUSE_S)


def _endless_heads(target: Target, counts: Counter[str]) -> None:
    while not target.ended.is_set():
        with contextlib.suppress(OSError), target.connection() as one:
            counts["heads"] += 1
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            while not target.ended.is_set():
                one.sendall(PIECE)


def _idle_connections(target: Target, counts: Counter[str]) -> None:
    opened: list[socket.socket] = []
    while not target.ended.wait(0.001):
        with contextlib.suppress(OSError):
            opened.append(target.connection())
            counts["connections"] += 1
        if len(opened) > 400:
            opened.pop(0).close()
    for one in opened:
        one.close()


def _uploads(target: Target, counts: Counter[str]) -> None:
    head = (
        "POST /v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {MUCH}\r\nAuthorization: Bearer {target.key}\r\n\r\n--x\r\n"
    )
    while not target.ended.is_set():
        with contextlib.suppress(OSError), target.connection() as one:
            counts["uploads"] += 1
            one.sendall(head.encode())
            for _ in range(MUCH // len(PIECE)):
                one.sendall(PIECE)


FLOODS: dict[str, tuple[Callable[[Target, Counter[str]], None], int]] = {  # each with its threads
    "endless heads": (_endless_heads, AT_ONCE),
    "idle connections": (_idle_connections, 1),
    "uploads without a right": (_uploads, AT_ONCE),
}


def send_load(names: Sequence[str], target: Target, sender: Any) -> None:
    """Send what is named until the target's end, then tell how often what came of it; in a process of its own."""
    counts: Counter[str] = Counter()
    numbers = itertools.count()
    threads: list[threading.Thread] = []
    for name in names:
        if name in BODIES:
            threads += [threading.Thread(target=_ask, args=(name, target, numbers, counts)) for _ in range(AT_ONCE)]
        else:
            work, number = FLOODS[name]
            threads += [threading.Thread(target=work, args=(target, counts)) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sender.send(dict(counts))


@contextmanager
def _running(names: Sequence[str], target: Target) -> Iterator[dict[str, int]]:
    """Send what is named for the block; after it, what is given holds what came of it."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    target.ended.clear()
    process = context.Process(target=send_load, args=(names, target, sender))
    process.start()
    counts: dict[str, int] = {}
    try:
        time.sleep(BEGIN_S)  # its libraries are imported meanwhile
        yield counts
    finally:
        target.ended.set()
        counts |= receiver.recv()
        process.join()


def _times_ms(work: Callable[[], object], seconds: float) -> list[float]:
    times_ms, end = [], time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        work()
        times_ms.append((time.perf_counter() - begun) * 1000)
    return times_ms


def _show(name: str, times_ms: list[float], counts: dict[str, int]) -> None:
    p50, p95, p99 = np.percentile(times_ms, (50, 95, 99))
    print(f"{name:44}{len(times_ms):8}{p50:9.1f}{p95:9.1f}{p99:9.1f}  {json.dumps(counts)}", flush=True)


def _project(home: Path) -> tuple[dict[str, str], list[str]]:
    """Build the sample project for two organisations at `home`; return their keys of the role reader, and questions."""
    sample = ROOT / "data" / "sample"
    for name in NAMES:
        shutil.copytree(sample / "documents", home / "documents" / name)
    settings = f'[corpus]\ndocuments = "documents"\norg_folders = true\norg_id = "{NAMES[0]}"\n'
    (home / "kohaku.toml").write_text(settings, encoding="utf-8")
    (home / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home / "dagster_home")
    os.environ["DAGSTER_HOME"] = str(home / "dagster_home")
    project = Project(load_settings(environment={}, folder=home))
    failure = refresh(project, ["published_index"]).failure
    assert failure is None, failure
    with open_keys(project.store, None) as keys:
        made = {name: keys.add(name, name, "reader") for name in NAMES}
    with (sample / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
        return made, [row["question"] for row in csv.DictReader(file)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    return parser.parse_args()


if __name__ == "__main__":
    main()
