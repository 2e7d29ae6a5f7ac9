"""What a Markdown file says about itself between two lines of three hyphens."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?![^\S\n]*\n)(?P<body>(?:[^\n]*\n)*?)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)")
_OTHER_LINE = re.compile(r"^(?![A-Za-z][\w -]{0,40}?:(?:\s|$)|[\s#-]|[\]}]|$)", re.MULTILINE)
_PAIR = re.compile(r"^(?P<key>[A-Za-z][\w -]{0,40}?):[^\S\n]+(?P<value>[^\n|>&*!{\[][^\n]*)$", re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    r"""Return what the front matter of `text` says, as JSON values under lower-case keys, and the text behind it.

    It begins right below the first line; text between two rules is none. YAML that is not valid is read line by
    line as "key: value"; of YAML with references, which can grow without
    bound, nothing is taken. `lang` stands for `language`; of a date the ISO form is kept.

    >>> split_front_matter("---\ntitle: Amber\nDate: 2024-05-01\ntags: [a, b]\n---\nText.")
    ({'title': 'Amber', 'date': '2024-05-01', 'tags': ['a', 'b']}, 'Text.')
    >>> split_front_matter("Text.")
    ({}, 'Text.')
    """
    front = _FRONT_MATTER.match(text)
    if not front or not front["body"].strip():
        return {}, text
    known = _yaml(front["body"])
    if known is None:
        if _OTHER_LINE.search(front["body"]):
            return {}, text
        known = {pair["key"]: pair["value"].strip().strip("\"'") for pair in _PAIR.finditer(front["body"])}
        if not known:
            return {}, text
    named = {str(key).strip().lower(): _json_value(value) for key, value in known.items() if value is not None}
    if isinstance(named.get("lang"), str):
        named.setdefault("language", named.pop("lang"))
    return named, text[front.end() :]


def _yaml(text: str) -> Mapping[Any, Any] | None:
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            return {}
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json_value(inner) for inner in value]
    is_plain = isinstance(value, str | int | bool) or (isinstance(value, float) and math.isfinite(value))
    return value if is_plain else str(value)
