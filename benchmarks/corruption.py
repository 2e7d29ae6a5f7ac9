"""Random damage to a store: whether each verb ends with a right answer, a repair or one sentence, and none hangs.

    python benchmarks/corruption.py [--count 500] [--seed 0] [--first 0] [--log FILE]

Each trial copies a project built from data/sample, damages one of its files (cut, a bit flipped, emptied, deleted,
swapped with another, or a bit flipped that sizes and times do not show), and runs status, ask, refresh and doctor, in
every other trial doctor before refresh. Afterwards nothing may be damaged or out of date, and all must be as it was.
Trials run in a process of their own, which is started anew where it dies or takes longer than 300 s over one.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
LIMIT_S = 300.0


def main() -> None:
    """Print every fault, and how many trials ended how; exit with 1 where there was a fault."""
    options = _options()
    if options.worker:
        _work(Path(options.worker), options.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        _build(Path(folder) / "base")
        trials = _run_all(Path(folder), options)
    _report(trials)
    sys.exit(any(trial["faults"] for trial in trials))


def _run_all(folder: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    trials: list[dict[str, Any]] = []
    worker: subprocess.Popen[str] | None = None
    for number in range(options.first, options.first + options.count):
        worker = worker or _start(folder, options.seed)
        trial: dict[str, Any] | None = _ask_worker(worker, number)
        if trial is None:
            worker.kill()
            worker.wait()
            trial = {"number": number, "kind": "?", "family": "?", "faults": [f"no reply (exit {worker.returncode})"]}
            worker = None
        trials.append(trial)
        if options.log:
            with options.log.open("a") as log:
                print(json.dumps(trial), file=log)
        for fault in trial["faults"]:
            print(f"{number} {trial['kind']} {trial.get('file')}: {fault}", flush=True)
        if number % 25 == 24:
            print(f"… {number + 1}", flush=True)
    if worker is not None:
        worker.communicate("", timeout=LIMIT_S)
    return trials


def _ask_worker(worker: subprocess.Popen[str], number: int) -> dict[str, Any] | None:
    """Return what came of a trial; None where the worker died or hangs."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{number}\n")
    worker.stdin.flush()
    ready, _, _ = select.select([worker.stdout], [], [], LIMIT_S)
    line = worker.stdout.readline() if ready else ""
    return json.loads(line) if line else None


def _start(folder: Path, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--worker", str(folder), "--seed", str(seed)]
    log = (folder / "worker.log").open("a")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)


def _work(folder: Path, seed: int) -> None:
    """Run the trials whose numbers come on standard input."""
    from damaged_stores import run_trial  # the module of the tests

    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        trial = run_trial(folder / "base", folder / "home", int(line), seed)
        print(json.dumps(asdict(trial)), file=replies, flush=True)


def _build(base: Path) -> None:
    shutil.copytree(ROOT / "data" / "sample", base / "data" / "sample")
    shutil.copy(ROOT / "kohaku.toml", base)
    (base / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", base / "dagster_home")
    environment = {**os.environ, "DAGSTER_HOME": str(base / "dagster_home")}
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh"]
    subprocess.run(command, cwd=base, env=environment, check=True, capture_output=True)
    from damaged_stores import add_ledger

    add_ledger(base)


def _report(trials: list[dict[str, Any]]) -> None:
    for field in ("kind", "family"):
        for name, count in sorted(Counter(trial[field] for trial in trials).items()):
            wrong = sum(bool(trial["faults"]) for trial in trials if trial[field] == name)
            print(f"{field:8}{name:24}{count:5} trials{wrong:5} with a fault")
    print(f"{len(trials)} trials, {sum(bool(trial['faults']) for trial in trials)} with a fault")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, help="a line for each trial: the file and what each verb said")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
