"""Endpoints of OpenAI-compatible servers with one result per text: /embeddings, /rerank."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.servers.access import ServerAccess

Result = TypeVar("Result")


class TextsEndpoint:
    """The endpoint at `path`; in errors, `what` names the model and `lack` the missing result.

    At most `concurrent` requests are in flight; unlimited by default.
    """

    def __init__(self, access: ServerAccess, path: str, what: str, lack: str, *, concurrent: int | None = None) -> None:
        self.what = what
        self.where = access.where
        self._access, self._path, self._lack = access, path, lack
        self._slots = threading.BoundedSemaphore(concurrent) if concurrent else nullcontext()

    def reply(self, body: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Result]) -> Result:
        """Post `body`, with the retries of the settings, and return the reply as parsed by `read`.

        Raises:
            AttemptError: There is no reply that `read` accepts; raised by `read` too.

        """
        import httpx

        def attempt(number: int) -> Result:
            post = self._access.client.post
            with self._slots:
                reply = self._access.json(post, lambda reply: None, path=self._path, cast_to=httpx.Response, body=body)
            return read(reply)

        return self._access.retried(self.what, attempt)

    def in_parts(
        self,
        texts: Sequence[str],
        send: Callable[[list[str]], Result],
        send_alone: Callable[[str, AttemptError], Result],
    ) -> list[Result]:
        """Call `send` for consecutive parts of `texts`, halved if the server rejects them as too large.

        Args:
            texts: At least one.
            send: Its AttemptError of kind "overflow" halves the part.
            send_alone: Called for a single text that is too large, with the error.

        Raises:
            CallError: The server does not reply.

        """
        part = list(texts)
        try:
            return [send(part)]
        except AttemptError as error:
            if error.failure.kind != "overflow":
                raise self.error(error) from error
            overflow = error
        if len(part) == 1:
            return [send_alone(part[0], overflow)]
        half = len(part) // 2
        return [*self.in_parts(part[:half], send, send_alone), *self.in_parts(part[half:], send, send_alone)]

    def error(self, error: AttemptError) -> Exception:
        """Return the error with the reason in one sentence."""
        return self._access.error(self.what, error, self._lack)


def items_in_order(
    body: Mapping[str, Any], key: str, count: int, noun: str, *, as_sent: bool = False
) -> list[Mapping[str, Any]]:
    """Return the items under `key`, one for each of `count` texts, in the order of their `index`.

    With `as_sent`, items without an index are in the order of the texts.

    Raises:
        AttemptError: There is not exactly one `noun` per text; a retry may help.

    Example:
        >>> items_in_order({"data": [{"index": 1, "x": "b"}, {"index": 0, "x": "a"}]}, "data", 2, "vector")[0]["x"]
        'a'

    """
    items = body.get(key)
    if not isinstance(items, list) or len(items) != count:
        item_count = len(items) if isinstance(items, list) else 0
        msg = f"the server's reply has {item_count} {noun}s for {count} texts"
        raise broken_reply(msg)
    indexes = [_item_index(item, at if as_sent else None) for at, item in enumerate(items)]
    item_by_index = {place: item for place, item in zip(indexes, items, strict=True) if place is not None}
    if item_by_index.keys() != set(range(count)):
        msg = f"the server's reply does not say which {noun} belongs to which text"
        raise broken_reply(msg)
    return [item_by_index[place] for place in range(count)]


def _item_index(item: Any, default: int | None) -> int | None:
    index = item.get("index", default) if isinstance(item, dict) else None
    return index if type(index) is int else None


def broken_reply(message: str) -> AttemptError:
    """Return the error of a malformed reply; a retry may help."""
    return AttemptError(Failure("retry", message))
