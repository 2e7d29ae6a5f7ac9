"""Conversations over the published index: requests, levels, follow-up questions, cache, memory and cited answers."""

from kohaku_lib.assistant.assistant import Assistant, open_assistant
from kohaku_lib.assistant.request import AssistantRequest, RequestError
from kohaku_lib.assistant.response.response import Response, Source, Sufficiency

__all__ = [
    "Assistant",
    "AssistantRequest",
    "RequestError",
    "Response",
    "Source",
    "Sufficiency",
    "open_assistant",
]
