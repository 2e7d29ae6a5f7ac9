"""A sign on a terminal that an answer comes about."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.status import Status

_AFTER_S = 0.3  # what is faster needs no sign


class Spinner:
    """Turns on standard error from 300 ms on, until `stop` or the end of its `with` block.

    It does so only where both outputs are a terminal, and not if it is `hidden`.
    """

    def __init__(self, *, hidden: bool = False) -> None:
        self._is_shown = not hidden and sys.stderr.isatty() and sys.stdout.isatty()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Leave the line to what is printed from now on."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._status is not None:
                self._status.stop()
            self._timer = self._status = None

    def behind(self, show: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return `show` such that it prints on a line of its own, behind which the spinner goes on."""

        def show_alone(value: Any) -> None:
            self.stop()
            show(value)
            self._start()

        return show_alone

    def _start(self) -> None:
        if self._is_shown:
            self._timer = threading.Timer(_AFTER_S, self._turn)
            self._timer.daemon = True
            self._timer.start()

    def _turn(self) -> None:
        from rich.console import Console

        with self._lock:
            if self._timer is threading.current_thread():  # else it was stopped meanwhile
                self._status = Console(stderr=True).status("looking for the answer")
                self._status.start()
