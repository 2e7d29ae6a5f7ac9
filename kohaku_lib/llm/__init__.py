"""One chat port: OpenAI-compatible servers with retries, a ledger of every call, and prices."""

from kohaku_lib.llm.building import build_chat, plain_chat
from kohaku_lib.llm.calling import Surroundings
from kohaku_lib.llm.chat import (
    CallError,
    ChatModel,
    ChatReply,
    ChatRequest,
    ContextOverflowError,
    ImagePart,
    ProviderUnavailableError,
)
from kohaku_lib.llm.ledger import CallLedger, LedgeredChat
from kohaku_lib.llm.ledger_summary import summarise_ledger
from kohaku_lib.llm.openai_chat import OpenAIChat

__all__ = [
    "CallError",
    "CallLedger",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ContextOverflowError",
    "ImagePart",
    "LedgeredChat",
    "OpenAIChat",
    "ProviderUnavailableError",
    "Surroundings",
    "build_chat",
    "plain_chat",
    "summarise_ledger",
]
