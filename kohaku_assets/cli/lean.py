"""Keeps the command line quick: what takes long to load, to watch over or to take apart, and serves nobody here."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from typing import NoReturn

from kohaku_lib.lean_imports import without

# Python looks for cycles of garbage after so many new objects, and among older ones after so many rounds.
NEW_OBJECTS, ROUNDS = 100_000, 50


def lighten() -> None:
    """Make this process quick to start: rarer searches for garbage cycles, and no pandas.

    Loading the libraries of a run makes some hundred thousand objects that stay, and Python would look at them all
    again and again.
    """
    gc.set_threshold(NEW_OBJECTS, ROUNDS)
    spare_pandas()


def spare_pandas() -> None:
    """Let pyarrow believe that there is no pandas, for as long as nobody asks it for a data frame.

    It imports pandas, where that is installed, as soon as a list becomes an array, to tell whether it is one of
    pandas' own, which takes longer than many a command. It looks once; `to_pandas()` looks again. Where pandas is
    loaded already, nothing changes.
    """
    import pyarrow as pa

    with without("pandas"):
        pa.array([0])


def leave(stop: SystemExit) -> NoReturn:
    """End the process as `stop` asks, without taking apart what it has loaded, which may take a second.

    What is registered for the end is done and what was printed arrives. Where a thread is still at work, or the output
    cannot be written, it raises `stop`, and the process ends as usual.
    """
    at_work = [one for one in threading.enumerate() if not one.daemon and one is not threading.main_thread()]
    if at_work or not isinstance(stop.code, int | None):
        raise stop
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by whoever started the command
                stream.flush()
    except (OSError, ValueError):
        raise stop from None
    os._exit(stop.code or 0)
