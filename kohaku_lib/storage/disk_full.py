"""A disk without room, told from other faults."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kohaku_lib.errors import KohakuError, StoreError

REMEDY = "free some and run again: what was finished is kept"
_CODES = {errno.ENOSPC, errno.EDQUOT}
_TEXTS = ("No space left on device", "disk is full")  # of DuckDB and SQLite, which give no code


@contextmanager
def store_error_if_disk_full(folder: Path) -> Iterator[None]:
    """Raise StoreError, which names `folder`, in place of what libraries raise where a disk is full.

    Errors of our own pass: a server that ran out of room tells so in the same words.

    >>> try:
    ...     with store_error_if_disk_full(Path("store")):
    ...         raise OSError(errno.ENOSPC, "No space left on device")
    ... except StoreError as error:
    ...     print(error)
    no space is left for 'store' or for temporary files; free some and run again: what was finished is kept
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, KohakuError) or not is_disk_full(error):
            raise
        msg = f"no space is left for {str(folder)!r} or for temporary files; {REMEDY}"
        raise StoreError(msg) from error


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether `error`, or one that it came of, says that a disk or a quota is used up.

    >>> is_disk_full(OSError(errno.EDQUOT, "Disk quota exceeded")), is_disk_full(OSError(errno.EACCES, "no"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _CODES:
            return True
        if any(text in str(error) for text in _TEXTS):
            return True
        error = error.__cause__ or error.__context__
    return False
