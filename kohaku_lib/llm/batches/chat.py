"""A chat model that replies from the ledger and collects all other requests for a batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.llm.batches.records import BatchRecord
from kohaku_lib.llm.chat import CallError, ChatReply, ChatRequest, Keep, PendingError
from kohaku_lib.llm.ledger.calls import CallLedger, call_key
from kohaku_lib.llm.providers.request_body import JSON_SCHEMA, refused_parameter
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.servers.access import failed_call
from kohaku_lib.llm.spending import Spending, highest_cost_usd
from kohaku_lib.settings import LlmSettings


@dataclass(slots=True)
class BatchMemory:
    """The state of earlier batches: pending calls, failures, refused parameters by model, cost."""

    under_way: frozenset[str] = frozenset()
    failures: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # the latest by call
    attempts: dict[str, int] = field(default_factory=dict)  # failed ones by call
    left_out: dict[str, frozenset[str]] = field(default_factory=dict)
    knows_schemas: set[str] = field(default_factory=set)  # models with replies in a batch with schemas
    paid_usd: float = 0.0  # of batches that are not closed; an upper bound for pending ones


def remember(records: Iterable[BatchRecord]) -> BatchMemory:
    """Summarise `records`, oldest first; of closed ones only what also applies to further attempts."""
    memory = BatchMemory()
    for record in records:
        is_closed = record.state == "closed"
        if record.replies or not is_closed:  # omitted parameters only persist if there were replies
            memory.left_out[record.model] = memory.left_out.get(record.model, frozenset()).union(record.left_out)
        if record.replies and not {JSON_SCHEMA, "response_format"}.intersection(record.left_out):
            memory.knows_schemas.add(record.model)
        if record.is_open:
            memory.under_way |= record.calls.keys()
        if not is_closed:
            memory.paid_usd += record.cost_usd or (record.most_usd or 0.0 if record.is_open else 0.0)
        for key, failure in record.failures.items():
            if not is_closed or failure["kind"] == "overflow":
                memory.failures[key] = failure
                memory.attempts[key] = memory.attempts.get(key, 0) + 1
    return memory


def batch_cost_usd(request: ChatRequest, settings: LlmSettings) -> float:
    """Return an upper bound of the cost of a call in a batch.

    Raises:
        ModelError: Its model has no price.
    """
    return highest_cost_usd(request, settings.known_prices.get) * settings.batch_price_share


class BatchChat:
    """Replies from the ledger; any other request is collected in `noted` by its key.

    A call fails for good if it was refused, or failed in batches more than llm.call_retries times; one with a refused
    parameter is retried without it any number of times.
    """

    def __init__(self, settings: LlmSettings, ledger: CallLedger, memory: BatchMemory, spending: Spending) -> None:
        self._settings, self._ledger, self._memory, self._spending = settings, ledger, memory, spending
        self._lock = threading.Lock()
        self.noted: dict[str, ChatRequest] = {}
        self.left_out = dict(memory.left_out)
        self.waiting: set[str] = set()  # requested calls that are pending in a batch

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._settings.provider or ""  # there is one: chat_access has checked it

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the recorded reply to `request`."""
        return self._ledger.reply(call_key(self.provider, request))

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the recorded reply to `request`.

        Raises:
            PendingError: The call is pending in a batch, or collected for the next one.
            ContextOverflowError: A batch rejected the prompt as too long.
            BudgetSpentError: The budget does not cover a new call.
            CallError: The call failed for good.
        """
        key = call_key(self.provider, request)
        reply = self._ledger.reply(key)
        if reply is None:
            raise self._pending_or_failed(key, request)
        if keep is not None:
            keep(reply)
        return reply

    def stop(self) -> None:
        """Do nothing, as no call is made."""

    def _pending_or_failed(self, key: str, request: ChatRequest) -> CallError:
        with self._lock:
            if key in self._memory.under_way:
                self.waiting.add(key)
                return PendingError(f"call {key!r} is pending in a batch", attempts=0)
            final_error = self._final_error(key, request)
            if final_error is not None:
                return final_error
            if key not in self.noted:
                self._reserve_cost(request)
                self.noted[key] = request
            return PendingError(f"call {key!r} is queued for the next batch", attempts=0)

    def _final_error(self, key: str, request: ChatRequest) -> CallError | None:
        """Return the final error of a call that is not retried, else None."""
        failed = self._memory.failures.get(key)
        if failed is None:
            return None
        failure, attempts = Failure(failed["kind"], failed["message"]), self._memory.attempts[key]
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        sentence = f"the chat model {request.model!r} gave no reply in a batch{tries}: {failure.message}"
        if failure.kind == "overflow":
            return failed_call(sentence, failure, attempts)
        if failure.kind in ("retry", "blank") and attempts <= self._settings.call_retries:
            return None
        if self._omits_parameter(failed, request):
            return None
        return CallError(sentence, attempts=attempts)

    def _omits_parameter(self, failed: Mapping[str, Any], request: ChatRequest) -> bool:
        """Return whether to retry the refused call without a parameter, which is added to `left_out`."""
        refusal = AttemptError(
            Failure(failed["kind"], failed["message"]), status=failed["status"], parameter=failed["parameter"]
        )
        sent_without = frozenset(failed["left_out"])
        knows_schemas = request.model in self._memory.knows_schemas
        parameter = refused_parameter(refusal, request, sent_without, knows_schemas=knows_schemas)
        if parameter is not None:
            omitted = self.left_out.get(request.model, frozenset())
            self.left_out[request.model] = omitted | sent_without | {parameter}
        return parameter is not None

    def _reserve_cost(self, request: ChatRequest) -> None:
        """Reserve the maximum cost of a call; raises BudgetSpentError."""
        limit_usd = self._settings.max_cost_usd
        if limit_usd is None:
            return
        highest_usd = batch_cost_usd(request, self._settings)
        self._spending.reserve(highest_usd, limit_usd)
        self._spending.settle(highest_usd, highest_usd)
