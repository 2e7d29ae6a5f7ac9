"""Errors raised when the client aborts a request; each message is one clause."""


class ExchangeError(Exception):
    """The client aborted a request. Failed connections and time-outs raise the errors of httpx instead."""


class InterruptedExchangeError(ExchangeError):
    """The thread that waits for the exchange was interrupted."""


class ReplyTooLargeError(ExchangeError):
    """The reply's body, decompressed, is larger than allowed."""


class ReplyEncodingError(ExchangeError):
    """The reply's body is compressed in a way that is not read, or cannot be decompressed."""


class RedirectError(ExchangeError):
    """The server redirects to where the request must not go."""


class UnknownHostError(ExchangeError):
    """No address is known for the host."""


class AddressError(ExchangeError):
    """The host has an address that must not be connected to."""
