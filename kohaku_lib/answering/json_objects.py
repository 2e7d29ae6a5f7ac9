"""A JSON object out of a model's reply, whatever stands around it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from kohaku_lib.llm.reply_json import clean_json

_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_LONGEST_REPLY = 100_000
_MOST_BRACES = 500
_LONGEST_REPAIR = 20_000


def find_json_object(text: str, keys: Collection[str]) -> dict[str, Any] | None:
    """Return the last JSON object in `text` that has the most of `keys`; None where none has any.

    Thinking, prose and code fences around it are ignored. Where no object is valid, the text from the first brace
    on is repaired; failing that, lines "key: value" are read.

    >>> find_json_object('<think>{"a": 0}</think> Sure: {"a": 1} or rather {"a": {"b": 2}}.', ["a"])
    {'a': {'b': 2}}
    >>> find_json_object('- a: 5' + chr(10) + '- b: "x"', ["a", "b"])
    {'a': '5', 'b': 'x'}
    """
    told = strip_thinking(text[:_LONGEST_REPLY])
    found = [value for value in _objects(told) if _hits(value, keys)] or [
        value for value in _repaired(told) if _hits(value, keys)
    ]
    if found:
        return max(reversed(found), key=lambda value: _hits(value, keys))
    return _listed(told, keys)


def strip_thinking(text: str) -> str:
    """Return `text` without a model's thinking, also where its opening tag is missing.

    >>> strip_thinking("<think>hm</think>yes"), strip_thinking("hm</think>yes")
    ('yes', 'yes')
    """
    kept: list[str] = []
    start, opened = 0, None
    for tag in _TAG.finditer(text):
        if tag[1]:
            kept = kept if opened is not None else []
            start, opened = tag.end(), None
        elif opened is None:
            kept.append(text[start : tag.start()])
            opened = tag.start()
    return "".join(kept) + text[start if opened is None else opened :]


def _hits(value: dict[str, Any], keys: Collection[str]) -> int:
    return sum(key in value for key in keys)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every valid object that is not inside another one."""
    decoder = json.JSONDecoder(strict=False)
    start = text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield clean_json(value)
        start = text.find("{", end)


def _repaired(text: str) -> list[dict[str, Any]]:
    start = text.find("{")
    broken = text[start : start + _LONGEST_REPAIR]
    if start < 0 or broken.count("{") > _MOST_BRACES:
        return []
    from json_repair import loads

    try:
        value = loads(broken)
    except (ValueError, RecursionError):
        return []
    values = clean_json(value if isinstance(value, list) else [value])
    return [item for item in values if isinstance(item, dict)]


def _listed(text: str, keys: Collection[str]) -> dict[str, Any] | None:
    names = {key.replace("_", " "): key for key in keys}
    pattern = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(names, key=len, reverse=True))
    line = re.compile(
        rf"^[\s>*•\-#\d.)]*[\"'`*_]*({pattern})[\"'`*_]*\s*[:=][ \t*_]*(.*)$", re.IGNORECASE | re.MULTILINE
    )
    listed = {
        names[match[1].lower().replace("_", " ")]: match[2].strip().rstrip(",").strip("\"'`*_ ")
        for match in line.finditer(text)
    }
    return listed or None
