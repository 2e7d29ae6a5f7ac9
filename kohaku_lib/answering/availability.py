"""Whether the server of a batch of questions answers at all."""

from __future__ import annotations

import threading

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import NoMoreCallsError

_MAX_FAILURES = 3


class Availability:
    """Thread-safe tracker of the server's availability over one batch of `items` questions.

    If the first three calls (or all of a smaller batch) find the server unavailable and none has succeeded, the batch
    ends with a ModelError. After a success, failures affect single questions only, except that a server that accepts no
    more calls ends the batch at any time.
    """

    def __init__(self, items: int) -> None:
        self._limit = min(_MAX_FAILURES, items)
        self._lock = threading.Lock()
        self._failures = 0
        self._alive = False
        self._fatal_error: ModelError | None = None

    def check(self) -> None:
        """Raise the error that ended the batch, if any.

        Raises:
            ModelError: The batch has ended.

        """
        if self._fatal_error is not None:
            raise self._fatal_error

    def record_success(self) -> None:
        """Record a call that the server answered."""
        self._alive = True

    def record_failure(self, error: ModelError) -> None:
        """Record a call that found the server unavailable.

        Raises:
            ModelError: The batch ends.

        """
        with self._lock:
            self._failures += 1
            if isinstance(error, NoMoreCallsError):
                self._fatal_error = self._fatal_error or _out_of_calls_error(error)
            elif self._alive or self._failures < self._limit:
                return
            else:
                self._fatal_error = self._fatal_error or _unavailable_error(error, self._failures)
        raise self._fatal_error


def _out_of_calls_error(error: ModelError) -> ModelError:
    return ModelError(
        f"{error}; the remaining questions were not sent: refresh again when the server accepts calls "
        "(finished calls stay in the ledger)"
    )


def _unavailable_error(error: ModelError, failures: int) -> ModelError:
    return ModelError(
        f"{error}; none of the first {failures} questions was answered, so the rest was not sent: "
        "check the server, llm.base_url, llm.model and the key (finished calls stay in the ledger)"
    )
