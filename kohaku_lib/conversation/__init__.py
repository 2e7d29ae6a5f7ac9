"""Conversations over the published index: requests, levels, follow-up questions, cache, memory and cited answers."""

from kohaku_lib.conversation.assistant import Assistant, open_assistant
from kohaku_lib.conversation.request import AssistantRequest, RequestError
from kohaku_lib.conversation.response.response import Response, Source, Sufficiency
from kohaku_lib.conversation.tool import SCHEMA as TOOL_SCHEMA
from kohaku_lib.conversation.tool import ToolItem, ToolResult

__all__ = [
    "TOOL_SCHEMA",
    "Assistant",
    "AssistantRequest",
    "RequestError",
    "Response",
    "Source",
    "Sufficiency",
    "ToolItem",
    "ToolResult",
    "open_assistant",
]
