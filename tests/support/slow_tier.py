"""The part of the slow tier that a check runs: `pytest -m slow --slow-part=SECONDS`.

Chosen are the files whose code has changed since the whole tier passed, and a third of all, another one for each tree.
After `SECONDS` the rest is skipped, with that reason.
"""

from __future__ import annotations

import hashlib
import subprocess
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSED = ROOT / ".ci" / "slow-tier"  # the commit at which the whole tier passed; `make test-slow` writes it
BEGAN = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow-part", metavar="SECONDS", type=float, help="of the slow tests run a part, for so long")
    parser.addoption("--within", metavar="SECONDS", type=float, help="skip all tests after so long")


def choose_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the chosen files in `items`, those whose code has changed first."""
    if config.getoption("--slow-part") is None:
        return
    changed, tree = _changed_since_passed(), _git("rev-parse", "HEAD^{tree}")
    chosen = {file: is_changed(file, changed) for file in {_file(item) for item in items}}
    chosen = {file: is_changed for file, is_changed in chosen.items() if is_changed or in_third(tree, file)}
    left_out = [item for item in items if _file(item) not in chosen]
    config.hook.pytest_deselected(items=left_out)
    items[:] = sorted((item for item in items if _file(item) in chosen), key=lambda item: not chosen[_file(item)])


def skip_after_time(item: pytest.Item) -> None:
    """Skip `item` if the time of the run is used up."""
    part, within = item.config.getoption("--slow-part"), item.config.getoption("--within")
    elapsed_s = time.monotonic() - BEGAN
    if part is not None and elapsed_s > part:
        pytest.skip(f"the {part:g} s of the slow tier's part are used up; 'make test-slow' runs all of it")
    if within is not None and elapsed_s > within:
        pytest.skip(f"the {within:g} s are used up; 'make test' runs all")


def in_third(tree: str, file: str) -> bool:
    """Tell whether `file` belongs to the third that is run for `tree`."""
    return hashlib.sha256(f"{tree} {file}".encode()).digest()[0] % 3 == 0


def is_changed(file: str, changed: Iterable[str] | None) -> bool:
    """Tell whether a neighbour of a file of tests, or the code that it mirrors, has changed; None is an unknown change."""
    folder = PurePosixPath(file).parent
    code = folder.relative_to("tests")
    return changed is None or any(
        PurePosixPath(path).parent in (folder, code) or path.startswith(f"{code}/") for path in changed
    )


def _changed_since_passed() -> list[str] | None:
    try:
        return _git("diff", "--name-only", PASSED.read_text(encoding="utf-8").strip(), "HEAD").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return None


@cache
def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
