"""The ledger of all calls, with outcome and cost; recorded calls are replayed instead of repeated."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
import weakref
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kohaku_lib.digests import digest, text_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.llm.chat import (
    BudgetSpentError,
    CallError,
    ChatModel,
    ChatReply,
    ChatRequest,
    ChatWrapper,
    Keep,
    StoppedError,
)
from kohaku_lib.llm.ledger.lines import is_sound, ledger_line
from kohaku_lib.masking import masked
from kohaku_lib.text.untrusted_json import MOST_TOKENS, token_count, without_surrogates

_REPLY_FIELDS = (
    "text",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
    "latency_s",
    "attempts",
    "finish_reason",
)


class CallLedger:
    """The calls recorded in the `*.jsonl` files of `folder`, and this process's own file to append to.

    Every process writes its own file, created at its first call and closed with the ledger. A line is durable before `record`
    returns, so that a kill loses no finished call; a torn line is skipped and counted in `unreadable_lines`. Prompts are stored
    as hashes, API keys not at all.

    `org_id` is the organisation that the calls are made for, which each line names; replies are shared, as equal prompts are.

    >>> import tempfile
    >>> CallLedger(Path(tempfile.mkdtemp())).reply("a key") is None
    True
    """

    def __init__(self, folder: Path, org_id: str | None = None) -> None:
        self.folder, self._org_id = folder, org_id
        self.unreadable_lines = 0
        self._lock = threading.Lock()
        self._file: int | None = None
        self._replies: dict[str, ChatReply] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for call in self._read_calls(path):
                if call.get("error") is None and not call.get("unusable"):
                    self._replies.setdefault(call["key"], _reply_of(call))

    def __len__(self) -> int:
        """Return the number of distinct calls with a recorded reply."""
        return len(self._replies)

    def reply(self, key: str) -> ChatReply | None:
        """Return the recorded reply to the call `key`, marked as replayed; None if there is none."""
        return self._replies.get(key)

    def record(self, provider: str, request: ChatRequest, outcome: ChatReply | BaseException) -> None:
        """Append one finished call, durable on return; a reply that is not usable is never replayed.

        Raises:
            StoreError: The ledger cannot be written.
        """
        columns = call_columns(provider, request)
        if isinstance(outcome, ChatReply) and request.is_usable is not None and not request.is_usable(outcome):
            columns["unusable"] = True
        self.append(columns, outcome)

    def append(self, columns: Mapping[str, Any], outcome: ChatReply | BaseException) -> None:
        """Append the outcome of the call with these `columns` (from `call_columns`), durable on return.

        Raises:
            StoreError: The ledger cannot be written.
        """
        owner = {} if self._org_id is None else {"org_id": self._org_id}
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        call = {"time": now, **owner, **columns, **_outcome_columns(outcome)}
        line = ledger_line(call)
        with self._lock:
            try:
                self._append_line(line)
            except OSError as error:
                msg = f"the call ledger in {self.folder} cannot be written ({error}); free space or fix its permissions"
                raise StoreError(msg) from error
            if isinstance(outcome, ChatReply) and not columns.get("unusable"):
                self._replies.setdefault(call["key"], _reply_of(call))

    def close(self) -> None:
        """Close this process's file; a later record starts a new one."""
        with self._lock:
            if self._file is not None:
                self._closing()
                self._file = None

    def _append_line(self, line: bytes) -> None:
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{time.time_ns():020d}-{os.getpid()}-{uuid.uuid4().hex[:8]}.jsonl"
            self._file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            self._closing = weakref.finalize(self, os.close, self._file)
            # A thread may still be writing. In Python atexit is a property; typeshed has an attribute beside empty slots.
            self._closing.atexit = False  # pyrefly: ignore[missing-attribute]
        size = os.fstat(self._file).st_size
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError:  # what was written of it would run into the next line
            os.ftruncate(self._file, size)
            raise

    def _read_calls(self, path: Path) -> Iterator[dict[str, Any]]:
        for line in path.read_bytes().splitlines():
            call = parse_call(line)
            if call is None:
                self.unreadable_lines += 1
            else:
                yield call


