"""A server over a freshly built copy of the sample, for the programs beside this file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from llama_session import built_sample
from running_server import running_server

CLI = (sys.executable, "-m", "kohaku_assets.cli")
QUESTION = "How much electricity did the whole workshop use in 2023?"
VALUE = "41800"  # kWh, on page 1 of kohaku-energy-report


@dataclass(frozen=True, slots=True)
class Served:
    """The project, the address of its server, and a key of an administrator."""

    home: Path
    url: str
    key: str

    @property
    def command(self) -> list[str]:
        """The command that `kohaku mcp` is started by."""
        return [*CLI, "mcp", "--config", str(self.home / "kohaku.toml")]


@contextmanager
def served_sample() -> Iterator[Served]:
    """Build the sample in a folder of its own and serve it on a free port for the block; it must end with exit code 0."""
    with tempfile.TemporaryDirectory() as folder:
        home = built_sample(Path(folder))
        added = subprocess.run(
            [*CLI, "keys", "add", "client", "--role", "admin"], cwd=home, capture_output=True, text=True, check=True
        )
        with running_server(home) as running:
            yield Served(home, running.url, added.stdout.strip())
            code = running.stop()
            assert code == 0, f"the server ended with {code}: {running.log[-20:]}"
        print("the server ended in order", flush=True)


def held(what: str, is_so: bool, seen: object) -> None:
    """Print what was checked; raises AssertionError with what was seen where it does not hold."""
    assert is_so, f"{what}: {seen}"
    print(f"held: {what}", flush=True)
