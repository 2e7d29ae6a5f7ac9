"""The server's side of a batch, in OpenAI's Batch API: files go up, batches are made, looked at and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from kohaku_lib.llm.batches.records import OVER
from kohaku_lib.llm.chat import CallError
from kohaku_lib.llm.resilience.access import chat_access
from kohaku_lib.llm.resilience.attempt import AttemptError, shown
from kohaku_lib.llm.resilience.calling import Environment
from kohaku_lib.llm.resilience.retry import Failure
from kohaku_lib.settings import LlmSettings
from kohaku_lib.text.untrusted_json import reply_json, token_count

ENDPOINT = "/v1/chat/completions"
MARK = "kohaku_batch"  # the name of our token among a batch's metadata
_PAGE, _MOST_PAGES = 100, 50
_MOST_FILE_MB = 1000.0  # 50,000 replies of 20 kB
_SLOWEST = 500_000  # bytes a second of a file
_READS = 3  # of a file that seems cut: what is missing would be paid for again

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ServerBatch:
    """A batch as its server describes it; counts are None where it gives none."""

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

    def __init__(self, settings: LlmSettings, environment: Environment | None = None) -> None:
        self._settings, self._environment = settings, environment or Environment()
        self._access = chat_access(settings, self._environment, least_mb=_MOST_FILE_MB)

    @property
    def where(self) -> str:
        """The server's address, as it may be shown."""
        return self._access.where

    def submit(self, lines: bytes, token: str) -> str:
        """Return the id of the batch with `token`, made of `lines` (JSON lines) where there is none yet.

        Before each further attempt it looks whether the one before made the batch after all: no attempt is paid twice.
        """
        found = self.find(token)
        if found is not None:
            return found
        uploaded = self._sent("the upload of a batch", lambda: self._uploaded(lines, token))

        def make(attempts: int) -> str:
            made = self._listed(token) if attempts > 1 else None
            return made or self._made(uploaded, token)

        return self._retried("the making of a batch", make)

    def find(self, token: str) -> str | None:
        """Return the id of the batch with `token`, None where the server lists none."""
        return self._sent("the list of batches", lambda: self._listed(token))

    def look(self, batch_id: str) -> ServerBatch:
        """Return the state of a batch; raises UnknownBatchError where the server does not know it."""
        return self._sent(f"the batch {batch_id!r}", lambda: _batch(self._access.json("GET", _path(batch_id), _has_id)))

    def cancel(self, batch_id: str) -> ServerBatch:
        """Ask for the end of a batch; what it has answered can still be read."""
        path = f"{_path(batch_id)}/cancel"
        return self._sent(
            f"the cancelling of batch {batch_id!r}", lambda: _batch(self._access.json("POST", path, _has_id))
        )

    def lines(self, file_id: str, least: int | None = None) -> list[bytes]:
        """Return the lines of a file that a batch wrote, blank ones left out.

        Where fewer than `least` of them can be read, the file is read again, three times in all.
        """
        from tenacity import Retrying, retry_if_result, stop_after_attempt, wait_fixed

        retrying = Retrying(
            retry=retry_if_result(lambda lines: sum(map(_is_object, lines)) < (least or 0)),
            stop=stop_after_attempt(_READS),
            wait=wait_fixed(self._settings.retry_base_s),
            sleep=self._environment.pause,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome is not None else [],
        )
        return retrying(self._sent, f"the file {file_id!r} of a batch", lambda: self._content(file_id))

    def _listed(self, token: str) -> str | None:
        return next((one["id"] for one in self._batches() if _token(one) == token), None)

    def _batches(self) -> Iterator[Mapping[str, Any]]:
        """Yield the batches of the server, the latest first, page by page."""
        after: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            page = self._access.json("GET", "batches", _has_page, params={"limit": _PAGE, **after})
            yield from page["data"]
            if not page.get("has_more") or not page["data"]:
                return
            after = {"after": page["data"][-1]["id"]}

    def _uploaded(self, lines: bytes, token: str) -> str:
        file = {"file": (f"{token}.jsonl", lines, "application/jsonl")}
        timeout_s = self._timeout_s(len(lines))
        uploaded = self._access.json("POST", "files", _has_id, files=file, data={"purpose": "batch"}, timeout=timeout_s)
        return uploaded["id"]

    def _made(self, file_id: str, token: str) -> str:
        body = {"input_file_id": file_id, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {MARK: token}}
        return self._access.post("batches", body, _has_id)["id"]

    def _content(self, file_id: str) -> list[bytes]:
        path = f"files/{quote(file_id, safe='')}/content"
        content = self._access.content(path, self._timeout_s(_MOST_FILE_MB * 1_000_000))
        return [line for line in content.splitlines() if line.strip()]

    def _timeout_s(self, size: float) -> float:
        """Return the time limit of an exchange of `size` bytes: a file takes longer than a reply."""
        return self._settings.timeout_s + size / _SLOWEST

    def _sent(self, what: str, send: Callable[[], Found]) -> Found:
        return self._retried(what, lambda attempts: send())

    def _retried(self, what: str, send: Callable[[int], Found]) -> Found:
        try:
            return self._access.retried(what, send)
        except AttemptError as error:
            failed = self._access.error(what, error)
            raise (UnknownBatchError(str(failed)) if error.status == 404 else failed) from error


def _token(batch: Mapping[str, Any]) -> Any:
    metadata = batch.get("metadata")
    return metadata.get(MARK) if isinstance(metadata, dict) else None


def _path(batch_id: str) -> str:
    return f"batches/{quote(batch_id, safe='')}"


def _batch(body: Mapping[str, Any]) -> ServerBatch:
    counts = body.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    files = (body.get("output_file_id"), body.get("error_file_id"))
    output_file, error_file = (name if isinstance(name, str) else None for name in files)
    return ServerBatch(
        body["id"],
        str(body.get("status")),
        token_count(counts.get("completed")),
        token_count(counts.get("failed")),
        output_file,
        error_file,
        _problem(body.get("errors")),
    )


def _problem(errors: Any) -> str | None:
    """Return what the server found wrong with the batch as a whole, in one line."""
    items = errors.get("data") if isinstance(errors, dict) else None
    items = items if isinstance(items, list) else []
    messages = [str(one.get("message") or one.get("code")) for one in items if isinstance(one, dict)]
    return "; ".join(map(shown, messages[:3])) or None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(reply_json(line), dict)
    except ValueError:
        return False


def _has_id(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("id"), str):
        raise AttemptError(Failure("retry", "the server's reply names no id"))


def _has_page(body: Mapping[str, Any]) -> None:
    data = body.get("data")
    if not isinstance(data, list) or not all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in data):
        raise AttemptError(Failure("retry", "the server's reply is no list"))
