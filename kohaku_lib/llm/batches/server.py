"""The server's side of a batch, in OpenAI's Batch API: files go up, batches are made, looked at and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kohaku_lib.llm.access import ServerAccess
from kohaku_lib.llm.attempt import AttemptError, attempt_errors, checked_json
from kohaku_lib.llm.batches.records import OVER
from kohaku_lib.llm.calling import Surroundings, retried
from kohaku_lib.llm.chat import CallError
from kohaku_lib.llm.retry import Failure
from kohaku_lib.settings import LlmSettings

ENDPOINT = "/v1/chat/completions"
MARK = "kohaku_batch"  # the name of our token among a batch's metadata
_PAGE, _MOST_PAGES = 100, 50
_READS = 3  # of a file that seems cut: what it does not tell would be paid for again

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ServerBatch:
    """A batch as its server tells of it; counts are None where it does not."""

    id: str
    status: str
    done: int | None = None
    failed: int | None = None
    output_file: str | None = None
    error_file: str | None = None
    problem: str | None = None  # why it was refused as a whole

    @property
    def is_over(self) -> bool:
        """Return whether nothing more will come of it."""
        return self.status in OVER


class UnknownBatchError(CallError):
    """The server does not know the batch: it was made with another key, or at another server."""


class BatchServer:
    """The batches of the server of `settings`; attempts are repeated as those of a chat are.

    Raises ModelError where the key is missing; every method raises CallError where all attempts fail.
    """

    def __init__(self, settings: LlmSettings, surroundings: Surroundings | None = None) -> None:
        self._settings, self._around = settings, surroundings or Surroundings()
        self._access = ServerAccess(settings, self._around)

    @property
    def where(self) -> str:
        """The server's address, as it may be shown."""
        return self._access.where

    def submit(self, lines: bytes, token: str) -> str:
        """Return the id of the batch that bears `token`, made of `lines` (JSON lines) where there is none yet.

        Before each further attempt it looks whether the one before made the batch after all: no attempt is paid twice.
        """
        found = self.find(token)
        if found is not None:
            return found
        uploaded = self._told("the upload of a batch", lambda: self._uploaded(lines, token))

        def make(attempts: int) -> str:
            made = self._listed(token) if attempts > 1 else None
            return made or self._made(uploaded, token)

        return self._retried("the making of a batch", make)

    def find(self, token: str) -> str | None:
        """Return the id of the batch that bears `token`, None where the server lists none."""
        return self._told("the list of batches", lambda: self._listed(token))

    def look(self, batch_id: str) -> ServerBatch:
        """Return how a batch stands; raises UnknownBatchError where the server does not know it."""
        return self._told(f"the batch {batch_id!r}", lambda: _batch(self._json("retrieve", batch_id)))

    def cancel(self, batch_id: str) -> ServerBatch:
        """Ask for the end of a batch; what it has answered can still be read."""
        return self._told(f"the cancelling of batch {batch_id!r}", lambda: _batch(self._json("cancel", batch_id)))

    def lines(self, file_id: str, least: int | None = None) -> list[bytes]:
        """Return the lines of a file that a batch wrote, blank ones left out.

        Where fewer than `least` of them can be read, the file is read again, three times in all.
        """
        found: list[bytes] = []
        for place in range(_READS):
            if place:
                self._around.pause(self._settings.retry_base_s)
            found = self._told(f"the file {file_id!r} of a batch", lambda: self._content(file_id))
            if sum(map(_is_object, found)) >= (least or 0):
                break
        return found

    def _listed(self, token: str) -> str | None:
        return next((one["id"] for one in self._batches() if (one.get("metadata") or {}).get(MARK) == token), None)

    def _batches(self) -> Iterator[Mapping[str, Any]]:
        """Yield the batches of the server, the latest first, page by page."""
        after: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            page = self._json("list", limit=_PAGE, **after)
            yield from page["data"]
            if not page.get("has_more") or not page["data"]:
                return
            after = {"after": page["data"][-1]["id"]}

    def _uploaded(self, lines: bytes, token: str) -> str:
        files = self._access.client.files.with_raw_response
        with attempt_errors(self._around.now):
            raw = files.create(file=(f"{token}.jsonl", lines, "application/jsonl"), purpose="batch")
            return self._body(raw, _has_id)["id"]

    def _made(self, file_id: str, token: str) -> str:
        made = self._json(
            "create", input_file_id=file_id, endpoint=ENDPOINT, completion_window="24h", metadata={MARK: token}
        )
        return made["id"]

    def _content(self, file_id: str) -> list[bytes]:
        with attempt_errors(self._around.now):
            return [line for line in self._access.client.files.content(file_id).read().splitlines() if line.strip()]

    def _json(self, verb: str, *path: str, **parameters: Any) -> dict[str, Any]:
        """Return the JSON body of one call about batches."""
        with attempt_errors(self._around.now):
            raw = getattr(self._access.client.batches.with_raw_response, verb)(*path, **parameters)
            return self._body(raw, _has_page if verb == "list" else _has_id)

    def _body(self, raw: Any, check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        return checked_json(raw.content, check, dict(raw.headers), self._around.now())

    def _told(self, what: str, send: Callable[[], Found]) -> Found:
        return self._retried(what, lambda attempts: send())

    def _retried(self, what: str, send: Callable[[int], Found]) -> Found:
        settings = self._settings
        try:
            return retried(send, settings.call_retries, settings.retry_base_s, self._around)
        except AttemptError as error:
            told = self._access.error(what, error)
            raise (UnknownBatchError(str(told)) if error.status == 404 else told) from error


def _batch(body: Mapping[str, Any]) -> ServerBatch:
    counts = body.get("request_counts") or {}
    return ServerBatch(
        body["id"],
        str(body.get("status")),
        counts.get("completed"),
        counts.get("failed"),
        body.get("output_file_id"),
        body.get("error_file_id"),
        _problem(body.get("errors")),
    )


def _problem(errors: Any) -> str | None:
    """Return what the server found wrong with the batch as a whole, in one line."""
    told = errors.get("data") if isinstance(errors, dict) else None
    messages = [str(one.get("message") or one.get("code")) for one in told or () if isinstance(one, dict)]
    return "; ".join(" ".join(message.split()).rstrip(".") for message in messages[:3]) or None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _has_id(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("id"), str):
        raise AttemptError(Failure("retry", "the server's reply names no id"))


def _has_page(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("data"), list):
        raise AttemptError(Failure("retry", "the server's reply is no list"))
