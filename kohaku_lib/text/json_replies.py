"""The JSON in the reply of a chat model, whatever surrounds it and however it is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from kohaku_lib.text.untrusted_json import clean_json


def last_json_value(reply: str, is_usable: Callable[[Any], bool]) -> Any | None:
    """Return the last usable one of the outermost JSON objects and arrays in `reply`; None where none is usable.

    Thinking, prose and code fences around them are ignored. Only where no valid value is usable, the text is repaired,
    unless it was cut off: a list that lacks its end would look complete.

    >>> last_json_value('<think>[0]</think>Sure: {"grades": [7,]} and so on', lambda value: "grades" in value)
    {'grades': [7]}
    """
    text = strip_thinking(reply[:_LONGEST_REPLY])
    for values in (_valid(text), () if _is_cut_off(text) else _repaired(text)):
        usable = [value for value in values if is_usable(value)]
        if usable:
            return usable[-1]
    return None


def find_json_object(reply: str, keys: Collection[str]) -> dict[str, Any] | None:
    """Return the last JSON object in `reply` that has the most of `keys`; None where none has any.

    As `last_json_value`, but what a text that was cut off still holds is read, and thinking that never ends too: the
    answer may follow in it. Where even a repaired text has no such object, lines "key: value" are read.

    >>> find_json_object('<think>{"a": 0}</think> Sure: {"a": 1} or rather {"a": {"b": 2}}.', ["a"])
    {'a': {'b': 2}}
    >>> find_json_object('- a: 5' + chr(10) + '- b: "x"', ["a", "b"])
    {'a': '5', 'b': 'x'}
    """
    text = strip_thinking(reply[:_LONGEST_REPLY], keep_unclosed=True)
    for values in (_valid(text), _repaired(text)):
        found = [value for value in _objects(values) if _count_keys(value, keys)]
        if found:
            return max(reversed(found), key=lambda value: _count_keys(value, keys))
    return _key_value_lines(text, keys)


def strip_thinking(reply: str, *, keep_unclosed: bool = False) -> str:
    """Return `reply` without a model's thinking, also where its opening tag is missing.

    Thinking that never ends is left out too, unless `keep_unclosed`.

    >>> strip_thinking("<think>hm</think>yes"), strip_thinking("hm</think>yes"), strip_thinking("yes <think>or")
    ('yes', 'yes', 'yes ')
    """
    kept: list[str] = []
    start, opened = 0, None
    for tag in _TAG.finditer(reply):
        if tag[1]:
            kept = kept if opened is not None else []
            start, opened = tag.end(), None
        elif opened is None:
            kept.append(reply[start : tag.start()])
            opened = tag.start()
    if opened is None:
        return "".join(kept) + reply[start:]
    return "".join(kept) + (reply[opened:] if keep_unclosed else "")


_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_LONGEST_REPLY = 100_000  # characters
_LONGEST_REPAIR = 20_000
_MOST_BROKEN = 500  # opening brackets that begin no valid value


def _valid(text: str) -> Iterator[Any]:
    """Yield every valid object and array that is not inside another one."""
    decoder, position, broken = json.JSONDecoder(strict=False), 0, 0
    while broken < _MOST_BROKEN and (match := _OPENING.search(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position, broken = match.end(), broken + 1
        else:
            yield clean_json(value)


def _repaired(text: str) -> Iterator[Any]:
    """Yield the objects and arrays of the text after its first bracket, and after its first brace where that is later."""
    first, brace = _OPENING.search(text), text.find("{")
    if first is not None:
        yield from _repaired_from(text[first.start() :])
        if brace > first.start():
            yield from _repaired_from(text[brace:])


def _repaired_from(text: str) -> Iterator[Any]:
    broken = text[:_LONGEST_REPAIR]
    if broken.count("{") + broken.count("[") > _MOST_BROKEN:
        return
    from json_repair import loads

    try:
        value = loads(broken)
    except (ValueError, RecursionError):
        return
    several = isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
    yield from (item for item in clean_json(value if several else [value]) if isinstance(item, (dict, list)))


def _is_cut_off(text: str) -> bool:
    """Return whether more brackets open than close; those inside strings are taken to be in pairs."""
    return sum(map(text.count, "{[")) > sum(map(text.count, "}]"))


def _objects(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects among `values` and in its arrays, however deep."""
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
    found = {
        key_by_words[match[1].lower().replace("_", " ")]: match[2].strip().rstrip(",").strip("\"'`*_ ")
        for match in line.finditer(text)
    }
    return found or None
