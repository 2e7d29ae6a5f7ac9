"""The request and result lines of a batch."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.llm.batches.server import ENDPOINT
from kohaku_lib.llm.chat import ChatRequest
from kohaku_lib.llm.providers.request_body import request_body
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text, reported_error
from kohaku_lib.llm.resilience.failures import FailureKind
from kohaku_lib.text.untrusted_json import as_object, reply_json


@dataclass(frozen=True, slots=True)
class LineFailure:
    """Why a call of a batch has no reply."""

    kind: FailureKind
    message: str
    status: int | None = None
    parameter: str | None = None  # that the server refused


@dataclass(slots=True)
class BatchResults:
    """Parsed results of a batch: completions and failures by call, and the number of unusable lines."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, LineFailure] = field(default_factory=dict)
    unreadable: int = 0  # invalid JSON, or of an unknown call


def request_line(key: str, request: ChatRequest, left_out: Collection[str] = ()) -> bytes:
    """Return the request line of a call with the key `key`, without the parameters in `left_out`."""
    item = {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": request_body(request, left_out)}
    return json.dumps(item, ensure_ascii=True).encode() + b"\n"


def read_results(lines: Iterable[bytes], keys: Collection[str]) -> BatchResults:
    """Parse the result `lines` of the calls `keys`; the first line with a text wins for each call."""
    results = BatchResults()
    for line in lines:
        key, item = _parse_line(line)
        if key not in keys:
            results.unreadable += 1
            continue
        outcome = _line_outcome(item)
        if isinstance(outcome, LineFailure):
            results.failures.setdefault(key, outcome)
        else:
            results.bodies.setdefault(key, outcome)
    for key in results.bodies:
        results.failures.pop(key, None)
    return results


def _parse_line(line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the call key of a line ("" if it has none) and its content."""
    try:
        item = as_object(reply_json(line))
    except ValueError:
        return "", {}
    return str(item.get("custom_id")), item


def _line_outcome(line: Mapping[str, Any]) -> dict[str, Any] | LineFailure:
    response = as_object(line.get("response"))
    body = as_object(response.get("body"))
    error = _error_of(line, body)
    if error:
        return _classify_failure(response.get("status_code"), error)
    try:
        check_text(body)
    except AttemptError as failed:
        return LineFailure(failed.failure.kind, failed.failure.message)
    return body


def _error_of(line: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the error of a line: its own, or the one in the body of its response."""
    error = next((candidate for candidate in (line.get("error"), body.get("error")) if candidate), None)
    return error if isinstance(error, dict) or error is None else {"message": str(error)}


def _classify_failure(status: Any, error: Mapping[str, Any]) -> LineFailure:
    """Classify an error; without a status, the call expired or was dropped and may be retried."""
    known_status = status if isinstance(status, int) and status != 200 else 503
    failed = reported_error(error, known_status)
    return LineFailure(failed.failure.kind, failed.failure.message, known_status, failed.parameter)
