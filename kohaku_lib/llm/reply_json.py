"""JSON that others wrote, as values that can be stored and shown: the one way in for replies of servers and models."""

from __future__ import annotations

import json
import re
from typing import Any

from kohaku_lib.masking import masked_reply

MOST_TOKENS = 2**53  # beyond, a number is no count of anything
_LONGEST_INTEGER = 18  # digits; longer ones are read as floats
_SURROGATES = re.compile("[\ud800-\udfff]")


def reply_json(raw: bytes) -> Any:
    r"""Return the JSON in `raw`, cleaned as by `clean_json`; raises ValueError where it is none.

    Bytes that are no UTF-8 become "�"; an integer of more than 18 digits becomes a float, which may be infinite.

    >>> reply_json(b'{"text": "a \\ud800 b", "tokens": 7}')
    {'text': 'a � b', 'tokens': 7}
    """
    try:
        return clean_json(json.loads(raw.decode("utf-8-sig", "replace"), parse_int=_integer))
    except RecursionError:
        msg = "the JSON is nested too deeply"
        raise ValueError(msg) from None


def clean_json(value: Any) -> Any:
    r"""Return `value` with all its texts as of `clean_text`; lists of numbers are taken as they are.

    >>> clean_json(["a", {"b": "\ud800"}])
    ['a', {'b': '�'}]
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(name): clean_json(item) for name, item in value.items()}
    if isinstance(value, list) and not (value and isinstance(value[0], float)):
        return [clean_json(item) for item in value]
    return value


def clean_text(text: str) -> str:
    r"""Return `text` without lone surrogates, which nothing can store, and without the keys that were sent.

    >>> clean_text("\ud83d")
    '�'
    """
    return masked_reply(without_surrogates(text))


def without_surrogates(text: str) -> str:
    """Return `text` with "�" in place of lone surrogates: halves of characters, which UTF-8 does not know."""
    return text if text.isascii() else _SURROGATES.sub("�", text)


def token_count(value: Any) -> int | None:
    """Return a count of tokens as servers and ledgers state it; None where it is none.

    >>> [token_count(value) for value in (7, 7.0, -1, 0.5, "7", True, 1e400, 10**400, None)]
    [7, 7, None, None, None, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)
