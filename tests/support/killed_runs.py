"""A refresh in a process of its own, killed with SIGKILL at a moment of one's choice: at a stage, a file, a time.

Run by hand, `python tests/support/killed_runs.py PATH-END N refresh …` is `kohaku refresh …` that kills itself when it is
about to rename a file to a path with that end for the N-th time, or with "remove PATH-END" to remove one: no moment is
missed, and nothing of kohaku is replaced.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from started_process import end_process, is_gone, kill_all, start_process

LIMIT_S = 300.0  # after which a run counts as hanging, on however busy a machine
REMOVE = "remove "
UNLIKE = ("trace_json", "latency_s")  # columns that tell of the run and not of its result


class KillableRun:
    """`kohaku refresh` in `folder`; its output so far in `lines`.

    At the end of a `with` block nothing of it runs on; what waits for its end or kills it at some moment needs no block.
    """

    def __init__(self, folder: Path, settings: list[str], *arguments: str, die_before: str = "", nth: int = 1) -> None:
        overrides = [part for override in settings for part in ("--set", override)]
        start = [__file__, die_before, str(nth)] if die_before else ["-m", "kohaku_assets.cli"]
        self.process = start_process(
            [sys.executable, *start, "refresh", "--verbose", *arguments, *overrides],
            cwd=folder,
            env=os.environ | {"DAGSTER_HOME": str(folder / "dagster_home")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> KillableRun:
        return self

    def __exit__(self, *error: object) -> None:
        kill_all(self.process)
        self._reader.join()
        end_process(self.process)

    def finish(self, limit_s: float = LIMIT_S) -> str:
        """Wait for the end and return what was printed; a run that hangs or fails is an AssertionError."""
        with self:
            try:
                code = self.process.wait(limit_s)
            except subprocess.TimeoutExpired:
                msg = f"the run hung for {limit_s:g} s after {self.lines[-3:]}"
                raise AssertionError(msg) from None
        assert code == 0, self.lines
        return "".join(self.lines)

    def kill(self) -> None:
        """Kill the process as the kernel or a power cut would; nothing of it runs on."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()

    def wait_for_work(self, limit_s: float = LIMIT_S) -> None:
        """Wait until it begins its first stage, or says that there is none to run."""
        with self._changed:
            begun = self._changed.wait_for(
                lambda: any(line.startswith(("… ", "every")) for line in self.lines), limit_s
            )
        assert begun, f"nothing began: {self.lines}"

    def wait_for_stage(self, stage: str, limit_s: float = LIMIT_S) -> None:
        """Wait until it says that it begins `stage`."""
        with self._changed:
            reached = self._changed.wait_for(lambda: f"… {stage}\n" in self.lines, limit_s)
        assert reached, f"{stage} never began: {self.lines}"

    def kill_at_stage(self, stage: str, later_s: float = 0.0) -> bool:
        """Kill the process `later_s` after it has begun `stage`, as `kill_after`; one that ends without it is let be."""
        with self:
            with self._changed:
                reached = self._changed.wait_for(lambda: f"… {stage}\n" in self.lines or self._ended, LIMIT_S)
            assert reached, f"neither {stage} nor an end: {self.lines}"
            return self.kill_after(later_s)

    def kill_after(self, seconds: float) -> bool:
        """Kill the process `seconds` from now and return True; False where it has ended by itself before."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return True
        self._reader.join()
        return False

    def ends_by_itself(self, limit_s: float = LIMIT_S) -> bool:
        """Wait until a process that was to kill itself has done so; False where it never came to that point."""
        with self:
            return self.process.wait(limit_s) == -signal.SIGKILL

    def is_gone(self) -> bool:
        """Tell whether all processes that it started end soon, too."""
        return is_gone(self.process)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                with self._changed:
                    self.lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def copy_inputs(source: Path, target: Path) -> Path:
    """Copy a project folder without what was computed in it."""
    return shutil.copytree(source, target, ignore=shutil.ignore_patterns("store", "history", "storage", "schedules"))


def chat_overrides(base_url: str) -> list[str]:
    """Return the settings under which the chat model at `base_url` answers, two calls at once."""
    llm = [
        "llm.provider=openai",
        "answer.by=model",
        f"llm.base_url={base_url}",
        "llm.max_concurrent=2",
        "llm.retry_base_s=0.01",
    ]
    return [*llm, "planner.kind=rule"]


def recorded_calls(folder: Path) -> list[str]:
    """Return the keys of all calls that reached the ledger; one that is there twice was paid for although known."""
    paths = sorted((folder / "data" / "store" / "llm_calls").glob("*.jsonl"))
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line)["key"] for line in lines if line.endswith("}")]


def stage_rows(folder: Path, settings: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every stage's present output by stage, without the columns that tell of the run."""
    from kohaku_assets.pipeline.project import Project
    from kohaku_assets.pipeline.stages import STAGES, with_ancestors
    from kohaku_lib.composition import load_settings

    files = Project(load_settings(overrides=settings, environment={}, folder=folder)).files
    tables = {name: files.latest_table(name) for name in with_ancestors(STAGES)}
    return {name: _rows(table) for name, table in tables.items()}


def _rows(table: Any) -> list[dict[str, Any]]:
    return table.drop_columns([name for name in UNLIKE if name in table.column_names]).to_pylist()


def _die_before(end: str, nth: int) -> None:
    met = itertools.count(1)
    awaited, place = ("os.remove", 0) if end.startswith(REMOVE) else ("os.rename", 1)
    end = end.removeprefix(REMOVE)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == awaited and str(arguments[place]).endswith(end) and next(met) == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


if __name__ == "__main__":
    _die_before(sys.argv.pop(1), int(sys.argv.pop(1)))
    from kohaku_assets.cli import run

    run()
