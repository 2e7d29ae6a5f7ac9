"""What the verbs share: the options, the way errors are reported, and how tables are printed."""

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
    """Return a decorator for every verb: its example in the help, --debug, and one sentence instead of a traceback."""

    def decorate(function: Verb) -> Verb:
        @functools.wraps(function)
        def run(*args: Any, debug: bool, **options: Any) -> Any:
            try:
                with _stopping_as_by_hand():
                    return function(*args, **{name: _storable(value) for name, value in options.items()})
            except (click.ClickException, click.exceptions.Exit, BrokenPipeError):  # the reader of our output left
                raise
            except KeyboardInterrupt:
                say("kohaku: stopped; what was finished and paid for is kept, and the next run goes on from there")
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
    """Return a text of the command line without bytes that are no UTF-8, which nothing could store."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@contextmanager
def _stopping_as_by_hand() -> Iterator[None]:
    """Take the signal by which services and containers are stopped as Ctrl-C: calls that are paid for are kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def own_name() -> str:
    """Return how a shell calls this command: by its path where the environment that holds it is not activated."""
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
    """Add --config and --set to a verb that needs no setting: they are only checked, where they are given."""

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
    """Return the project of a settings file and overrides; raises SettingsError."""
    from kohaku_assets.cli.shared.lean import search_garbage_rarely

    search_garbage_rarely()  # before most is loaded
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
    """Print text for people, on standard output unless `err`, with nothing in it that could steer a terminal.

    In a pipe it is the same text; --json loses nothing.
    """
    click.echo(visible(text), err=err)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output, as wide as the terminal or, in a pipe, as it needs."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # rich takes plain strings as markup

    table = Table(title=Text(visible(title)) if title else None, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(Text(visible(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_cell(value))) for value in row))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


class Progress:
    """Reports on standard error, every few seconds, how far a long stage has come, its rate and the time left."""

    def __init__(self, every_s: float = 5.0) -> None:
        self._every_s = every_s
        self._started = self._reported = 0.0
        self._last = 0
        self.begin()

    def begin(self) -> None:
        """Start anew, as another stage does: its first call says from where it counts."""
        self._first: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """Take note of `done` items of `total`, which may become fewer as some turn out to be known."""
        now = time.monotonic()
        if self._first is None or done < self._last:
            self._first, self._started, self._reported = done, now, now
        elif now - self._reported >= self._every_s and self._first < done < total:
            rate = (done - self._first) / (now - self._started)
            say(f"  {done} of {total}, {_rate(rate)} a second, {(total - done) / rate:.0f} s left")
            self._reported = now
        self._last = done


def finish(report: StageReport, text: str) -> None:
    """Print the problems of `report` and `text`; exit as a failed run where the report is incomplete."""
    for problem in report.problems:
        say(problem)
    if text:
        say(text)
    if report.incomplete:
        sys.exit(FAILED_RUN)


def say(text: str) -> None:
    """Print a line of talk on standard error, without keys and passwords."""
    from kohaku_lib.masking import masked

    emit(masked(text).replace("\n", "\\n"), err=True)


def _rate(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _exit_with(error: Exception) -> None:
    """Print one sentence about `error` and leave: 2 for the user's mistake, 1 for anything else."""
    from kohaku_lib.errors import KohakuError, ModelError

    if isinstance(error, KohakuError):
        say(f"kohaku: {error}")
        sys.exit(FAILED_RUN if isinstance(error, ModelError) else USER_MISTAKE)
    from kohaku_lib.storage.disk_full import REMEDY, is_disk_full

    if is_disk_full(error):
        first_line = str(error).partition("\n")[0]
        say(f"kohaku: no space is left on a disk ({first_line}); {REMEDY}")
        sys.exit(FAILED_RUN)
    if isinstance(error, OSError) and error.strerror and error.filename:
        say(
            f"kohaku: {str(error.filename)!r} cannot be read or written ({error.strerror}); mend the path or its rights"
        )
        sys.exit(USER_MISTAKE if isinstance(error, PATH_ERRORS) else FAILED_RUN)
    say(f"kohaku: {type(error).__name__}: {error} (this is a fault of kohaku; --debug shows where)")
    sys.exit(FAILED_RUN)
