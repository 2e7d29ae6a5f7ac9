"""Errors as `application/problem+json` (RFC 9457); clients of the OpenAI protocol find the same as `error`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import Scope

from kohaku_assets.server.german import told, wants_german
from kohaku_lib.conversation import RequestError
from kohaku_lib.errors import InputFileError, KohakuError, ModelError, RetrievalError, SettingsError, StoreError
from kohaku_lib.masking import masked

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger("kohaku.server")
# The first that fits: what a caller can correct, what an upstream model failed at, what needs the operator.
STATUS_BY_ERROR: tuple[tuple[type[KohakuError], int], ...] = (
    (RequestError, 400),
    (InputFileError, 400),
    (SettingsError, 400),
    (ModelError, 502),
    (StoreError, 503),
    (RetrievalError, 503),
    (KohakuError, 400),
)
RETRY_AFTER_S = 5  # of what the operator mends


class Problem(HTTPException):
    """A refusal with its status and one sentence."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))


def problem_of(error: Exception) -> Problem:
    """Return what a caller is told about an exception; nothing about one that is a fault of ours."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, RequestValidationError):
        return Problem(422, _validation_sentence(error))
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), error.headers)
    for kind, status in STATUS_BY_ERROR:
        if isinstance(error, kind):
            headers = {"Retry-After": str(RETRY_AFTER_S)} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
            return Problem(status, masked(str(error)), headers)
    return Problem(500, "the server failed; its log names the fault under this request id")


def told_to(scope: Scope, problem: Problem) -> Problem:
    """Return a problem in the language of who called: German where that is preferred, else English.

    What has no German of its own is told in English behind the German of its status.
    """
    detail = told(scope, problem.detail)
    if wants_german(scope) and detail == problem.detail:
        detail = f"{_GERMAN_BY_STATUS.get(problem.status_code, 'Das ging nicht')}: {detail}"
    return Problem(problem.status_code, detail, problem.headers)


_GERMAN_BY_STATUS = {
    401: "Das braucht einen gültigen Schlüssel",
    403: "Das ist Ihnen nicht erlaubt",
    404: "Das gibt es hier nicht",
    409: "Das geht gerade nicht",
    413: "Das ist zu groß",
    422: "Eine Angabe passt nicht",
    429: "Das sind zu viele Anfragen",
    502: "Das Sprachmodell hat nicht geantwortet",
    503: "Der Server ist nicht bereit",
}


def problem_json(problem: Problem, request_id: str) -> dict[str, Any]:
    """Return a problem as its JSON object."""
    title = HTTPStatus(problem.status_code).phrase
    return {
        "type": "about:blank",
        "title": title,
        "status": problem.status_code,
        "detail": problem.detail,
        "request_id": request_id,
        "error": {"message": problem.detail, "type": title.lower().replace(" ", "_"), "code": problem.status_code},
    }


def problem_response(problem: Problem, request_id: str) -> JSONResponse:
    """Return a problem as a response."""
    content = problem_json(problem, request_id)
    return JSONResponse(content, problem.status_code, dict(problem.headers or {}), media_type=MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Answer every exception of a request with a problem; those that are faults of ours are logged."""

    async def handle(request: Request, error: Exception) -> JSONResponse:
        problem, request_id = problem_of(error), str(request.scope.get("request_id", ""))
        log_fault(error, problem, request_id)
        return problem_response(told_to(request.scope, problem), request_id)

    for kind in (HTTPException, RequestValidationError, KohakuError):
        app.add_exception_handler(kind, handle)


def log_fault(error: Exception, problem: Problem, request_id: str) -> None:
    """Log an exception that is no mistake of a caller."""
    if problem.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.error("request %s failed", request_id, exc_info=error)


def _validation_sentence(error: RequestValidationError) -> str:
    """Return the first fault of a request in one sentence.

    >>> fault = {"loc": ("body", "top_k"), "msg": "Input should be greater than 0", "input": 0}
    >>> _validation_sentence(RequestValidationError([fault]))
    'body.top_k: input should be greater than 0, got 0'
    """
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = str(first["msg"])
    got = first.get("input")
    given = "" if isinstance(got, (dict, list, bytes)) or first.get("type") == "missing" else f", got {str(got)[:80]!r}"
    given = f", got {got}" if isinstance(got, (int, float)) else given
    begin = message[:2] if message[:2].isupper() else message[:2].lower()
    return f"{place}: {begin}{message[2:]}{given}"
