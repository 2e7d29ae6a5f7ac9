"""JSON from servers and models, scrubbed into values that can be stored and shown."""

from __future__ import annotations

import json
import re
from typing import Any

from kohaku_lib.masking import masked_reply

MOST_TOKENS = 2**53  # larger numbers are not plausible counts
_LONGEST_INTEGER = 18  # digits; longer ones are parsed as floats
_SURROGATES = re.compile("[\ud800-\udfff]")


def reply_json(raw: bytes) -> Any:
    r"""Parse the JSON in `raw` and scrub it with `scrubbed_json`.

    Invalid UTF-8 becomes "�"; an integer of more than 18 digits becomes a float, which may be infinite.

    Raises:
        ValueError: The JSON is invalid, or nested too deeply.

    >>> reply_json(b'{"text": "a \\ud800 b", "tokens": 7}')
    {'text': 'a � b', 'tokens': 7}
    """
    try:
        return scrubbed_json(json.loads(raw.decode("utf-8-sig", "replace"), parse_int=_parse_integer))
    except RecursionError:
        msg = "the JSON is nested too deeply"
        raise ValueError(msg) from None


def scrubbed_json(value: Any) -> Any:
    r"""Return `value` with `scrubbed_text` applied to all its texts; lists of numbers are not visited.

    >>> scrubbed_json(["a", {"b": "\ud800"}])
    ['a', {'b': '�'}]
    """
    if isinstance(value, str):
        return scrubbed_text(value)
    if isinstance(value, dict):
        return {scrubbed_text(name): scrubbed_json(item) for name, item in value.items()}
    if isinstance(value, list) and not (value and isinstance(value[0], float)):
        return [scrubbed_json(item) for item in value]
    return value


def scrubbed_text(text: str) -> str:
    r"""Return `text` without lone surrogates, which cannot be encoded, and with the API keys of this process masked.

    >>> scrubbed_text("\ud83d")
    '�'
    """
    return masked_reply(without_surrogates(text))


def without_surrogates(text: str) -> str:
    """Return `text` with "�" in place of lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else _SURROGATES.sub("�", text)


def as_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object, else an empty one.

    >>> as_object({"a": 1}), as_object([1]), as_object(None)
    ({'a': 1}, {}, {})
    """
    return value if isinstance(value, dict) else {}


def token_count(value: Any) -> int | None:
    """Return a token count reported by a server or a ledger; None if `value` is not a count.

    >>> [token_count(value) for value in (7, 7.0, -1, 0.5, "7", True, 1e400, 10**400, None)]
    [7, 7, None, None, None, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def _parse_integer(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)
