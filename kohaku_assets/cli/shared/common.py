"""Shared by the verbs: options, error reporting, output of tables and JSON."""

from __future__ import annotations

import functools
import shlex
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kohaku_assets.cli.shared.terminal import json_text, visible

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.tables import StageReport

Verb = TypeVar("Verb", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
USER_MISTAKE, FAILED_RUN, STOPPED = 2, 1, 130
PATH_ERRORS = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def verb(example: str) -> Callable[[Verb], Verb]:
    """Return the decorator of every verb: adds its example to the help, --debug, and one-sentence errors."""

    def decorate(function: Verb) -> Verb:
        @functools.wraps(function)
        def run(*args: Any, debug: bool, **options: Any) -> Any:
            try:
                with _sigterm_as_interrupt():
                    return function(*args, **{name: _storable(value) for name, value in options.items()})
            except (
                click.ClickException,
                click.exceptions.Exit,
                BrokenPipeError,
            ):  # the reader of standard output is gone
                raise
            except KeyboardInterrupt:
                say("kohaku: stopped; finished stages and paid calls are saved, and the next run continues from there")
                sys.exit(STOPPED)
            except Exception as error:
                if debug:
                    emit(traceback.format_exc(), err=True)
                _exit_with(error)

        run.__doc__ = f"{function.__doc__}\n\n    Example:\n\n    \b\n      {example}\n    "
        option = click.option("--debug", is_flag=True, help="Show the traceback of a failure.")
        return option(run)  # type: ignore[return-value]

    return decorate


def _storable(value: Any) -> Any:
    """Replace invalid UTF-8 in a command line text, which could not be stored."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Handle SIGTERM, sent by service managers and containers, like Ctrl-C, so that paid calls are saved."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def own_name() -> str:
    """Return the command for a shell: the path of the script if its environment is not activated."""
    script, found = Path(sys.executable).with_name("kohaku"), shutil.which("kohaku")
    is_found = found is not None and Path(found).absolute() == script
    return "kohaku" if is_found or not script.exists() else shlex.quote(str(script))


def with_settings(function: Verb) -> Verb:
    """Add --config and --set, and pass the loaded project as `project`."""

    @functools.wraps(function)
    def run(*args: Any, config: Path | None, overrides: tuple[str, ...], **options: Any) -> Any:
        return function(*args, project=load_project(config, overrides), **options)

    return _settings_options(run)


def checks_settings(function: Verb) -> Verb:
    """Add --config and --set to a verb that reads no setting; they are only validated if given."""

    @functools.wraps(function)
    def run(*args: Any, config: Path | None, overrides: tuple[str, ...], **options: Any) -> Any:
        if config or overrides:
            load_project(config, overrides)
        return function(*args, **options)

    return _settings_options(run)


def _settings_options(run: Any) -> Any:
    for option in (
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."),
        click.option("--config", type=PATH, metavar="FILE", help="The kohaku.toml to read."),
    ):
        run = option(run)
    return run


def filter_options(function: Verb) -> Verb:
    """Add --document, --collection and --folder, passed as `documents`, `collections` and `folders`."""
    for option in (
        click.option("--folder", "folders", multiple=True, help="Only in this folder of the documents; repeatable."),
        click.option(
            "--collection", "collections", multiple=True, help="Only this collection of metadata.csv; repeatable."
        ),
        click.option("--document", "documents", multiple=True, metavar="ID", help="Only in this document; repeatable."),
    ):
        function = option(function)
    return function


def json_option(function: Verb) -> Verb:
    """Add --json, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def load_project(config: Path | None, overrides: Sequence[str]) -> Project:
    """Return the project of a settings file and overrides.

    Raises:
        SettingsError: A setting is invalid.
    """
    from kohaku_assets.cli.shared.lean import collect_garbage_rarely

    collect_garbage_rarely()  # before the heavy imports
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.service.keys_file import load_keys
    from kohaku_lib.settings import load_settings

    project = Project(load_settings(config, overrides))
    load_keys(project.home)
    return project


def print_json(value: Any) -> None:
    """Print a value as one JSON document on standard output."""
    click.echo(json_text(value, indent=1))


def emit(text: str, *, err: bool = False) -> None:
    """Print text on standard output, or standard error with `err`, with control characters escaped.

    The text is the same in a pipe; --json is lossless.
    """
    click.echo(visible(text), err=err)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output, as wide as the terminal or, in a pipe, up to 140 columns."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # rich parses plain strings as markup

    table = Table(title=Text(visible(title)) if title else None, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(Text(visible(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_cell(value))) for value in row))
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
            say(f"  {done} of {total}, {_rate(rate)} a second, {(total - done) / rate:.0f} s left")
            self._reported = now
        self._last = done


def finish(report: StageReport, text: str) -> None:
    """Print the problems of `report` and `text`; exit with FAILED_RUN if the report is incomplete."""
    for problem in report.problems:
        say(problem)
    if text:
        say(text)
    if report.incomplete:
        sys.exit(FAILED_RUN)


def say(text: str) -> None:
    """Print a message line on standard error, with keys and passwords masked."""
    from kohaku_lib.masking import masked

    emit(masked(text).replace("\n", "\\n"), err=True)


def _rate(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _exit_with(error: Exception) -> None:
    """Print one sentence about `error` and exit: with 2 for a user error, with 1 for anything else."""
    from kohaku_lib.errors import KohakuError, ModelError

    if isinstance(error, KohakuError):
        say(f"kohaku: {error}")
        sys.exit(FAILED_RUN if isinstance(error, ModelError) else USER_MISTAKE)
    from kohaku_lib.storage.disk_full import REMEDY, is_disk_full

    if is_disk_full(error):
        first_line = str(error).partition("\n")[0]
        say(f"kohaku: no space left on a disk ({first_line}); {REMEDY}")
        sys.exit(FAILED_RUN)
    if isinstance(error, OSError) and error.strerror and error.filename:
        say(
            f"kohaku: {str(error.filename)!r} cannot be read or written ({error.strerror}); check the path and its permissions"
        )
        sys.exit(USER_MISTAKE if isinstance(error, PATH_ERRORS) else FAILED_RUN)
    say(f"kohaku: {type(error).__name__}: {error} (this is a bug in kohaku; --debug shows the traceback)")
    sys.exit(FAILED_RUN)
