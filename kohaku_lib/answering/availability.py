"""When to give a server up instead of blanking question after question."""

from __future__ import annotations

import threading

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import NoMoreCallsError

_MOST_FAILURES = 3


class Availability:
    """Watches over the calls of one batch of `items` questions, from several threads.

    Where the first three calls (or all, in a smaller batch) find the server unavailable and none has ever
    succeeded, the batch ends with a ModelError. After a success, failures are their questions' own, but that the
    server takes no more calls, which ends the batch at any time.
    """

    def __init__(self, items: int) -> None:
        self._limit = min(_MOST_FAILURES, items)
        self._lock = threading.Lock()
        self._failures = 0
        self._alive = False
        self._verdict: ModelError | None = None

    def check(self) -> None:
        """Raise the verdict where the server has been given up."""
        if self._verdict is not None:
            raise self._verdict

    def succeeded(self) -> None:
        """Note a call that the server answered."""
        self._alive = True

    def failed(self, error: ModelError) -> None:
        """Note a call that found the server unavailable; raises ModelError where that settles it."""
        with self._lock:
            self._failures += 1
            if isinstance(error, NoMoreCallsError):
                self._verdict = self._verdict or _no_more(error)
            elif self._alive or self._failures < self._limit:
                return
            else:
                self._verdict = self._verdict or _unanswered(error, self._failures)
        raise self._verdict


def _no_more(error: ModelError) -> ModelError:
    return ModelError(
        f"{error}; the rest was not asked: refresh again when the server takes calls (finished calls stay in the ledger)"
    )


def _unanswered(error: ModelError, failures: int) -> ModelError:
    return ModelError(
        f"{error}; none of the first {failures} questions was answered, so the rest was not tried: mend "
        "the server, llm.base_url, llm.model or the key (finished calls stay in the ledger)"
    )
