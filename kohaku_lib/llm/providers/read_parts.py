"""Reading of chat completions that arrive in parts, as server-sent events that the `openai` package takes apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from kohaku_lib.http_exchange import ExchangeError
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text, checked_json, checked_usage
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.tool_calls import content_text, message_text
from kohaku_lib.masking import masked_reply
from kohaku_lib.text.masked_stream import MaskedStream
from kohaku_lib.text.untrusted_json import as_object, scrubbed_text, without_surrogates

if TYPE_CHECKING:
    import httpx
    from openai import OpenAI

_LAST_EVENT = re.compile(r"[\r\n]data: ?\[DONE\]")


def read_parts(
    response: httpx.Response, client: OpenAI, on_text: Callable[[str], object], now: Callable[[], float]
) -> dict[str, Any]:
    """Return the completion that the events of `response` make up, calling `on_text` with each part of its text.

    A server that ignores the wish for parts sends one JSON object, whose text is one part. A reply that ends without a
    finish reason and without the final event was cut: once its text has begun it is not asked for again, as the parts are
    shown already.

    Raises:
        AttemptError: There is no usable reply, or it was cut; `received` holds the text so far.
    """
    import httpx

    if "text/event-stream" not in response.headers.get("content-type", ""):
        response.read()
        body = checked_json(response, check_text, now())
        on_text(message_text(body["choices"][0]["message"]) or "")
        return body
    joined, watched = _Joined(on_text), _Watched(response)
    try:
        for event in _events(watched, client):
            joined.add(event)
    except (AttemptError, ExchangeError, httpx.HTTPError) as error:
        if not joined.text:
            raise
        if not joined.is_complete:  # else only the end of the events is missing
            raise joined.cut(str(error) or type(error).__name__) from error
    if joined.text and not (joined.is_complete or watched.is_ended):
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

    def add(self, event: dict[str, Any]) -> None:
        """Take the JSON of one event."""
        self._usage = as_object(event.get("usage")) or self._usage
        choices = event.get("choices")
        choice = as_object(choices[0]) if isinstance(choices, list) and choices else {}
        part = without_surrogates(content_text(as_object(choice.get("delta")).get("content")))
        if part:
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


class _Watched:
    """A response whose bytes beyond UTF-8 are replaced and whose last event, which the package keeps to itself, is seen."""

    def __init__(self, response: httpx.Response) -> None:
        self._response, self.request, self.close = response, response.request, response.close
        self.is_ended = False

    def iter_bytes(self) -> Iterator[bytes]:
        seen = ""
        for text in self._response.iter_text():
            seen = seen[-len("\ndata: [DONE") :] + text
            self.is_ended |= _LAST_EVENT.search(seen) is not None
            yield text.encode("utf-8", "replace")
        yield b"\n\n"  # which not every server sends after its last event


def _events(response: _Watched, client: OpenAI) -> Iterator[dict[str, Any]]:
    """Yield the JSON of each event.

    Raises:
        AttemptError: An event is not JSON, or tells an error.
    """
    import openai

    try:
        yield from map(as_object, openai.Stream(cast_to=object, response=cast("Any", response), client=client))
    except openai.APIConnectionError as error:
        reason = error.__cause__ or error
    except openai.APIError as error:
        message = as_object(error.body).get("message") or "the server reports an error"
        reason = AttemptError(Failure("retry", scrubbed_text(str(message))))
    except (ValueError, RecursionError):
        reason = AttemptError(Failure("retry", "a part of the server's reply is not JSON"))
    else:
        return
    raise reason
