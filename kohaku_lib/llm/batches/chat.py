"""A chat model that answers from the ledger, and takes note of what is to be asked in a batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.llm.batches.records import BatchRecord
from kohaku_lib.llm.chat import CallError, ChatReply, ChatRequest, Keep, PendingError
from kohaku_lib.llm.ledger.calls import CallLedger, call_key
from kohaku_lib.llm.ports.request_body import JSON_SCHEMA, refused_parameter
from kohaku_lib.llm.resilience.access import failed_call
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.retry import Failure
from kohaku_lib.llm.spending import Spending, highest_cost_usd
from kohaku_lib.settings import LlmSettings


@dataclass(slots=True)
class BatchMemory:
    """What earlier batches left behind: calls under way, failures of calls, refused parameters by model, the bill."""

    under_way: frozenset[str] = frozenset()
    failures: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # the last one of each call
    attempts: dict[str, int] = field(default_factory=dict)  # that brought no reply
    left_out: dict[str, frozenset[str]] = field(default_factory=dict)
    knows_schemas: set[str] = field(default_factory=set)  # models that replied in a batch with schemas
    paid_usd: float = 0.0  # of what is not closed; of what is under way, the most that it may come to


def remember(records: Iterable[BatchRecord]) -> BatchMemory:
    """Return what `records`, the oldest first, say; of closed ones only what is as true for further attempts."""
    memory = BatchMemory()
    for record in records:
        is_closed = record.state == "closed"
        if record.replies or not is_closed:  # what has helped nobody is not left out for ever
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
    """Return what a call in a batch may cost at most; raises ModelError where its model has no price."""
    return highest_cost_usd(request, settings.prices.get) * settings.batch_price_share


class BatchChat:
    """Gives what the ledger holds; any other request is noted in `noted` by its key, and raises PendingError.

    What a batch found too long raises ContextOverflowError. A call that was refused, or that failed in a batch once
    more often than llm.call_retries, raises CallError; one whose parameter was refused is asked again without it,
    however often.
    """

    def __init__(self, settings: LlmSettings, ledger: CallLedger, memory: BatchMemory, spending: Spending) -> None:
        self._settings, self._ledger, self._memory, self._spending = settings, ledger, memory, spending
        self._lock = threading.Lock()
        self.noted: dict[str, ChatRequest] = {}
        self.left_out = dict(memory.left_out)
        self.waiting: set[str] = set()  # calls that somebody needs and that are under way

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._settings.provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the recorded reply to `request`."""
        return self._ledger.reply(call_key(self.provider, request))

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the recorded reply to `request`; raises BudgetSpentError where a batch may not pay for it."""
        key = call_key(self.provider, request)
        known = self._ledger.reply(key)
        if known is None:
            raise self._without_reply(key, request)
        if keep is not None:
            keep(known)
        return known

    def stop(self) -> None:
        """Do nothing: no call is made."""

    def _without_reply(self, key: str, request: ChatRequest) -> CallError:
        with self._lock:
            if key in self._memory.under_way:
                self.waiting.add(key)
                return PendingError(f"call {key!r} waits in a batch", attempts=0)
            given_up = self._given_up(key, request)
            if given_up is not None:
                return given_up
            if key not in self.noted:
                self._reserve(request)
                self.noted[key] = request
            return PendingError(f"call {key!r} goes with the next batch", attempts=0)

    def _given_up(self, key: str, request: ChatRequest) -> CallError | None:
        """Return the error of a call that is not asked again."""
        failed = self._memory.failures.get(key)
        if failed is None:
            return None
        failure, attempts = Failure(failed["kind"], failed["message"]), self._memory.attempts[key]
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        sentence = f"the chat model {request.model!r} gave no reply in a batch{tries}: {failure.message}"
        if failure.kind == "overflow":
            return failed_call(sentence, failure, attempts)
        if failure.kind == "retry" and attempts <= self._settings.call_retries:
            return None
        if self._leaves_out(failed, request):
            return None
        return CallError(sentence, attempts=attempts)

    def _leaves_out(self, failed: Mapping[str, Any], request: ChatRequest) -> bool:
        """Return whether the refused call may be asked again without a parameter, which is then left out."""
        refusal = AttemptError(
            Failure(failed["kind"], failed["message"]), status=failed["status"], parameter=failed["parameter"]
        )
        sent_without = frozenset(failed["left_out"])
        knows_schemas = request.model in self._memory.knows_schemas
        parameter = refused_parameter(refusal, request, sent_without, knows_schemas=knows_schemas)
        if parameter is not None:
            known = self.left_out.get(request.model, frozenset())
            self.left_out[request.model] = known | sent_without | {parameter}
        return parameter is not None

    def _reserve(self, request: ChatRequest) -> None:
        """Set aside what a call may cost at most; raises BudgetSpentError."""
        limit_usd = self._settings.max_cost_usd
        if limit_usd is None:
            return
        highest_usd = batch_cost_usd(request, self._settings)
        self._spending.reserve(highest_usd, limit_usd)
        self._spending.settle(highest_usd, highest_usd)
