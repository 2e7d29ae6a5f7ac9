"""One sentence about why a step of a run failed."""

from __future__ import annotations

from kohaku_lib.errors import KohakuError

STOPPED = "stopped; finished stages and paid calls are saved, and the next refresh continues from there"
_INTERRUPTION = "DagsterExecutionInterruptedError"
_CHECK_FAILED = "DagsterAssetCheckFailedError"


def failure_sentence(error) -> str:  # noqa: ANN001 - the type would import dagster
    """Return the message of the first KohakuError in the chain of causes, else that of the root cause."""
    if error is None:
        return "failed"
    if error.cls_name == _INTERRUPTION:
        return STOPPED
    if error.cls_name == _CHECK_FAILED:  # "…: 1 blocking asset check failed with ERROR severity:\nkey: name"
        return "a blocking check failed: " + ", ".join(error.message.strip().splitlines()[1:])
    own = f"{KohakuError.__module__}."
    while not error.message.startswith(own) and error.cause is not None:
        error = error.cause
    text = error.message.strip()
    return text.partition(": ")[2] if text.startswith(own) else text
