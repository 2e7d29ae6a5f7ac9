"""Classification of failures, and retry delays."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

LONGEST_WAIT_S = 600.0

FailureKind = Literal["retry", "blank", "overflow", "exhausted", "unavailable", "unreachable", "refused"]

RETRIED_STATUS = frozenset(
    {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
)  # of model servers and downloads
_HOPELESS_STATUS = {401, 403, 404}
_OVERFLOW = re.compile(
    r"maximum context length|context[_ ]length[_ ]exceeded|exceed(s|ed)? the (available )?context|"
    r"exceed_context_size|context window|prompt is too long|request too large|reduce the length of the (messages|prompt)|"
    r"max \d+ tokens per request|maximum allowed batch size|must have less than \d+ tokens|input is too large to process",
    re.IGNORECASE,
)
_TOKENS = re.compile(r"(\d[\d,]{2,})(?= tokens| input tokens| maximum| \()", re.IGNORECASE)
_LIMIT = re.compile(
    r"(?:context length (?:is|of)|context size|maximum of|limit (?:is|of)) \(?(\d[\d,]{2,})", re.IGNORECASE
)
_HINT = re.compile(r"(?:try again|retry) (?:in|after) ((?: ?\d+(?:\.\d+)? ?(?:[a-z]+)?)+)", re.IGNORECASE)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]*)", re.IGNORECASE)
_UNIT_S = {"": 1.0, "ms": 0.001, "milliseconds": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0} | {
    name: seconds
    for seconds, names in ((60.0, ("m", "min", "mins", "minute", "minutes")), (3600.0, ("h", "hour", "hours")))
    for name in names
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt failed, whether a retry may help, and the wait requested by the server."""

    kind: FailureKind
    message: str
    hint_s: float | None = None


def classify_status(status: int, code: str | None, message: str, hint_s: float | None = None) -> Failure:
    """Classify an HTTP error by `status` and the server's error `code` and `message`.

    A spent quota is reported as 429 but does not recover by waiting. If the server requests a wait of more than ten minutes,
    it counts as "exhausted" until then.

    >>> classify_status(429, None, "slow down").kind, classify_status(400, None, "bad server 500").kind
    ('retry', 'refused')
    >>> classify_status(400, "context_length_exceeded", "too long").kind
    'overflow'
    """
    if status == 413 or _OVERFLOW.search(f"{code or ''} {message}"):
        return Failure("overflow", message)
    if code == "insufficient_quota":
        return Failure("exhausted", message)
    if status in _HOPELESS_STATUS:
        return Failure("unavailable", message)
    if status not in RETRIED_STATUS:
        return Failure("refused", message)
    if hint_s is not None and hint_s > LONGEST_WAIT_S:
        return Failure("exhausted", f"{message} (the server asks to wait {hint_s:.0f} s)", hint_s)
    return Failure("retry", message, hint_s)


def overflow_tokens(message: str) -> tuple[int | None, int | None]:
    """Parse the token limit and the prompt's tokens from an overflow message; None if not stated.

    >>> overflow_tokens("maximum context length is 8192 tokens. However, your messages resulted in 9,510 tokens")
    (8192, 9510)
    >>> overflow_tokens("the request exceeds the available context size")
    (None, None)
    """
    amounts = sorted({int(number.replace(",", "")) for number in _TOKENS.findall(message)})
    if len(amounts) < 2:
        return (amounts[0], None) if amounts else (None, None)
    limit = _LIMIT.search(message)
    limit_tokens = int(limit[1].replace(",", "")) if limit else amounts[0]
    return limit_tokens, amounts[-1] if amounts[-1] > limit_tokens else None


def server_hint_s(headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Return the wait in seconds requested by the server's headers or else its message; None if there is none.

    `now` is in seconds since the epoch, for a Retry-After header with a date.

    >>> server_hint_s({"retry-after": "7"}, "", 0.0), server_hint_s({}, "Please try again in 1m2.5s.", 0.0)
    (7.0, 62.5)
    >>> server_hint_s({"retry-after-ms": "250"}, "", 0.0), server_hint_s({}, "try again in 20ms", 0.0)
    (0.25, 0.02)
    """
    milliseconds = _parse_seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    header = headers.get("retry-after")
    seconds = _parse_seconds(header)
    if seconds is None and header:
        seconds = _seconds_until(header, now)
    return seconds if seconds is not None else _hint_in(message)


def retry_delay_s(attempt: int, hint_s: float | None, base_s: float, random: float, factor: float = 2.0) -> float:
    """Return the delay in seconds after the failed attempt `attempt` (from 0), given `random` in [0, 1).

    The server's hint plus one second, else `base_s` × `factor`^attempt, with a jitter of 0.75 to 1.25; at least the
    hint and at most ten minutes.

    >>> retry_delay_s(2, None, 3.0, 0.5), retry_delay_s(0, 10.0, 3.0, 0.0), retry_delay_s(0, 1.0, 3.0, 0.0)
    (12.0, 10.0, 1.5)
    >>> round(retry_delay_s(2, None, 3.0, 0.5, factor=1.414), 1)
    6.0
    """
    delay = base_s * factor ** min(attempt, 30) if hint_s is None else hint_s + 1.0
    return min(max(delay * (0.75 + 0.5 * random), hint_s or 0.0), LONGEST_WAIT_S)


def _parse_seconds(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _seconds_until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _hint_in(message: str) -> float | None:
    match = _HINT.search(message)
    if match is None:
        return None
    amounts = [(float(number), _UNIT_S.get(unit.lower())) for number, unit in _AMOUNT.findall(match[1])]
    durations_s = [number * unit_s for number, unit_s in amounts if unit_s is not None]
    return sum(durations_s) if durations_s else None