class LedgeredChat(ChatWrapper):
    """A chat model that records calls in a ledger and replays recorded ones.

    Concurrent equal calls share one request and its error; a later call tries again.
    """

    def __init__(self, chat: ChatModel, ledger: CallLedger) -> None:
        super().__init__(chat)
        self._ledger = ledger
        self._lock = threading.Lock()
        self._in_flight: dict[str, Future[ChatReply]] = {}

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the recorded reply to `request`."""
        return self._ledger.reply(call_key(self.provider, request))

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the recorded reply to `request`, else call the model and record the outcome."""
        reply = self._replay_or_call(request)
        if keep is not None:
            keep(reply)
        return reply

    def _replay_or_call(self, request: ChatRequest) -> ChatReply:
        key = call_key(self.provider, request)
        with self._lock:
            reply = self._ledger.reply(key)
            other_call = self._in_flight.get(key)
            is_new = reply is None and other_call is None
            own_call = self._in_flight.setdefault(key, Future()) if is_new else None
        if reply is not None:
            return request.announced(reply)
        if other_call is not None:
            return request.announced(other_call.result())
        assert own_call is not None
        return self._call_model(key, request, own_call)

    def _call_model(self, key: str, request: ChatRequest, promise: Future[ChatReply]) -> ChatReply:
        try:
            reply = self._recorded_call(request)
        except BaseException as error:
            promise.set_exception(error)
            raise
        else:
            promise.set_result(reply)
            return reply
        finally:
            with self._lock:
                del self._in_flight[key]

    def _recorded_call(self, request: ChatRequest) -> ChatReply:
        try:
            return self._chat.complete(request, lambda reply: self._ledger.record(self.provider, request, reply))
        except (BudgetSpentError, StoppedError):  # no call was made
            raise
        except CallError as error:
            self._ledger.record(self.provider, request, error)
            raise


def call_key(provider: str, request: ChatRequest) -> str:
    """Return a digest of everything that affects the reply: provider, model, parameters, messages, images and run.

    The purpose of a call (stage, question id) and the server's address are not included.
    """
    parts = [provider, request.model, _request_parameters(request), request.system, request.user, request.run]
    return digest([*parts, _image_hashes(request)] if request.images else parts)


def call_columns(provider: str, request: ChatRequest) -> dict[str, Any]:
    """Return the columns of a call other than its outcome: key, parameters, hashes, stage and question."""
    return {
        "key": call_key(provider, request),
        "provider": provider,
        "model": request.model,
        "parameters": _request_parameters(request),
        "prompt_sha256": text_sha256(f"{request.system}\n\n{request.user}"),
        "images_sha256": _image_hashes(request),
        "run": request.run,
        "stage": request.stage,
        "question_id": request.question_id,
    }


def _image_hashes(request: ChatRequest) -> list[str]:
    return [hashlib.sha256(image.data).hexdigest() for image in request.images]


def _request_parameters(request: ChatRequest) -> dict[str, Any]:
    names = ("temperature", "max_tokens", "seed", "json_object")
    optional: dict[str, Any] = {"top_logprobs": request.top_logprobs} if request.top_logprobs else {}
    if request.top_p is not None:
        optional["top_p"] = request.top_p
    if request.top_k is not None:
        optional["top_k"] = request.top_k
    if request.reasoning_effort is not None:
        optional["reasoning_effort"] = request.reasoning_effort
    if request.json_schema is not None:
        optional["json_schema"] = digest(request.json_schema)
    if request.tools:
        optional["tools"] = digest(request.tools)
    return {name: getattr(request, name) for name in names} | optional


def _outcome_columns(outcome: ChatReply | BaseException) -> dict[str, Any]:
    if isinstance(outcome, ChatReply):
        columns = {"error": None} | {name: getattr(outcome, name) for name in _REPLY_FIELDS}
        if outcome.first_token is not None:  # as pairs: SQL would read object keys as columns
            columns["first_token"] = list(outcome.first_token.items())
        return columns
    columns = {"error": masked(f"{type(outcome).__name__}: {outcome}")} | dict.fromkeys(_REPLY_FIELDS)
    if isinstance(outcome, CallError):
        counted = ("attempts", "latency_s", "input_tokens", "cached_tokens", "output_tokens", "cost_usd")
        columns |= {name: getattr(outcome, name) for name in counted}
        if outcome.received:  # of a stream that was cut
            columns["received"] = outcome.received
    return columns


def parse_call(line: bytes) -> dict[str, Any] | None:
    """Parse a line with a key and a text or an error; None if it is torn or altered."""
    try:
        call = json.loads(line)
        content = call["text"] if call.get("error") is None else call["error"]
        return call if is_sound(call) and isinstance(call["key"], str) and isinstance(content, str) else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


def _reply_of(call: dict[str, Any]) -> ChatReply:
    """Return the reply of a line, even if its numbers are invalid."""
    reason = call.get("finish_reason")
    return ChatReply(
        text=without_surrogates(call["text"]),
        input_tokens=token_count(call.get("input_tokens")),
        cached_tokens=token_count(call.get("cached_tokens")),
        output_tokens=token_count(call.get("output_tokens")),
        cost_usd=_valid_amount(call.get("cost_usd")),
        latency_s=_valid_amount(call.get("latency_s")),
        attempts=token_count(call.get("attempts")) or 1,
        finish_reason=without_surrogates(reason) if isinstance(reason, str) else None,
        replayed=True,
        first_token=_token_candidates(call.get("first_token")),
    )


def _valid_amount(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= MOST_TOKENS else None


def _token_candidates(pairs: Any) -> dict[str, float] | None:
    try:
        return None if pairs is None else {str(token): float(logprob) for token, logprob in pairs}
    except (TypeError, ValueError, OverflowError):
        return None
