"""Draws what a command prints as an SVG picture of a terminal: `python docs/terminal_picture.py OUT.svg COMMAND …`."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS = 112


def draw_terminal(out: Path, command: list[str]) -> None:
    """Run `command` and write its output, standard error included, under its own line to `out`."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)  # noqa: S603
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ {shlex.join([Path(command[0]).name, *command[1:]])}", style="bold"))
    console.print(Text.from_ansi(done.stdout.rstrip()))
    console.save_svg(str(out), title="kohaku")


if __name__ == "__main__":
    draw_terminal(Path(sys.argv[1]), sys.argv[2:])
