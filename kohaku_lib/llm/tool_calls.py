"""Tool calls of chat models as text, so that a reply is recorded and replayed whichever form it has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kohaku_lib.text.json_replies import last_json_value
from kohaku_lib.text.untrusted_json import as_object

_CALL = "tool_call"


def message_text(message: Mapping[str, Any]) -> str | None:
    """Return the text of a message, or of its first tool call if it has no text; None if it has neither.

    >>> message_text({"content": None, "tool_calls": [{"function": {"name": "search", "arguments": '{"query": "x"}'}}]})
    '{"tool_call": {"name": "search", "arguments": {"query": "x"}}}'
    >>> message_text({"content": "Yes."}), message_text({"content": ""})
    ('Yes.', None)
    """
    text = content_text(message.get("content"))
    if text.strip():
        return text
    calls = message.get("tool_calls")
    called = as_object(as_object(calls[0]).get("function")) if isinstance(calls, list) and calls else {}
    if not isinstance(called.get("name"), str):
        return None
    arguments = last_json_value(str(called.get("arguments") or ""), lambda value: isinstance(value, dict)) or {}
    return json.dumps({_CALL: {"name": called["name"], "arguments": arguments}}, ensure_ascii=False)


def content_text(content: object) -> str:
    """Return the text of the content of a message, which some servers send as a list of parts; "" for none.

    >>> content_text("Yes."), content_text([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}]), content_text(None)
    ('Yes.', 'Yes.', '')
    """
    if isinstance(content, str):
        return content
    parts = [as_object(part).get("text") for part in content] if isinstance(content, list) else []
    return "".join(part for part in parts if isinstance(part, str))


def called_arguments(text: str, name: str) -> dict[str, Any] | None:
    """Return the arguments of a call of the tool `name` in a reply; None if the reply is no such call.

    >>> called_arguments('{"tool_call": {"name": "search", "arguments": {"query": "x"}}}', "search")
    {'query': 'x'}
    """
    found = last_json_value(text, lambda value: isinstance(value, dict) and _CALL in value)
    call = as_object((found or {}).get(_CALL))
    return as_object(call.get("arguments")) if call.get("name") == name else None
