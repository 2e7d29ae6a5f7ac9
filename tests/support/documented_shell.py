"""Runs the lines of a page as a shell does, its verbs in this process: there a verb costs a tenth.

No interpreter starts, nothing is imported and no model is loaded again. What is no verb goes to bash: the words before a
pipe, `cp`, `mkdir`, and a pipe into `.venv/bin/kohaku`. A folder that a line changes to holds for the lines after it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from glob import glob
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kohaku_assets.cli import main

VERB = re.compile(
    r"(?:(?P<input>[^|]+) \| |(?P<folder>[\w./]*\.venv/bin/))?kohaku (?P<words>[^|<>&;$~]+?)(?: > (?P<output>\S+))?"
)


class DocumentedShell:
    """A folder, and the environment of all that runs in it."""

    def __init__(self, folder: Path, environment: Mapping[str, str], patch: pytest.MonkeyPatch) -> None:
        self.folder, self._environment, self._patch = folder, environment, patch

    def run(self, lines: Iterable[str]) -> str:
        """Run the lines, each of which must succeed; return what they print."""
        return "".join(self._part(part) for line in lines for part in line.split(" && "))

    def verb(self, line: str, standard_input: str = "") -> Result:
        """Run one verb, which may fail."""
        self._patch.chdir(self.folder)
        for name, value in self._environment.items():
            self._patch.setenv(name, value)
        words = [word for part in shlex.split(line)[1:] for word in (sorted(glob(part)) if "*" in part else [part])]
        return CliRunner().invoke(main, words, input=standard_input)

    def bash(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a real shell; it must succeed."""
        environment = os.environ | self._environment
        done = subprocess.run(
            ["bash", "-ec", command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done

    def _part(self, part: str) -> str:
        if part.startswith("cd "):
            self.folder = self.folder / part.removeprefix("cd ")
            return ""
        found = VERB.fullmatch(part)
        if found is None:
            return self.bash(part).stdout
        if found["folder"]:
            assert os.access(self.folder / found["folder"] / "kohaku", os.X_OK), part
        result = self.verb(f"kohaku {found['words']}", self.bash(found["input"]).stdout if found["input"] else "")
        assert result.exit_code == 0, f"{part}\n{result.output}\n{result.exception!r}"
        if found["output"] is None:
            return result.stdout
        (self.folder / found["output"]).write_text(result.stdout, encoding="utf-8")
        return ""
