"""Reading of chat completions that arrive in parts, as server-sent events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kohaku_lib.http_exchange import ExchangeError
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text, checked_json, checked_usage
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.masking import masked_reply
from kohaku_lib.text.masked_stream import MaskedStream
from kohaku_lib.text.untrusted_json import as_object, scrubbed_text, unmasked_json, without_surrogates

if TYPE_CHECKING:
    import httpx

_DONE = "[DONE]"


def read_parts(response: httpx.Response, on_text: Callable[[str], object], now: Callable[[], float]) -> dict[str, Any]:
    """Return the completion that the events of `response` make up, calling `on_text` with each part of its text.

    A server that ignores the wish for parts sends one JSON object, whose text is one part. A reply that ends without a
    finish reason and without the final event was cut: once its text has begun it is not asked for again, as the parts are
    shown already.

    Raises:
        AttemptError: There is no usable reply, or it was cut; `received` holds the text so far.
    """
    if "text/event-stream" not in response.headers.get("content-type", ""):
        response.read()
        body = checked_json(response, check_text, now())
        on_text(body["choices"][0]["message"]["content"])
        return body
    joined = _Joined(on_text)
    try:
        for data in _event_data(response):
            if data == _DONE:
                joined.is_complete = True
                break
            joined.add(data)
    except AttemptError as error:
        raise joined.cut(str(error)) if joined.text else error from None
    except (ExchangeError, *_http_errors()) as error:
        if not joined.text:
            raise
        if not joined.is_complete:  # else only the end of the events is missing
            raise joined.cut(str(error) or type(error).__name__) from error
    if joined.text and not joined.is_complete:
        raise joined.cut()
    joined.end()
    body = joined.body()
    checked_usage(body, check_text)
    return body


class _Joined:
    """The parts of a completion so far."""

    def __init__(self, on_text: Callable[[str], object]) -> None:
        self.text = ""
        self.is_complete = False
        self._shown = MaskedStream(on_text)
        self._finish_reason: str | None = None
        self._usage: dict[str, Any] = {}

    def add(self, data: str) -> None:
        """Take the JSON of one event."""
        try:
            event = as_object(unmasked_json(data.encode("utf-8", "replace")))
        except ValueError:
            raise AttemptError(Failure("retry", "a part of the server's reply is not JSON")) from None
        if isinstance(event.get("error"), dict):
            message = scrubbed_text(str(event["error"].get("message") or "the server reports an error"))
            raise AttemptError(Failure("retry", message))
        self._usage = as_object(event.get("usage")) or self._usage
        choices = event.get("choices")
        choice = as_object(choices[0]) if isinstance(choices, list) and choices else {}
        part = as_object(choice.get("delta")).get("content")
        if isinstance(part, str) and part:
            part = without_surrogates(part)
            self.text += part
            self._shown.feed(part)
        if isinstance(choice.get("finish_reason"), str):
            self._finish_reason, self.is_complete = scrubbed_text(choice["finish_reason"]), True

    def end(self) -> None:
        """Pass on what was held back of the text."""
        self._shown.end()

    def cut(self, why: str = "the connection ended") -> AttemptError:
        """Return the error of a reply that was cut after its text began, which no retry may repeat."""
        error = AttemptError(Failure("refused", f"its reply was cut after {len(self.text)} characters ({why})"))
        error.received, error.usage = masked_reply(self.text), self._usage
        self.end()
        return error

    def body(self) -> dict[str, Any]:
        """Return the completion as a server sends it in one piece."""
        choice = {"message": {"content": masked_reply(self.text)}, "finish_reason": self._finish_reason}
        return {"choices": [choice], "usage": self._usage}


def _event_data(response: httpx.Response) -> Iterator[str]:
    """Yield the data of each server-sent event; comments and other fields are passed over."""
    for line in response.iter_lines():
        if line.startswith("data:"):
            yield line[len("data:") :].strip()


def _http_errors() -> tuple[type[Exception], ...]:
    import httpx

    return (httpx.HTTPError,)
