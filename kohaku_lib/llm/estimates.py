"""How many tokens a call takes, before it is made."""

from __future__ import annotations

from kohaku_lib.llm.chat import ChatRequest

CHARS_PER_TOKEN = 4.0
IMAGE_TOKENS = 1000  # of a picture of about a thousand pixels a side
_OVERHEAD_TOKENS = 10  # of the roles around two messages


def estimated_tokens(request: ChatRequest) -> int:
    """Return about how many input tokens `request` takes: a token per four characters, a thousand per image.

    >>> from kohaku_lib.llm import ChatRequest
    >>> estimated_tokens(ChatRequest("m", "a" * 40, "b" * 400, 0.0, 100, 0, 0, "predictions", "q1"))
    120
    """
    chars = len(request.system) + len(request.user)
    return round(chars / CHARS_PER_TOKEN) + _OVERHEAD_TOKENS + IMAGE_TOKENS * len(request.images)
