"""A client of OpenAI's Batch API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kohaku_lib.llm.batches.records import OVER
from kohaku_lib.llm.chat import CallError
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.resilience.attempt import AttemptError, shown
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.servers.access import chat_access
from kohaku_lib.settings import LlmSettings
from kohaku_lib.text.untrusted_json import as_object, reply_json, token_count

ENDPOINT = "/v1/chat/completions"
MARK = "kohaku_batch"  # metadata key of our token
_PAGE, _MOST_PAGES = 100, 50
_MOST_FILE_MB = 1000.0  # 50,000 replies of 20 kB
_SLOWEST = 500_000  # slowest transfer rate, in bytes per second
_READS = 3  # attempts for a file that seems truncated, as missing replies would be paid for again

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ServerBatch:
    """The state of a batch on the server; counts are None if not reported."""

    id: str
    status: str
    done: int | None = None
    failed: int | None = None
    output_file: str | None = None
    error_file: str | None = None
    problem: str | None = None  # why the whole batch was refused

    @property
    def is_over(self) -> bool:
        """Whether the batch is in a final state."""
        return self.status in OVER


class UnknownBatchError(CallError):
    """The server does not know the batch: it was created with another key or at another server."""


class BatchServer:
    """The batches at the server of `settings`, with the retries of a chat.

    Raises:
        ModelError: The API key is missing.
        CallError: By every method, if all attempts fail.
    """

    def __init__(self, settings: LlmSettings, environment: Environment | None = None) -> None:
        self._settings, self._environment = settings, environment or Environment()
        self._access = chat_access(settings, self._environment, least_mb=_MOST_FILE_MB)

    @property
    def where(self) -> str:
        """The server's address without credentials."""
        return self._access.where

    def submit(self, lines: bytes, token: str) -> str:
        """Return the id of the batch with `token`, created from `lines` (JSON lines) unless it exists.

        Each retry first checks whether the failed attempt created the batch after all, so that nothing is paid twice.
        """
        batch_id = self.find(token)
        if batch_id is not None:
            return batch_id
        file_id = self._sent("the upload of a batch", lambda _: self._upload_file(lines, token))

        def make(attempts: int) -> str:
            existing = self._find_batch_id(token) if attempts > 1 else None
            return existing or self._create_batch(file_id, token)

        return self._sent("the creation of a batch", make)

    def find(self, token: str) -> str | None:
        """Return the id of the batch with `token`, None if the server lists none."""
        return self._sent("the list of batches", lambda _: self._find_batch_id(token))

    def look(self, batch_id: str) -> ServerBatch:
        """Return the state of a batch.

        Raises:
            UnknownBatchError: The server has no such batch.
        """
        retrieve = self._access.client.batches.with_raw_response.retrieve
        return self._sent(f"the batch {batch_id!r}", lambda _: self._batch(retrieve, batch_id))

    def cancel(self, batch_id: str) -> ServerBatch:
        """Cancel a batch; existing replies remain readable."""
        cancel = self._access.client.batches.with_raw_response.cancel
        return self._sent(f"the cancellation of batch {batch_id!r}", lambda _: self._batch(cancel, batch_id))

    def lines(self, file_id: str, least: int | None = None) -> list[bytes]:
        """Return the non-blank lines of an output file of a batch.

        With fewer than `least` valid lines, the file is read again, three times in all.
        """
        from tenacity import Retrying, retry_if_result, stop_after_attempt, wait_fixed

        retrying = Retrying(
            retry=retry_if_result(lambda lines: sum(map(_is_object, lines)) < (least or 0)),
            stop=stop_after_attempt(_READS),
            wait=wait_fixed(self._settings.retry_base_s),
            sleep=self._environment.pause,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome is not None else [],
        )
        return retrying(self._sent, f"the file {file_id!r} of a batch", lambda _: self._file_lines(file_id))

    def _batch(self, call: Callable[..., Any], batch_id: str) -> ServerBatch:
        return _parse_batch(self._access.json(call, _has_id, batch_id=batch_id))

    def _find_batch_id(self, token: str) -> str | None:
        return next((batch["id"] for batch in self._list_batches() if _batch_token(batch) == token), None)

    def _list_batches(self) -> Iterator[Mapping[str, Any]]:
        """Yield the batches of the server, latest first, page by page."""
        cursor: dict[str, str] = {}
        call = self._access.client.batches.with_raw_response.list
        for _ in range(_MOST_PAGES):
            page = self._access.json(call, _has_page, limit=_PAGE, **cursor)
            yield from page["data"]
            if not page.get("has_more") or not page["data"]:
                return
            cursor = {"after": page["data"][-1]["id"]}

    def _upload_file(self, lines: bytes, token: str) -> str:
        file, timeout_s = (f"{token}.jsonl", lines, "application/jsonl"), self._timeout_s(len(lines))
        create = self._access.client.files.with_raw_response.create
        return self._access.json(create, _has_id, file=file, purpose="batch", timeout=timeout_s)["id"]

    def _create_batch(self, file_id: str, token: str) -> str:
        body = {"input_file_id": file_id, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {MARK: token}}
        return self._access.json(self._access.client.batches.with_raw_response.create, _has_id, **body)["id"]

    def _file_lines(self, file_id: str) -> list[bytes]:
        call, timeout_s = (
            self._access.client.files.with_raw_response.content,
            self._timeout_s(_MOST_FILE_MB * 1_000_000),
        )
        content = self._access.reply(call, lambda reply: reply.content, file_id=file_id, timeout=timeout_s)
        return [line for line in content.splitlines() if line.strip()]

    def _timeout_s(self, size: float) -> float:
        """Return the time limit of a transfer of `size` bytes."""
        return self._settings.timeout_s + size / _SLOWEST

    def _sent(self, what: str, send: Callable[[int], Result]) -> Result:
        try:
            return self._access.retried(what, send)
        except AttemptError as error:
            call_error = self._access.error(what, error)
            raise (UnknownBatchError(str(call_error)) if error.status == 404 else call_error) from error


def _batch_token(batch: Mapping[str, Any]) -> Any:
    return as_object(batch.get("metadata")).get(MARK)


def _parse_batch(body: Mapping[str, Any]) -> ServerBatch:
    counts = as_object(body.get("request_counts"))
    files = (body.get("output_file_id"), body.get("error_file_id"))
    output_file, error_file = (name if isinstance(name, str) else None for name in files)
    return ServerBatch(
        body["id"],
        str(body.get("status")),
        token_count(counts.get("completed")),
        token_count(counts.get("failed")),
        output_file,
        error_file,
        _parse_problem(body.get("errors")),
    )


def _parse_problem(errors: Any) -> str | None:
    """Return the errors of the whole batch in one line."""
    data = as_object(errors).get("data")
    items = data if isinstance(data, list) else []
    messages = [str(error.get("message") or error.get("code")) for error in items if isinstance(error, dict)]
    return "; ".join(map(shown, messages[:3])) or None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(reply_json(line), dict)
    except ValueError:
        return False


def _has_id(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("id"), str):
        raise AttemptError(Failure("retry", "the server's reply has no id"))


def _has_page(body: Mapping[str, Any]) -> None:
    data = body.get("data")
    if not isinstance(data, list) or not all(
        isinstance(batch, dict) and isinstance(batch.get("id"), str) for batch in data
    ):
        raise AttemptError(Failure("retry", "the server's reply is not a list"))
