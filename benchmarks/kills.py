"""Refreshes killed with SIGKILL at random moments: the next one never hangs, ends alike and pays nothing twice.

    python benchmarks/kills.py [--rounds 10] [--kills 6] [--seed 0]
    python benchmarks/kills.py --stages        # twice in a row at each stage instead
    python benchmarks/kills.py --moves         # the folder of the documents is away, or empty, for a while before each kill

Each round takes the inputs of data/sample anew and kills a run so many times, each at a random moment, such that all
of them spread over the work; where a run ends before its moment, the next one computes everything anew (--force).
Then a run is left to finish within 60 s. The chat model is the server of the tests, on the loopback, which counts what
it is asked. "Repeated" are calls that had reached the ledger and were asked again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from killed_runs import KillableRun, chat_overrides, recorded_calls, stage_rows  # noqa: E402

from kohaku_assets.pipeline.stages import STAGES, with_ancestors  # noqa: E402
from kohaku_lib.testing.openai_server import OpenAIServer  # noqa: E402

LIMIT_S = 60.0  # that the run after the kills of a round may take
IN_FLIGHT = 2  # calls at once, of which a kill may lose as many

Kill = Callable[[Path, list[str]], str]  # starts a run, kills it and says where


def main() -> None:
    """Print a row per round and a verdict; exit with 1 where something is not as it should be."""
    options = _options()
    print("| round | killed at | last run s | tables that differ | calls repeated | billed | left processes |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary, OpenAIServer(delay_s=0.05) as server:
        folder, settings = Path(temporary), chat_overrides(server.base_url)
        started = time.monotonic()
        KillableRun(_project(folder / "calm"), settings).finish(600)
        usual_s, calm = time.monotonic() - started, stage_rows(folder / "calm", settings)
        calls, faults, slowest = len(server.billed), 0, 0.0
        for number, kills in enumerate(_rounds(options, usual_s), start=1):
            server.billed.clear()
            found, seconds = _round(number, _project(folder / "rough"), settings, kills, calm, server)
            faults += found + (len(server.billed) > calls + IN_FLIGHT * len(kills))
            slowest = max(slowest, seconds)
            shutil.rmtree(folder / "rough")
    print(f"\nundisturbed: {usual_s:.1f} s, {calls} calls; slowest run after a kill: {slowest:.1f} s; faults: {faults}")
    sys.exit(faults > 0)


def _rounds(options: argparse.Namespace, usual_s: float) -> Iterator[list[Kill]]:
    if options.stages:
        yield from ([_at_stage(stage)] * 2 for stage in with_ancestors(STAGES))
        return
    dice = random.Random(options.seed)
    for _ in range(options.rounds):
        yield _at_random(dice, usual_s, options.kills, moves=options.moves)


def _at_stage(stage: str) -> Kill:
    def kill(folder: Path, settings: list[str]) -> str:
        run = KillableRun(folder, settings)
        run.kill_at_stage(stage)
        return _where(run)

    return kill


def _at_random(dice: random.Random, usual_s: float, kills: int, *, moves: bool) -> list[Kill]:
    forced: list[str] = []

    def kill(folder: Path, settings: list[str]) -> str:
        while True:
            run = KillableRun(folder, settings, *forced)
            if dice.randrange(kills):  # else while it starts
                run.wait_for_work()
            if moves:
                _move_for_a_while(folder / "data" / "sample" / "documents", dice, usual_s / kills)
            if run.kill_after(dice.uniform(0.0, 2 * usual_s / kills)):
                return _where(run)
            forced[:] = ["--force"]

    return [kill] * kills


def _move_for_a_while(folder: Path, dice: random.Random, mean_s: float) -> None:
    """Take a folder away, or leave an empty one in its place as a lost mount does, and put it back."""
    time.sleep(dice.uniform(0.0, 2 * mean_s))
    away = folder.rename(folder.with_name("away"))
    if leaves_empty := dice.random() < 0.5:
        folder.mkdir()
    time.sleep(dice.uniform(0.0, 2 * mean_s))
    if leaves_empty:
        folder.rmdir()
    away.rename(folder)


def _where(run: KillableRun) -> str:
    stages = [line[2:].strip() for line in run.lines if line.startswith("… ")]
    return ("start" if not stages else stages[-1]) + ("" if run.is_gone() else " (processes left)")


def _round(
    number: int, folder: Path, settings: list[str], kills: list[Kill], calm: dict[str, Any], server: OpenAIServer
) -> tuple[int, float]:
    """Kill and finish; print the row, and return the faults that were found and how long the last run took."""
    places = [kill(folder, settings) for kill in kills]
    started = time.monotonic()
    try:
        KillableRun(folder, settings).finish(LIMIT_S)
    except AssertionError as error:
        print(f"| {number} | {', '.join(places)} | {error} | | | | |", flush=True)
        return 1, time.monotonic() - started
    seconds, rough = time.monotonic() - started, stage_rows(folder, settings)
    unlike = [name for name in calm if rough[name] != calm[name]]
    recorded = recorded_calls(folder)
    repeated = len(recorded) - len(set(recorded))
    left = sum("left" in place for place in places)
    cells = [number, ", ".join(places), f"{seconds:.1f}", ", ".join(unlike) or 0, repeated, len(server.billed), left]
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return len(unlike) + repeated + left, seconds


def _project(folder: Path) -> Path:
    shutil.copytree(ROOT / "data" / "sample", folder / "data" / "sample")
    shutil.copy(ROOT / "kohaku.toml", folder)
    (folder / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", folder / "dagster_home")
    return folder


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--moves", action="store_true", help="move the folder of the documents before each kill")
    parser.add_argument("--stages", action="store_true", help="kill twice in a row at each stage")
    return parser.parse_args()


if __name__ == "__main__":
    main()
