"""Load on `kohaku serve` over the loopback: requests a second, latencies, CPU a request, memory, and what HTTP costs.

    python benchmarks/serving.py --project my-project                  1, 8, 32 and 64 clients, 5 s each
    python benchmarks/serving.py --project my-project --kind chat

Clients ask the questions of corpus.questions in turn, each over one connection that stays open. The semantic cache is off,
so that every chat is searched and read anew; nothing is written but the sessions.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import itertools
import os
import sys
import time
from pathlib import Path
from statistics import median

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from running_server import RunningServer, running_server

from kohaku_lib.composition import load_settings
from kohaku_lib.project import open_project

CLIENTS = (1, 8, 32, 64)
WARM_UP = 20
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = _options()
    questions = _questions(options.project)
    with running_server(options.project, "--set", "assistant.cache=false") as server:
        for question in questions[:WARM_UP]:
            server.client.post("/v1/chat", json={"message": question}).raise_for_status()
        print(f"{'':10}{'clients':>8}{'req/s':>9}{'p50 ms':>9}{'p95':>9}{'p99':>9}{'errors':>8}{'CPU ms':>9}{'MB':>7}")
        for kind in options.kind:
            for clients in options.clients:
                _measure(server, kind, questions, clients, options.seconds)
        print(f"first event of a stream: {_first_event_ms(server, questions):.1f} ms (p50)")
        _print_overhead(server, options.project, questions)


def _measure(server: RunningServer, kind: str, questions: list[str], clients: int, seconds: float) -> None:
    cpu_before, begun = _cpu_s(server), time.perf_counter()
    times_ms, errors = asyncio.run(_load(server.url, kind, questions, clients, seconds))
    took = time.perf_counter() - begun
    p50, p95, p99 = np.percentile(times_ms, (50, 95, 99))
    cpu_ms = (_cpu_s(server) - cpu_before) / len(times_ms) * 1000
    latencies = f"{p50:9.1f}{p95:9.1f}{p99:9.1f}"
    used = f"{cpu_ms:9.1f}{_memory_mb(server):7.0f}"
    print(f"{kind:10}{clients:8}{len(times_ms) / took:9.1f}{latencies}{errors:8}{used}", flush=True)


async def _load(address: str, kind: str, questions: list[str], clients: int, seconds: float) -> tuple[list[float], int]:
    """Return the milliseconds of every request within `seconds`, and how many failed."""
    times_ms: list[float] = []
    errors, turn, end = 0, itertools.count(), time.perf_counter() + seconds
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)

    async def one_client(client: httpx.AsyncClient) -> None:
        nonlocal errors
        while time.perf_counter() < end:
            begun = time.perf_counter()
            path, body = _path_and_body(kind, questions[next(turn) % len(questions)])
            response = await client.post(path, json=body)
            times_ms.append((time.perf_counter() - begun) * 1000)
            errors += response.status_code != 200

    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        await asyncio.gather(*(one_client(client) for _ in range(clients)))
    return times_ms, errors


def _first_event_ms(server: RunningServer, questions: list[str]) -> float:
    times = []
    for question in questions[:WARM_UP]:
        begun = time.perf_counter()
        with server.client.stream("POST", "/v1/chat", json={"message": question, "stream": True}) as response:
            lines = response.iter_lines()
            next(lines)
            times.append((time.perf_counter() - begun) * 1000)
            list(lines)  # to the end, so that the connection can be used again
    return median(times)


def _print_overhead(server: RunningServer, project: Path, questions: list[str]) -> None:
    """Print the time of a request that does nothing, and that of searches in this process."""
    times = []
    for _ in range(100):
        begun = time.perf_counter()
        server.client.get("/v1/me").raise_for_status()
        times.append((time.perf_counter() - begun) * 1000)
    with open_project(project) as opened:
        opened.search(questions[0])
        own = []
        for question in questions[:WARM_UP]:
            begun = time.perf_counter()
            opened.search(question)
            own.append((time.perf_counter() - begun) * 1000)
    print(
        f"HTTP with the gate alone: {median(times):.1f} ms (p50); a search in this process: {median(own):.1f} ms (p50)"
    )


def _path_and_body(kind: str, question: str) -> tuple[str, dict[str, str]]:
    return ("/v1/search", {"query": question}) if kind == "search" else ("/v1/chat", {"message": question})


def _cpu_s(server: RunningServer) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory_mb(server: RunningServer) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def _questions(project: Path) -> list[str]:
    path = load_settings(environment={}, folder=project).settings.corpus.questions
    assert path is not None, "the project has no corpus.questions"
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row["question"] for row in csv.DictReader(file)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path, required=True, help="a project with an index and corpus.questions")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--kind", nargs="+", choices=("search", "chat"), default=["search", "chat"])
    parser.add_argument("--clients", nargs="+", type=int, default=CLIENTS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
