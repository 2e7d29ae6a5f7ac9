"""One attempt at a call of a server: send, read the whole body in time, and say what went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kohaku_lib.llm.retry import Failure, classify_status, server_hint_s

_LONGEST_MESSAGE = 500
_HOPELESS_ENDS = {
    "length": "the reply was cut before it said anything, as models do that think at length; raise llm.max_tokens",
    "content_filter": "a filter of the server held the reply back",
}


class AttemptError(Exception):
    """An attempt failed; `failure` says whether another one may help."""

    def __init__(self, failure: Failure, *, status: int | None = None, parameter: str | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.status = status
        self.parameter = parameter  # that the server refuses
        self.latency_s: float | None = None
        self.attempts = 1


def send_once(
    resource: Any,
    parameters: Mapping[str, Any],
    check: Callable[[dict[str, Any]], None],
    time_left_s: Callable[[], float],
    now: Callable[[], float],
) -> dict[str, Any]:
    """Return the JSON body of one call that `check` lets pass; raises AttemptError.

    `resource` is a part of an `openai.OpenAI` without retries of its own, such as its `chat.completions`; `check`
    raises AttemptError where the body does not hold what was asked for; `now` tells the seconds since the epoch. The
    time limit holds for the whole body, also where the server keeps the connection alive byte by byte.
    """
    with attempt_errors(now), resource.with_streaming_response.create(**parameters) as response:
        return checked_json(_read(response, time_left_s), check, dict(response.headers), now())


@contextmanager
def attempt_errors(now: Callable[[], float]) -> Iterator[None]:
    """Turn what a client of `openai` or its transport raises into AttemptError; `now` as in `send_once`."""
    import openai

    try:
        yield
    except AttemptError:
        raise
    except openai.APIStatusError as error:
        raise _status_error(error, now()) from error
    except openai.APITimeoutError as error:
        raise AttemptError(Failure("retry", "the server did not answer in time")) from error
    except openai.APIConnectionError as error:
        raise AttemptError(Failure("retry", _innermost(error))) from error
    except openai.OpenAIError as error:
        raise AttemptError(Failure("refused", _sentence(str(error)))) from error
    except Exception as error:  # the transport's own, while the body is read
        raise AttemptError(Failure("retry", f"the connection dropped: {_sentence(str(error))}")) from error


def checked_json(
    raw: bytes, check: Callable[[dict[str, Any]], None], headers: Mapping[str, str], now: float
) -> dict[str, Any]:
    """Return the body where `check` lets it pass; some servers report an error under status 200."""
    try:
        body = json.loads(raw)
    except ValueError:
        raise AttemptError(Failure("retry", "the server's reply is no JSON")) from None
    if not isinstance(body, dict):
        raise AttemptError(Failure("retry", "the server's reply is no JSON object"))
    if isinstance(body.get("error"), dict) and not body.get("choices") and not body.get("data"):
        raise _reported_error(body["error"], headers, now)
    check(body)
    return body


def check_text(body: Mapping[str, Any]) -> None:
    """Raise AttemptError unless `body` is a chat completion with a text that is not blank.

    A blank reply is worth another attempt, unless the server says that it was refused, filtered or cut.

    >>> check_text({"choices": [{"message": {"content": "Yes."}}]})
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        text = message["content"]
    except (KeyError, IndexError, TypeError):
        choice, message, text = {}, {}, None
    if isinstance(text, str) and text.strip():
        return
    if message.get("refusal"):
        raise AttemptError(Failure("refused", f"the model refused ({_sentence(str(message['refusal']))})"))
    reason = _HOPELESS_ENDS.get(str(choice.get("finish_reason")))
    raise AttemptError(Failure("refused", reason) if reason else Failure("retry", "the server's reply is empty"))


def _read(response: Any, time_left_s: Callable[[], float]) -> bytes:
    parts: list[bytes] = []
    for part in response.iter_bytes():
        parts.append(part)
        if time_left_s() < 0:
            raise AttemptError(Failure("retry", "the server did not finish its reply in time"))
    return b"".join(parts)


def _reported_error(error: Mapping[str, Any], headers: Mapping[str, str], now: float) -> AttemptError:
    code = error.get("code")
    status = code if isinstance(code, int) else 502
    message = _sentence(str(error.get("message") or "the server reports an error"))
    failure = classify_status(status, str(code), message, server_hint_s(headers, message, now))
    return AttemptError(failure, status=status)


def _status_error(error: Any, now: float) -> AttemptError:
    body = error.body if isinstance(error.body, dict) else {}
    told = str(body.get("message") or error.message)
    hint_s = server_hint_s(dict(error.response.headers), told, now)
    code = body.get("code") or body.get("type")
    failure = classify_status(error.status_code, str(code) if code else None, told, hint_s)
    message = f"status {error.status_code}, {_sentence(told)}"
    return AttemptError(
        Failure(failure.kind, message, failure.hint_s), status=error.status_code, parameter=body.get("param")
    )


def _innermost(error: BaseException) -> str:
    return f"the connection failed: {_sentence(str(_causes(error)[-1]))}"


def _causes(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    return chain


def _sentence(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_MESSAGE].rstrip(".")
