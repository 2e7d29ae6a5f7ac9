"""Extraction of JSON from the reply of a chat model: from prose, thinking and code fences, repaired if invalid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from kohaku_lib.text.untrusted_json import scrubbed_json


def last_json_value(reply: str, is_usable: Callable[[Any], bool]) -> Any | None:
    """Return the last usable one of the outermost JSON objects and arrays in `reply`; None if none is usable.

    Thinking, prose and code fences around them are ignored. If no valid value is usable, the text is repaired, unless it
    is truncated: a truncated list would look complete.

    >>> last_json_value('<think>[0]</think>Sure: {"grades": [7,]} and so on', lambda value: "grades" in value)
    {'grades': [7]}
    """
    text = strip_thinking(reply[:_LONGEST_REPLY])
    for values in (_valid_values(text), () if _is_cut_off(text) else _repaired_values(text)):
        usable_values = [value for value in values if is_usable(value)]
        if usable_values:
            return usable_values[-1]
    return None


def find_json_object(reply: str, keys: Collection[str]) -> dict[str, Any] | None:
    """Return the last JSON object in `reply` that has the most of `keys`; None if none has any.

    Like `last_json_value`, but truncated texts are repaired too, and so is unclosed thinking, which may contain the
    answer. If even a repaired text has no such object, lines "key: value" are parsed.

    >>> find_json_object('<think>{"a": 0}</think> Sure: {"a": 1} or rather {"a": {"b": 2}}.', ["a"])
    {'a': {'b': 2}}
    >>> find_json_object('- a: 5' + chr(10) + '- b: "x"', ["a", "b"])
    {'a': '5', 'b': 'x'}
    """
    text = strip_thinking(reply[:_LONGEST_REPLY], keep_unclosed=True)
    for values in (_valid_values(text), _repaired_values(text)):
        objects = [value for value in _nested_objects(values) if _count_keys(value, keys)]
        if objects:
            return max(reversed(objects), key=lambda value: _count_keys(value, keys))
    return _key_value_lines(text, keys)


def strip_thinking(reply: str, *, keep_unclosed: bool = False) -> str:
    """Return `reply` without a model's thinking, even if its opening tag is missing.

    Unclosed thinking is removed too, unless `keep_unclosed`.

    >>> strip_thinking("<think>hm</think>yes"), strip_thinking("hm</think>yes"), strip_thinking("yes <think>or")
    ('yes', 'yes', 'yes ')
    """
    pieces: list[str] = []
    start, opening = 0, None
    for tag in _TAG.finditer(reply):
        if tag[1]:
            pieces = pieces if opening is not None else []
            start, opening = tag.end(), None
        elif opening is None:
            pieces.append(reply[start : tag.start()])
            opening = tag.start()
    if opening is None:
        return "".join(pieces) + reply[start:]
    return "".join(pieces) + (reply[opening:] if keep_unclosed else "")


_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_LONGEST_REPLY = 100_000  # characters
_LONGEST_REPAIR = 20_000
_MOST_BROKEN = 500  # opening brackets that begin no valid value


def _valid_values(text: str) -> Iterator[Any]:
    """Yield every valid object and array that is not inside another one."""
    decoder, position, failures = json.JSONDecoder(strict=False), 0, 0
    while failures < _MOST_BROKEN and (match := _OPENING.search(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position, failures = match.end(), failures + 1
        else:
            yield scrubbed_json(value)


def _repaired_values(text: str) -> Iterator[Any]:
    """Yield the repaired values of the text from its first bracket on, and from its first brace on if that is later."""
    first, brace = _OPENING.search(text), text.find("{")
    if first is not None:
        yield from _repair(text[first.start() :])
        if brace > first.start():
            yield from _repair(text[brace:])


def _repair(text: str) -> Iterator[Any]:
    broken = text[:_LONGEST_REPAIR]
    if broken.count("{") + broken.count("[") > _MOST_BROKEN:
        return
    from json_repair import loads

    try:
        value = loads(broken)
    except (ValueError, RecursionError):
        return
    several = isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
    yield from (item for item in scrubbed_json(value if several else [value]) if isinstance(item, (dict, list)))


def _is_cut_off(text: str) -> bool:
    """Return whether more brackets open than close; those inside strings are assumed to be paired."""
    return sum(map(text.count, "{[")) > sum(map(text.count, "}]"))


def _nested_objects(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects among `values` and in its arrays, at any depth."""
    pending = list(values)[::-1]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            pending.extend(reversed(value))


def _count_keys(value: dict[str, Any], keys: Collection[str]) -> int:
    return sum(key in value for key in keys)


def _key_value_lines(text: str, keys: Collection[str]) -> dict[str, Any] | None:
    key_by_words = {key.replace("_", " "): key for key in keys}
    longest_first = sorted(key_by_words, key=len, reverse=True)
    either = "|".join(re.escape(words).replace(r"\ ", "[ _]") for words in longest_first)
    line = re.compile(
        rf"^[\s>*•\-#\d.)]*[\"'`*_]*({either})[\"'`*_]*\s*[:=][ \t*_]*(.*)$", re.IGNORECASE | re.MULTILINE
    )
    value_by_key = {
        key_by_words[match[1].lower().replace("_", " ")]: match[2].strip().rstrip(",").strip("\"'`*_ ")
        for match in line.finditer(text)
    }
    return value_by_key or None
