"""Output of the verbs: messages, tables, JSON, and progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

import click

from kohaku_assets.cli.shared.terminal import json_text, visible


def say(text: str) -> None:
    """Print a message line on standard error, with keys and passwords masked."""
    from kohaku_lib.masking import masked

    emit(masked(text).replace("\n", "\\n"), err=True)


def emit(text: str, *, err: bool = False) -> None:
    """Print text on standard output, or standard error with `err`, with control characters escaped.

    The text is the same in a pipe; --json is lossless.
    """
    click.echo(visible(text), err=err)


def emit_part(text: str, *, err: bool = False) -> None:
    """Print text as `emit` does and stay on its line, as for a prompt or an answer that arrives in parts."""
    click.echo(visible(text), nl=False, err=err)


def print_json(value: Any) -> None:
    """Print a value as one JSON document on standard output."""
    click.echo(json_text(value, indent=1))


def print_json_line(value: Any) -> None:
    """Print a value as one line of JSON on standard output."""
    click.echo(json_text(value))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output, as wide as the terminal or, in a pipe, up to 140 columns."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # rich parses plain strings as markup

    table = Table(title=Text(visible(title)) if title else None, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(Text(visible(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_cell_text(value))) for value in row))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


class Progress:
    """Reports the progress, rate and remaining time of a long stage on standard error every few seconds."""

    def __init__(self, every_s: float = 5.0) -> None:
        self._every_s = every_s
        self._started = self._reported = 0.0
        self._last = 0
        self.begin()

    def begin(self) -> None:
        """Reset for another stage; its first call sets the starting count."""
        self._first: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """Record `done` items of `total`, which may decrease as some turn out to be cached."""
        now = time.monotonic()
        if self._first is None or done < self._last:
            self._first, self._started, self._reported = done, now, now
        elif now - self._reported >= self._every_s and self._first < done < total:
            rate = (done - self._first) / (now - self._started)
            say(f"  {done} of {total}, {_format_rate(rate)} a second, {(total - done) / rate:.0f} s left")
            self._reported = now
        self._last = done


def _format_rate(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"


def _cell_text(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
