"""HTTP requests with a deadline, a size limit, and checked addresses and redirects."""

from kohaku_lib.http_exchange.client import exchange_client, same_server_only
from kohaku_lib.http_exchange.faults import (
    AddressError,
    ExchangeError,
    InterruptedExchangeError,
    RedirectError,
    ReplyEncodingError,
    ReplyTooLargeError,
    UnknownHostError,
)

__all__ = [
    "AddressError",
    "ExchangeError",
    "InterruptedExchangeError",
    "RedirectError",
    "ReplyEncodingError",
    "ReplyTooLargeError",
    "UnknownHostError",
    "exchange_client",
    "same_server_only",
]
