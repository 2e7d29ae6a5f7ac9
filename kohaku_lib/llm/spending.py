"""The budget of the calls of one run."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kohaku_lib.errors import ModelError
from kohaku_lib.llm.chat import BudgetSpentError, CallError, ChatModel, ChatReply, ChatRequest, ChatWrapper, Keep
from kohaku_lib.llm.estimates import estimated_request_tokens
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.settings import Price


class Spending:
    """The cost of the calls of one run, paid and in flight; shared by threads and chats."""

    def __init__(self) -> None:
        self.paid_usd = 0.0
        self._in_flight_usd = 0.0
        self._changed = threading.Condition()

    def reserve(self, cost_usd: float, limit_usd: float) -> None:
        """Reserve `cost_usd`, waiting while calls in flight may free enough of `limit_usd`.

        Raises:
            BudgetSpentError: The rest of the limit does not suffice, and no call is in flight.
        """
        with self._changed:
            while self.paid_usd + self._in_flight_usd + cost_usd > limit_usd:
                if self._in_flight_usd == 0:
                    raise BudgetSpentError(_budget_message(self.paid_usd, cost_usd, limit_usd), attempts=0)
                self._changed.wait()
            self._in_flight_usd += cost_usd

    def settle(self, reserved_usd: float, paid_usd: float) -> None:
        """Replace a reservation by the actual cost."""
        with self._changed:
            remaining_usd = self._in_flight_usd - reserved_usd
            self._in_flight_usd = remaining_usd if remaining_usd > 1e-12 else 0.0  # rounding errors of sums
            self.paid_usd += paid_usd
            self._changed.notify_all()


class BudgetedChat(ChatWrapper):
    """Calls `chat` while the budget `limit_usd` covers the maximum cost of a call."""

    def __init__(
        self, chat: ChatModel, spending: Spending, limit_usd: float, prices: Callable[[str], Price | None]
    ) -> None:
        super().__init__(chat)
        self._spending, self._limit_usd, self._price_of = spending, limit_usd, prices

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`.

        Raises:
            BudgetSpentError: The rest of the budget may not suffice.
            ModelError: The model has no price.
        """
        highest_usd = highest_cost_usd(request, self._price_of)
        self._spending.reserve(highest_usd, self._limit_usd)
        paid_usd = 0.0
        try:
            reply = self._chat.complete(request, keep)
            paid_usd = highest_usd if reply.cost_usd is None else reply.cost_usd
        except CallError as error:
            cut_usd = highest_usd if error.received else 0.0
            paid_usd = cut_usd if error.cost_usd is None else error.cost_usd
            raise
        else:
            return reply
        finally:
            self._spending.settle(highest_usd, paid_usd)


def highest_cost_usd(request: ChatRequest, price_of: Callable[[str], Price | None]) -> float:
    """Return the maximum cost of a call in US dollars.

    Raises:
        ModelError: Its model has no price.
    """
    price = price_of(request.model)
    if price is None:
        raise no_price(request.model)
    cost = call_cost_usd(request.model, estimated_request_tokens(request), request.max_tokens, {request.model: price})
    return cost or 0.0


def no_price(model: str) -> ModelError:
    """Return the error for a missing price of `model`."""
    return ModelError(
        f"llm.max_cost_usd needs the price of {model!r}, which is not in llm.prices; add "
        f'llm.prices."{model}" with input_usd_per_million and output_usd_per_million'
    )


def _budget_message(paid_usd: float, cost_usd: float, limit_usd: float) -> str:
    return (
        f"not asked: {paid_usd:.4f} of llm.max_cost_usd = {limit_usd:g} US dollars are spent and a call may cost up to "
        f"{cost_usd:.4f}; raise it and refresh again"
    )
