"""The JSON in the reply of a chat model, whatever surrounds it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from kohaku_lib.llm.reply_json import clean_json


def without_thinking(reply: str) -> str:
    """Return a model's reply without what it thought aloud, and without white space around it."""
    return _THINKING.sub("", reply).strip()


def json_values(reply: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and arrays in a model's reply, its thinking left out.

    >>> list(json_values('<think>[0]</think>Sure: {"grades": [7]} and [1]'))
    [{'grades': [7]}, [1]]
    """
    text = without_thinking(reply)
    decoder, position = json.JSONDecoder(strict=False), 0
    while (match := _OPEN.search(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
        else:
            yield clean_json(value)


_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"[{\[]")
