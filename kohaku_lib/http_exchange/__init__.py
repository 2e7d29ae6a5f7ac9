"""Exchanges by HTTP that end in time, stay within a size, and go only where they may."""

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
