"""The outcome of one attempt at a call, and whether a retry may help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kohaku_lib.http_exchange import ExchangeError, InterruptedExchangeError, ReplyTooLargeError, UnknownHostError
from kohaku_lib.llm.chat import STOPPED, StoppedError
from kohaku_lib.llm.resilience.failures import Failure, classify_status, server_hint_s
from kohaku_lib.llm.tool_calls import message_text
from kohaku_lib.masking import masked
from kohaku_lib.text.untrusted_json import as_object, reply_json, scrubbed_json

if TYPE_CHECKING:
    import httpx

_LONGEST_MESSAGE = 500
_HOPELESS_ENDS = {
    "length": "the reply was truncated before its text, as with long reasoning; raise llm.max_tokens",
    "content_filter": "the server's content filter blocked the reply",
}

Check = Callable[[Mapping[str, Any]], None]


class AttemptError(Exception):
    """A failed attempt; `failure` indicates whether a retry may help."""

    def __init__(self, failure: Failure, *, status: int | None = None, parameter: str | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.status = status
        self.parameter = parameter  # that the server refused
        self.latency_s: float | None = None
        self.attempts = 1
        self.received = ""  # of a reply in parts that was cut
        self.usage: Mapping[str, Any] = {}  # what the server counted for a reply that cannot be used

    @property
    def may_pass(self) -> bool:
        """Whether a retry may succeed."""
        return self.failure.kind in ("retry", "blank")

    @property
    def hint_s(self) -> float | None:
        """The wait requested by the server."""
        return self.failure.hint_s


@contextmanager
def attempt_errors(was_reached: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Convert the errors of a request.

    A failed connection is only retried if `was_reached` returns True, i.e. the server was reached before.

    Raises:
        AttemptError: The request failed.
        StoppedError: The run was interrupted.
    """
    import httpx

    try:
        yield
    except InterruptedExchangeError as error:
        raise StoppedError(STOPPED) from error
    except ReplyTooLargeError as error:
        raise AttemptError(Failure("refused", f"{error}; raise max_reply_mb if this is intended")) from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, UnknownHostError) as error:
        kind = "retry" if was_reached() else "unreachable"
        raise AttemptError(Failure(kind, f"the connection failed: {shown(str(error))}")) from error
    except ExchangeError as error:
        raise AttemptError(Failure("refused", shown(str(error)))) from error
    except httpx.TimeoutException as error:
        raise AttemptError(Failure("retry", "the server did not finish its reply in time")) from error
    except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.TooManyRedirects) as error:
        raise AttemptError(Failure("unavailable", shown(str(error)))) from error
    except httpx.HTTPError as error:
        raise AttemptError(Failure("retry", f"the connection dropped: {shown(str(error))}")) from error


def checked_json(response: httpx.Response, check: Check, now: float) -> dict[str, Any]:
    """Return the JSON body of a successful response that passes `check`.

    `now` is in seconds since the epoch. Some servers report errors with status 200.

    Raises:
        AttemptError: The body tells an error, or is not a JSON object; raised by `check` too.
    """
    try:
        body = reply_json(response.content)
    except ValueError:
        raise AttemptError(Failure("retry", "the server's reply is not JSON")) from None
    if not isinstance(body, dict):
        raise AttemptError(Failure("retry", "the server's reply is not a JSON object"))
    error = body.get("error")
    if isinstance(error, dict) and not body.get("choices") and not body.get("data"):
        status = error["code"] if isinstance(error.get("code"), int) else 502
        raise reported_error(error, status, server_hint_s(response.headers, str(error.get("message")), now))
    checked_usage(body, check)
    return body


def checked_usage(body: Mapping[str, Any], check: Check) -> None:
    """Call `check`, whose error then tells what the server counted."""
    try:
        check(body)
    except AttemptError as error:
        error.usage = as_object(body.get("usage"))
        raise


def check_status(response: httpx.Response, now: float) -> None:
    """Raise AttemptError unless the response has a success status."""
    if response.is_success:
        return
    error, status = _error_in(response), response.status_code
    message = str(error.get("message") or response.reason_phrase or "without a reason")
    hint_s = server_hint_s(response.headers, message, now)
    raise reported_error({**error, "message": message}, status, hint_s, before=f"status {status}, ")


def reported_error(
    error: Mapping[str, Any], status: int, hint_s: float | None = None, *, before: str = ""
) -> AttemptError:
    """Return the failure that a server reports by `status` and the object `error`; `before` goes before its message."""
    code, parameter = error.get("code") or error.get("type"), error.get("param")
    message = str(error.get("message") or code or "the server reports an error")
    failure = classify_status(status, str(code) if code else None, message, hint_s)
    return AttemptError(
        Failure(failure.kind, before + shown(failure.message), failure.hint_s),
        status=status,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def check_text(body: Mapping[str, Any]) -> None:
    """Raise AttemptError unless `body` is a chat completion with a non-blank text or a tool call.

    A blank reply is retried unless it was refused, filtered or truncated.

    >>> check_text({"choices": [{"message": {"content": "Yes."}}]})
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        text = message_text(message)
    except (KeyError, IndexError, TypeError, AttributeError):
        choice, message, text = {}, {}, None
    if text is not None:
        return
    if message.get("refusal"):
        raise AttemptError(Failure("refused", f"the model refused ({shown(str(message['refusal']))})"))
    reason = _HOPELESS_ENDS.get(str(choice.get("finish_reason")))
    if reason:
        raise AttemptError(Failure("refused", reason))
    raise AttemptError(Failure("blank" if message else "retry", "the server's reply is empty"))


def shown(text: str) -> str:
    """Format a message of a server or the network for display: masked, in one line, truncated."""
    return " ".join(masked(text).split())[:_LONGEST_MESSAGE].rstrip(".")


def _error_in(response: httpx.Response) -> Mapping[str, Any]:
    """Return the error in the body of a response, which servers report in several forms or as a page."""
    try:
        body = reply_json(response.content)
    except ValueError:
        return {"message": scrubbed_json(response.content.decode("utf-8", "replace"))}
    error = body.get("error", body.get("detail", body)) if isinstance(body, dict) else body
    return error if isinstance(error, dict) else {"message": str(error) if error else ""}
