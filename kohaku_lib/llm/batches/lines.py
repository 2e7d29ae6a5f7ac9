"""The lines of a batch: what goes up, and what comes back for each call."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.llm.batches.server import ENDPOINT
from kohaku_lib.llm.chat import ChatRequest
from kohaku_lib.llm.ports.request_body import request_body
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text, shown
from kohaku_lib.llm.resilience.retry import FailureKind, classify_status
from kohaku_lib.text.untrusted_json import reply_json


@dataclass(frozen=True, slots=True)
class LineFailure:
    """Why a call of a batch brought no reply; `kind` as of any other failed attempt."""

    kind: FailureKind
    message: str
    status: int | None = None
    parameter: str | None = None  # that the server refuses


@dataclass(slots=True)
class BatchResults:
    """What the files of a batch hold: completions and failures by call, and how many lines say nothing of use."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, LineFailure] = field(default_factory=dict)
    unreadable: int = 0  # no JSON, or of a call that was not asked


def request_line(key: str, request: ChatRequest, left_out: Collection[str] = ()) -> bytes:
    """Return the line that asks for `request` under the call key `key`, without the parameters of `left_out`."""
    asked = {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": request_body(request, left_out)}
    return json.dumps(asked, ensure_ascii=True).encode() + b"\n"


def read_results(lines: Iterable[bytes], keys: Collection[str]) -> BatchResults:
    """Return what `lines` say of the calls `keys`; of several lines for one call, the first with a text counts."""
    results = BatchResults()
    for line in lines:
        key, item = _parsed(line)
        if key not in keys:
            results.unreadable += 1
            continue
        outcome = _outcome(item)
        if isinstance(outcome, LineFailure):
            results.failures.setdefault(key, outcome)
        else:
            results.bodies.setdefault(key, outcome)
    for key in results.bodies:
        results.failures.pop(key, None)
    return results


def _parsed(line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the call key of a line, empty where it has none, and the line."""
    try:
        item = _object(reply_json(line))
    except ValueError:
        return "", {}
    return str(item.get("custom_id")), item


def _outcome(line: Mapping[str, Any]) -> dict[str, Any] | LineFailure:
    response = _object(line.get("response"))
    body = _object(response.get("body"))
    error = _error_of(line, body)
    if error:
        return _failure(response.get("status_code"), error)
    try:
        check_text(body)
    except AttemptError as failed:
        return LineFailure(failed.failure.kind, failed.failure.message)
    return body


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _error_of(line: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the error of a line: its own, or the one in the body of its response."""
    found = next((one for one in (line.get("error"), body.get("error")) if one), None)
    return found if isinstance(found, dict) or found is None else {"message": str(found)}


def _failure(status: Any, error: Mapping[str, Any]) -> LineFailure:
    """A line without a status was never sent to the model: it expired or was dropped, and may be asked again."""
    known = status if isinstance(status, int) and status != 200 else 503
    code = error.get("code") or error.get("type")
    message = shown(str(error.get("message") or code or "the server reports an error"))
    failure = classify_status(known, str(code) if code else None, message)
    parameter = error.get("param")
    return LineFailure(failure.kind, failure.message, known, parameter if isinstance(parameter, str) else None)
