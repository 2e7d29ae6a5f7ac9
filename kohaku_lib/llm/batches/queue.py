"""The lifecycle of batches, from submission to replies in the ledger, without duplicate calls after a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.llm.batches.chat import BatchChat, batch_cost_usd, remember
from kohaku_lib.llm.batches.lines import LineFailure, read_results, request_line
from kohaku_lib.llm.batches.records import BatchRecord, BatchRecords
from kohaku_lib.llm.batches.server import BatchServer, ServerBatch, UnknownBatchError
from kohaku_lib.llm.chat import ChatReply, ChatRequest
from kohaku_lib.llm.ledger.calls import CallLedger, call_columns
from kohaku_lib.llm.providers.read_reply import read_reply
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.servers.access import failed_call
from kohaku_lib.llm.spending import Spending
from kohaku_lib.settings import LlmSettings

MOST_REQUESTS, MOST_BYTES = 50_000, 190_000_000  # OpenAI's limits are 50,000 requests and 200 MB


class BatchQueue:
    """The batches with records in `folder`; except for `look`, callers must hold the store's lock.

    `open_ledger` and `open_server` are called on first use; `spent_usd` is the cost of the run's other calls, for
    llm.max_cost_usd. A record is durable before its batch is submitted, and replies are in the ledger before the record
    is "collected". Equal calls in the same attempt have the same token, which identifies the batch of a killed run on the server.
    """

    def __init__(
        self,
        folder: Path,
        open_ledger: Callable[[], CallLedger],
        settings: LlmSettings,
        open_server: Callable[[], BatchServer] | None = None,
        *,
        spent_usd: float = 0.0,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.records = BatchRecords(folder)
        self._settings, self._spent_usd = settings, spent_usd
        self._open_ledger = open_ledger
        self._open_server = open_server or (lambda: BatchServer(settings))
        self._most_requests, self._most_bytes = most_requests, most_bytes

    @cached_property
    def server(self) -> BatchServer:
        """The server, opened on first use."""
        return self._open_server()

    @cached_property
    def _ledger(self) -> CallLedger:
        return self._open_ledger()

    @property
    def open(self) -> list[BatchRecord]:
        """The batches with pending replies, oldest first."""
        return [record for record in self.records.all() if record.is_open]

    def chat(self) -> BatchChat:
        """Return a chat model with all replies so far that collects other requests."""
        memory, spending = remember(self.records.all()), Spending()
        spending.paid_usd = self._spent_usd + memory.paid_usd
        return BatchChat(self._settings, self._ledger, memory, spending)

    def look(self) -> list[BatchRecord]:
        """Return the current state of the open batches on the server, without saving it.

        Raises:
            CallError: The server does not respond.
        """
        return [self._poll_batch(record)[0] for record in self.open]

    def update(self) -> list[BatchRecord]:
        """Poll every open batch, collect the finished ones, and return these.

        A prepared batch that was never created is dropped.

        Raises:
            CallError: The server does not respond.
            UnknownBatchError: The server has no such batch.
        """
        collected_records: list[BatchRecord] = []
        for record in self.open:
            recovered = self._recover_batch(record)
            if recovered is None:
                continue
            current, batch = self._poll_batch(recovered)
            if batch is not None and batch.is_over:
                with _with_remedy(recovered):
                    collected_records.append(self._collect_replies(current, batch))
            elif current != record:
                self.records.save(current)
        return collected_records

    def submit(self, requests: Mapping[str, ChatRequest], left_out: Mapping[str, frozenset[str]]) -> list[BatchRecord]:
        """Submit `requests` by key, in as few batches as the limits allow, and return these.

        `left_out` contains the parameters that a model does not support.

        Raises:
            CallError: The server rejects a batch; earlier ones are on record.
        """
        return [
            self._submit_batch(model, group, lines, left_out.get(model, frozenset()))
            for model, group, lines in self._split_batches(requests, left_out)
        ]

    def cancel(self) -> list[BatchRecord]:
        """Cancel every open batch, collect existing replies, and return the batches.

        A batch is closed without replies if the server does not know it or its file, or does not support batches.
        """
        ended_records: list[BatchRecord] = []
        for record in self.open:
            try:
                recovered = self._recover_batch(record)
                if recovered is not None and recovered.batch_id is not None:
                    ended_records.append(self._finish_or_cancel(recovered, recovered.batch_id))
            except UnknownBatchError as error:
                ended_records.append(self.records.save(replace(record, state="closed", problem=str(error), calls={})))
        return ended_records

    def close(self) -> None:
        """Close collected batches, so that the next run retries their failed calls."""
        for record in self.records.all():
            if record.state == "collected":
                self.records.save(replace(record, state="closed"))

    def _split_batches(
        self, requests: Mapping[str, ChatRequest], left_out: Mapping[str, frozenset[str]]
    ) -> Iterator[tuple[str, dict[str, ChatRequest], bytes]]:
        """Yield (model, requests, lines) per batch: one model each, within the limits."""
        for model in dict.fromkeys(request.model for request in requests.values()):
            group: dict[str, ChatRequest] = {}
            lines: list[bytes] = []
            size = 0
            for key, request in requests.items():
                if request.model != model:
                    continue
                line = request_line(key, request, left_out.get(model, frozenset()))
                if group and (len(group) == self._most_requests or size + len(line) > self._most_bytes):
                    yield model, group, b"".join(lines)
                    group, lines, size = {}, [], 0
                group[key] = request
                lines.append(line)
                size += len(line)
            if group:
                yield model, group, b"".join(lines)

    def _submit_batch(
        self, model: str, requests: Mapping[str, ChatRequest], lines: bytes, left_out: frozenset[str]
    ) -> BatchRecord:
        calls_digest = digest(sorted(requests))
        attempt = 1 + sum(record.calls_digest == calls_digest for record in self.records.all())
        token = digest([calls_digest, attempt])
        provider, is_priced = self._settings.provider or "", model in self._settings.known_prices
        record = BatchRecord(
            name=f"{time.time_ns():020d}-{token[:8]}",
            token=token,
            calls_digest=calls_digest,
            server=self.server.where,
            model=model,
            requests=len(requests),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            most_usd=sum(batch_cost_usd(request, self._settings) for request in requests.values())
            if is_priced
            else None,
            calls={key: call_columns(provider, request) for key, request in requests.items()},
            left_out=tuple(sorted(left_out)),
        )
        self.records.save(record)
        batch_id = self.server.submit(lines, token)
        return self.records.save(replace(record, state="submitted", batch_id=batch_id, status="validating"))

    def _recover_batch(self, record: BatchRecord) -> BatchRecord | None:
        """Return the record if its batch exists; one that a killed run prepared is looked up, and dropped if missing."""
        if record.batch_id is not None:
            return record
        batch_id = self.server.find(record.token)
        if batch_id is None:
            self.records.drop(record)
            return None
        return self.records.save(replace(record, state="submitted", batch_id=batch_id))

    def _poll_batch(self, record: BatchRecord) -> tuple[BatchRecord, ServerBatch | None]:
        if record.batch_id is None:
            return record, None
        with _with_remedy(record):
            batch = self.server.look(record.batch_id)
        return _with_state(record, batch), batch

    def _finish_or_cancel(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        """Collect a finished batch, cancel any other."""
        batch = self.server.look(batch_id)
        batch = batch if batch.is_over else self.server.cancel(batch_id)
        current = _with_state(record, batch)
        return self._collect_replies(current, batch) if batch.is_over else self.records.save(current)

    def _collect_replies(self, record: BatchRecord, batch: ServerBatch) -> BatchRecord:
        """Append the replies of a finished batch to the ledger, then save the outcome of its calls."""
        results = read_results(self._result_lines(batch), record.calls.keys())
        replies = {key: self._read_reply(record.model, body) for key, body in results.bodies.items()}
        for key, reply in replies.items():
            if self._ledger.reply(key) is None:
                self._ledger.append(record.calls[key], reply)
        failures = {key: _missing_reply(batch, results.failures.get(key)) for key in record.calls if key not in replies}
        collected = replace(
            record,
            state="collected",
            replies=len(replies),
            cost_usd=_sum_costs([reply.cost_usd for reply in replies.values()]),
            problem=_batch_problem(batch, failures, results.unreadable),
            calls={},
            failures={key: asdict(failure) | {"left_out": list(record.left_out)} for key, failure in failures.items()},
        )
        self.records.save(collected)
        for key, failure in failures.items():
            error = failed_call(f"in batch {batch.id!r}: {failure.message}", Failure(failure.kind, failure.message))
            self._ledger.append(record.calls[key], error)
        return collected

    def _result_lines(self, batch: ServerBatch) -> list[bytes]:
        lines = self.server.lines(batch.output_file, batch.done) if batch.output_file else []
        if batch.error_file:
            with suppress(UnknownBatchError):  # failures are free, and can be retried without their reason
                lines += self.server.lines(batch.error_file, batch.failed)
        return lines

    def _read_reply(self, model: str, body: Mapping[str, Any]) -> ChatReply:
        full = read_reply(body, model, self._settings.known_prices, None, 1)
        share = self._settings.batch_price_share
        return full if full.cost_usd is None else replace(full, cost_usd=full.cost_usd * share)


@contextmanager
def _with_remedy(record: BatchRecord) -> Iterator[None]:
    """Add a remedy to UnknownBatchError."""
    try:
        yield
    except UnknownBatchError as error:
        msg = (
            f"{error}; it was created at {record.server}: use that llm.base_url and its key, or discard it with "
            "'kohaku batches --cancel'"
        )
        raise UnknownBatchError(msg) from error


def _with_state(record: BatchRecord, batch: ServerBatch) -> BatchRecord:
    return replace(record, status=batch.status, done=batch.done, failed=batch.failed, problem=batch.problem)


def _missing_reply(batch: ServerBatch, line: LineFailure | None) -> LineFailure:
    """Return why a call has no reply, from its `line` or else from the state of its batch."""
    if batch.status == "failed":
        return line or LineFailure("refused", f"the server refused the batch ({batch.problem or 'without a reason'})")
    if batch.status == "cancelled" and (line is None or line.kind in ("retry", "blank")):
        return LineFailure("refused", "the batch was cancelled")
    return line or LineFailure("retry", f"the batch ended as {batch.status!r} without a result for this call")


def _sum_costs(costs: Sequence[float | None]) -> float | None:
    known_costs = [cost for cost in costs if cost is not None]
    return sum(known_costs) if known_costs or not costs else None


def _batch_problem(batch: ServerBatch, failures: Mapping[str, LineFailure], unreadable: int) -> str | None:
    reasons = dict.fromkeys(failure.message for failure in failures.values())
    problems = [batch.problem] if batch.problem else []
    problems += [f"{len(failures)} calls have no reply ({next(iter(reasons))})"] if failures else []
    problems += [f"{unreadable} lines are unusable"] if unreadable else []
    return "; ".join(problems) or None
