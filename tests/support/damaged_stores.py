"""Damages a store at random and asks what every verb makes of it: repaired, right, or said in one sentence."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES, with_ancestors
from kohaku_lib.composition import load_settings
from kohaku_lib.storage import FileChecks, seal_of

STORE = Path("data/store")
QUESTION = ("How much electricity did the whole workshop use in 2023?", "--unit", "kWh", "--json")
ANSWER = "41800"
KINDS = ("truncate", "flip", "empty", "delete", "swap", "rot")
FAMILIES = {
    "stage files": "stages/*/*.parquet",
    "manifests": "stages/*/[0-9a-f]*.json",
    "records": "stages/*/latest.json",
    "index tables": "snapshots/*/**/*.arrow",
    "index arrays": "snapshots/*/**/*.npy",
    "index texts": "snapshots/*/**/*.json",
    "index database": "snapshots/*/index.duckdb",
    "format": "format.json",
    "pointer": "snapshots/current",
    "row caches": "cache/**/part-*.parquet",
    "memos": "**/*hashes.json",
    "checked": "**/.checked.json",
    "ledger": "llm_calls/*.jsonl",
    "views": "kohaku.duckdb",
    "scores of the release": "release_scores.parquet",
    "reports": "reports/*",
    "answers": "submission.csv",
    "history": "history/*.json",
    "lock": ".lock",
    "Dagster": "../../dagster_home/**/*.db",
}


@dataclass
class Trial:
    """One damage, what each verb printed, and what is wrong with that."""

    number: int
    kind: str
    family: str
    file: str
    said: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def files_of(home: Path, family: str) -> list[Path]:
    """Return the files of a family in the project at `home`."""
    found = sorted((home / STORE).glob(FAMILIES[family]))
    if family == "manifests":
        found = [path for path in found if path.name != "latest.json"]
    return [path for path in found if path.is_file()]


def present_families(home: Path) -> list[str]:
    """Return the families that the project at `home` has files of."""
    return [family for family in FAMILIES if files_of(home, family)]


def run_trial(base: Path, home: Path, number: int, seed: int = 0) -> Trial:
    """Copy the built project `base` to `home`, damage one file of it and try every verb; `home` is removed again."""
    rng = random.Random(f"{seed}-{number}")
    families = present_families(base)
    family, kind = families[number % len(families)], KINDS[(number // len(families) + number) % len(KINDS)]
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(base, home)
    try:
        path = rng.choice(files_of(home, family))
        trial = Trial(number, kind, family, str(path.resolve().relative_to(home.resolve())))
        damage(home, path, kind, rng)
        _try_verbs(home, base, trial)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return trial


def damage(home: Path, path: Path, kind: str, rng: random.Random) -> None:
    """Damage the file at `path`; "rot" flips a bit behind the back of whoever goes by sizes and times."""
    content = path.read_bytes()
    if kind == "delete":
        path.unlink()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "truncate":
        path.write_bytes(content[: rng.randrange(len(content))] if content else b"")
    elif kind == "swap":
        others = [other for family in present_families(home) for other in files_of(home, family) if other != path]
        other = rng.choice(others)
        first = other.read_bytes()
        other.write_bytes(content)
        path.write_bytes(first)
    elif content:
        seal = seal_of(path)
        at, bit = rng.randrange(len(content)), 1 << rng.randrange(8)
        path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
        if kind == "rot":
            _forget(home, path, lambda checks: checks.note(path, seal))


def _forget(home: Path, path: Path, note: Callable[[FileChecks], None]) -> None:
    """Let every memo of checked files above `path` take it for what was written."""
    for folder in path.parents:
        if folder == home:
            break
        if (folder / ".checked.json").exists():
            checks = FileChecks(folder)
            note(checks)
            checks.save()


def _try_verbs(home: Path, base: Path, trial: Trial) -> None:
    before = os.environ.get("DAGSTER_HOME")
    os.environ["DAGSTER_HOME"] = str(home / "dagster_home")
    try:
        _verb(home, trial, "status")
        _ask(home, trial, "ask")
        for verb in ("refresh", "doctor") if trial.number % 2 else ("doctor", "refresh"):
            _verb(home, trial, verb)
        _verb(home, trial, "doctor --check", must_end_well=True)
        _verb(home, trial, "status --json", must_end_well=True, prints="[]")
        _ask(home, trial, "ask again", must_be_right=True)
        trial.faults += differences(base, home)
    finally:
        if before is not None:
            os.environ["DAGSTER_HOME"] = before


def _verb(home: Path, trial: Trial, verb: str, *, must_end_well: bool = False, prints: str | None = None) -> None:
    code, out, err = _invoke(home, verb.split(), trial, verb)
    if must_end_well and code:
        trial.faults.append(f"{verb} exits with {code}: {out}{err}")
    if prints is not None and out.strip() != prints:
        trial.faults.append(f"{verb} prints {out}")


def _ask(home: Path, trial: Trial, name: str, *, must_be_right: bool = False) -> None:
    code, out, err = _invoke(home, ["ask", *QUESTION], trial, name)
    if code:
        trial.faults += [f"{name} fails: {err}"] if must_be_right else []
        return
    told = json.loads(out)
    is_right = told["answer_value"] == ANSWER and (not must_be_right or not told["lost_channels"])
    is_hidden = trial.kind == "rot" and not must_be_right  # only a doctor reads everything
    if not is_right and not is_hidden and (must_be_right or not told["lost_channels"]):
        trial.faults.append(f"{name} answers {told['answer_value']!r} without {sorted(told['lost_channels'])}")
    if told["lost_channels"] and "contributed nothing" not in err:
        trial.faults.append(f"{name} lost channels in silence")


def _invoke(home: Path, arguments: Sequence[str], trial: Trial, name: str) -> tuple[int, str, str]:
    """Run a verb in this process; a failure must be one sentence of ours."""
    result = CliRunner().invoke(main, [*arguments, "--config", str(home / "kohaku.toml")])
    code = 0 if result.exception is None else getattr(result.exception, "code", 99)
    said = [line for line in result.stderr.splitlines() if line.startswith("kohaku: ")]
    trial.said[name] = f"{code} {said or result.stderr.strip().splitlines()[-1:]}"
    if "Traceback" in result.output or "fault of kohaku" in result.output or code == 99:
        trial.faults.append(f"{name}: {result.output[-2000:]} {result.exception!r}")
    elif code and not said and not name.startswith("doctor"):
        trial.faults.append(f"{name} exits with {code} and says {result.stderr}")
    return code, result.stdout, result.stderr


def differences(base: Path, home: Path) -> list[str]:
    """Return how the mended store at `home` differs from `base` in what it holds."""
    one, other = (Project(load_settings(environment={}, folder=folder)) for folder in (base, home))
    found = [
        f"{name} has another content" for name in with_ancestors(STAGES) if _content(one, name) != _content(other, name)
    ]
    if one.submission.read_bytes() != (other.submission.read_bytes() if other.submission.exists() else None):
        found.append("submission.csv has another content")
    return found


def _content(project: Project, stage: str) -> str | None:
    record = project.files.latest(stage)
    return record.content_hash if record else None


def add_ledger(home: Path) -> None:
    """Give the project at `home` a ledger of three calls."""
    from kohaku_lib.llm import CallLedger, ChatReply, ChatRequest

    ledger = CallLedger(home / STORE / "llm_calls")
    for number in range(3):
        request = ChatRequest("m", "system", f"question {number}", 0.0, 9, 0, 0, "predictions", f"q{number}")
        ledger.record("openai", request, ChatReply(f"reply {number}", 3, 0, 2, 0.1, 0.5, 1, "stop"))
    ledger.close()
