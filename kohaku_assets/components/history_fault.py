"""Says in one sentence what is wrong with Dagster's history."""

from __future__ import annotations


def history_fault(error: BaseException, home: str) -> str | None:
    """Return one sentence where `error` says that Dagster cannot read or write its folder `home`, None for others."""
    from sqlalchemy.exc import DBAPIError

    cause: BaseException | None = error
    while cause is not None:
        is_within = isinstance(cause, OSError) and str(cause.filename or "").startswith(home)
        if is_within or isinstance(cause, DBAPIError):
            reason = cause.orig if isinstance(cause, DBAPIError) else cause
            return (
                f"Dagster cannot keep its history in {home!r} ({reason}); finished work is saved: run 'kohaku refresh' "
                f"again, and 'kohaku doctor' where this stays"
            )
        cause = cause.__cause__ or cause.__context__
    return None
