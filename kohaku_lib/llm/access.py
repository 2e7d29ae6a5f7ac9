"""The way to an OpenAI-compatible server: its address, the key, and the client that holds both."""

from __future__ import annotations

import weakref
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.llm.calling import Surroundings, shown_url
from kohaku_lib.llm.chat import (
    CallError,
    ContextOverflowError,
    ProviderUnavailableError,
    ServerDownError,
)
from kohaku_lib.llm.retry import Failure, overflow_tokens
from kohaku_lib.settings import LlmSettings

_PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}


class ServerAccess:
    """The client of the server of `settings`, without retries of its own; it is closed when nobody holds this.

    Raises ModelError where the key is missing or the provider is no chat provider.
    """

    def __init__(self, settings: LlmSettings, around: Surroundings) -> None:
        self._key = _api_key(settings, around)
        self._url = settings.base_url or _PROVIDERS[settings.provider][0]
        self.client = _client(self._url, self._key, settings.timeout_s)
        weakref.finalize(self, self.client.close)  # the client alone leaves its sockets to the garbage collector

    @property
    def where(self) -> str:
        """The server's address, as it may be shown."""
        return shown_url(self._url)

    def error(self, what: str, error: AttemptError) -> CallError:
        """Return the error that says why `what` came to nothing, in one sentence without the key."""
        failure, attempts = error.failure, error.attempts
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        sentence = f"{what} at {self.where} gave no reply{tries}: {self._hidden(failure.message)}"
        return failed_call(sentence, failure, attempts, error.latency_s)

    def _hidden(self, message: str) -> str:
        return message.replace(self._key, "[key]") if self._key else message


def failed_call(sentence: str, failure: Failure, attempts: int = 1, latency_s: float | None = None) -> CallError:
    """Return the error of the class that `failure` asks for; an overflow knows the token counts that it tells.

    >>> type(failed_call("too long", Failure("overflow", "too long"))).__name__
    'ContextOverflowError'
    """
    made = _error_class(failure)(sentence, attempts=attempts, latency_s=latency_s)
    if isinstance(made, ContextOverflowError):
        made.limit_tokens, made.asked_tokens = overflow_tokens(failure.message)
    return made


def _error_class(failure: Failure) -> type[CallError]:
    """A failure that could be retried ends a call only after all retries: nobody is there to answer."""
    classes = {
        "overflow": ContextOverflowError,
        "unavailable": ProviderUnavailableError,
        "exhausted": ServerDownError,
        "retry": ServerDownError,
    }
    return classes.get(failure.kind, CallError)


def _api_key(settings: LlmSettings, around: Surroundings) -> str | None:
    if settings.provider not in _PROVIDERS:
        msg = f"llm.provider = {settings.provider!r} is no chat provider; use one of {sorted(_PROVIDERS)}"
        raise ModelError(msg)
    variable = settings.api_key_env or _PROVIDERS[settings.provider][1]
    key = around.variable(variable)
    if key:
        return key
    if not around.needs_key or (settings.base_url and not settings.api_key_env):
        return None
    msg = (
        f"llm.provider = {settings.provider!r} needs a key in the environment variable {variable}, which is not set; "
        "set it, name another one in llm.api_key_env, or use llm.provider = 'extractive'"
    )
    raise ModelError(msg)


def _client(url: str, key: str | None, timeout_s: float) -> Any:
    from openai import OpenAI

    return OpenAI(api_key=key or "no-key", base_url=url, max_retries=0, timeout=timeout_s)
