"""Detection of a full disk or quota."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kohaku_lib.errors import KohakuError, StoreError

REMEDY = "free some and run again; finished work is saved"
_CODES = {errno.ENOSPC, errno.EDQUOT}
_TEXTS = ("No space left on device", "disk is full")  # of DuckDB and SQLite, which set no error code


@contextmanager
def store_error_if_disk_full(folder: Path) -> Iterator[None]:
    """Replace a library's error about a full disk by a StoreError that names `folder`.

    KohakuErrors pass unchanged: a server that ran out of space reports it in the same words.

    >>> try:
    ...     with store_error_if_disk_full(Path("store")):
    ...         raise OSError(errno.ENOSPC, "No space left on device")
    ... except StoreError as error:
    ...     print(error)
    no space is left for 'store' or for temporary files; free some and run again; finished work is saved
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, KohakuError) or not is_disk_full(error):
            raise
        msg = f"no space is left for {str(folder)!r} or for temporary files; {REMEDY}"
        raise StoreError(msg) from error


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether `error` or one of its causes reports a full disk or an exceeded quota.

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
