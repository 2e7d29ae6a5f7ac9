"""The decorator of every verb: its example, --debug, and errors as one sentence with an exit code."""

from __future__ import annotations

import functools
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kohaku_assets.cli.shared.output import emit, say

if TYPE_CHECKING:
    from kohaku_lib.tables import StageReport

Command = TypeVar("Command", bound=Callable[..., Any])
USER_MISTAKE, FAILED_RUN, STOPPED = 2, 1, 130
_SAVED = "; finished stages and paid calls are saved, and the next run continues from there"
PATH_ERRORS = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def verb(example: str, *, resumes: bool = False) -> Callable[[Command], Command]:
    """Return the decorator of every verb: adds its example to the help, --debug, and one-sentence errors.

    One that is stopped and `resumes` says that what it has computed and paid for is saved.
    """

    def decorate(function: Command) -> Command:
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
            except (KeyboardInterrupt, click.Abort):
                say(f"kohaku: stopped{_SAVED if resumes else ''}")
                sys.exit(STOPPED)
            except Exception as error:
                if debug:
                    emit(traceback.format_exc(), err=True)
                _exit_with(error)

        run.__doc__ = f"{function.__doc__}\n\n    Example:\n\n    \b\n      {example}\n    "
        option = click.option("--debug", is_flag=True, help="Show the traceback of a failure.")
        return option(run)  # type: ignore[return-value]

    return decorate


def finish(report: StageReport, text: str) -> None:
    """Print the problems of `report` and `text`; exit with FAILED_RUN if the report is incomplete."""
    for problem in report.problems:
        say(problem)
    if text:
        say(text)
    if report.incomplete:
        sys.exit(FAILED_RUN)


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
