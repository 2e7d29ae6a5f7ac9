"""A one-sentence diagnosis of errors in Dagster's history."""

from __future__ import annotations


def history_fault(error: BaseException, home: str) -> str | None:
    """Return one sentence if `error` means that Dagster cannot read or write its folder `home`, else None."""
    from sqlalchemy.exc import DBAPIError

    cause: BaseException | None = error
    while cause is not None:
        is_within = isinstance(cause, OSError) and str(cause.filename or "").startswith(home)
        if is_within or isinstance(cause, DBAPIError):
            reason = cause.orig if isinstance(cause, DBAPIError) else cause
            return (
                f"Dagster cannot store its history in {home!r} ({reason}); finished results are saved: run 'kohaku refresh' "
                f"again, and 'kohaku doctor' if the error persists"
            )
        cause = cause.__cause__ or cause.__context__
    return None
