"""Chat models: OpenAI-compatible servers with retries, a ledger of all calls, and prices."""

from kohaku_lib.llm.building import build_chat, plain_chat
from kohaku_lib.llm.chat import (
    BudgetSpentError,
    CallError,
    ChatModel,
    ChatReply,
    ChatRequest,
    ContextOverflowError,
    ImagePart,
    NoMoreCallsError,
    ProviderUnavailableError,
    ServerDownError,
    StoppedError,
)
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.estimates import estimate_calls
from kohaku_lib.llm.ledger.calls import CallLedger, LedgeredChat
from kohaku_lib.llm.ledger.summary import summarise_ledger
from kohaku_lib.llm.providers.dry_chat import DryChat
from kohaku_lib.llm.providers.openai_chat import OpenAIChat
from kohaku_lib.llm.spending import Spending

__all__ = [
    "BudgetSpentError",
    "CallError",
    "CallLedger",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ContextOverflowError",
    "DryChat",
    "Environment",
    "ImagePart",
    "LedgeredChat",
    "NoMoreCallsError",
    "OpenAIChat",
    "ProviderUnavailableError",
    "ServerDownError",
    "Spending",
    "StoppedError",
    "build_chat",
    "estimate_calls",
    "plain_chat",
    "summarise_ledger",
]
