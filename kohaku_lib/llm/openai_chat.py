"""Chat models behind the OpenAI protocol: openai, openrouter, and any server that speaks it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.llm.attempt import AttemptError, check_text, send_once
from kohaku_lib.llm.calling import Surroundings, retried, shown_url
from kohaku_lib.llm.chat import (
    CallError,
    ChatReply,
    ChatRequest,
    ContextOverflowError,
    Keep,
    ProviderUnavailableError,
)
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.llm.retry import Failure
from kohaku_lib.settings import LlmSettings

_PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}
_OPTIONAL = ("response_format", "seed", "temperature", "max_tokens", "top_logprobs", "logprobs")


class OpenAIChat:
    """A chat model on an OpenAI-compatible server, with retries of its own.

    At most `settings.max_concurrent` attempts are in flight at once; waiting between attempts does not count.
    A parameter that the server refuses by name is left out from then on. Raises ModelError where the key is
    missing or the provider is no chat provider.
    """

    def __init__(self, settings: LlmSettings, surroundings: Surroundings | None = None) -> None:
        self._settings = settings
        self._around = surroundings or Surroundings()
        self._key = _api_key(settings, self._around)
        self._client = _client(settings, self._key)
        weakref.finalize(self, self._client.close)  # the client alone leaves its sockets to the garbage collector
        self._slots = threading.BoundedSemaphore(settings.max_concurrent)
        self._left_out: frozenset[str] = frozenset()

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._settings.provider

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; `keep` is told of it before another call may start in its place.

        Raises ContextOverflowError where the prompt is too long, ProviderUnavailableError where all retries failed
        or the server refuses the key or the model, and CallError where it refuses the request.
        """
        settings = self._settings
        try:
            return retried(
                lambda attempts: self._attempt(request, attempts, keep),
                settings.call_retries,
                settings.retry_base_s,
                self._around,
            )
        except AttemptError as error:
            raise self._call_error(request, error) from error

    def _attempt(self, request: ChatRequest, attempts: int, keep: Keep | None) -> ChatReply:
        """Send `request` once, and again at once without a parameter that the server refuses by name."""
        with self._slots:
            while True:
                started = self._around.clock()
                try:
                    body = send_once(
                        self._client.chat.completions,
                        self._parameters(request),
                        check_text,
                        self._deadline(started),
                        self._around.now,
                    )
                except AttemptError as error:
                    error.latency_s = self._around.clock() - started
                    if not self._leave_out(error):
                        raise
                else:
                    reply = self._reply(request, body, self._around.clock() - started, attempts)
                    if keep is not None:
                        keep(reply)
                    return reply

    def _deadline(self, started: float) -> Callable[[], float]:
        return lambda: started + self._settings.timeout_s - self._around.clock()

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        wanted: dict[str, Any] = {
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed,
        }
        if request.json_object:
            wanted["response_format"] = {"type": "json_object"}
        if request.top_logprobs:
            wanted |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        parameters = {name: value for name, value in wanted.items() if name not in self._left_out}
        if "max_tokens" in self._left_out:
            parameters["max_completion_tokens"] = request.max_tokens
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": _user_content(request)}]
        return {"model": request.model, "messages": messages, **parameters}

    def _leave_out(self, error: AttemptError) -> bool:
        """Remember the optional parameter that `error` refuses by name; False where it names none anew."""
        if error.failure.kind != "refused" or error.status not in (400, 422):
            return False
        named = next((name for name in _OPTIONAL if error.parameter == name), None) or next(
            (name for name in _OPTIONAL if name in error.failure.message), None
        )
        if named is None or named in self._left_out:
            return False
        self._left_out |= {named}
        return True

    def _reply(self, request: ChatRequest, body: Mapping[str, Any], latency_s: float, attempts: int) -> ChatReply:
        usage = body.get("usage") or {}
        tokens = {name: _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")}
        choice = body["choices"][0]
        return ChatReply(
            text=choice["message"]["content"],
            input_tokens=tokens["prompt_tokens"],
            cached_tokens=_count((usage.get("prompt_tokens_details") or {}).get("cached_tokens")),
            output_tokens=tokens["completion_tokens"],
            cost_usd=call_cost_usd(
                request.model, tokens["prompt_tokens"], tokens["completion_tokens"], self._settings.prices
            ),
            latency_s=latency_s,
            attempts=attempts,
            finish_reason=choice.get("finish_reason"),
            first_token=_first_token(choice),
        )

    def _call_error(self, request: ChatRequest, error: AttemptError) -> CallError:
        failure, attempts = error.failure, error.attempts
        where = f"{request.model!r} at {_host(self._settings)}"
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        sentence = f"the chat model {where} gave no reply{tries}: {_without(self._key, failure.message)}"
        return _error_class(failure)(sentence, attempts=attempts, latency_s=error.latency_s)


def _user_content(request: ChatRequest) -> str | list[dict[str, Any]]:
    if not request.images:
        return request.user
    pictures = [{"type": "image_url", "image_url": {"url": image.data_url}} for image in request.images]
    return [{"type": "text", "text": request.user}, *pictures]


def _first_token(choice: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the candidates of the first token by their log probability, None where the server gives none."""
    try:
        first = choice["logprobs"]["content"][0]
        candidates = [first, *(first.get("top_logprobs") or ())]
        return {str(candidate["token"]): float(candidate["logprob"]) for candidate in candidates}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None


def _error_class(failure: Failure) -> type[CallError]:
    """A failure that could be retried ends a call only after all retries: nobody is there to answer."""
    classes = {
        "overflow": ContextOverflowError,
        "unavailable": ProviderUnavailableError,
        "retry": ProviderUnavailableError,
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
    if settings.base_url and not settings.api_key_env:
        return None
    msg = (
        f"llm.provider = {settings.provider!r} needs a key in the environment variable {variable}, which is not set; "
        "set it, name another one in llm.api_key_env, or use llm.provider = 'extractive'"
    )
    raise ModelError(msg)


def _client(settings: LlmSettings, key: str | None) -> Any:
    from openai import OpenAI

    base_url = settings.base_url or _PROVIDERS[settings.provider][0]
    return OpenAI(api_key=key or "no-key", base_url=base_url, max_retries=0, timeout=settings.timeout_s)


def _host(settings: LlmSettings) -> str:
    return shown_url(settings.base_url or _PROVIDERS[settings.provider][0])


def _without(key: str | None, message: str) -> str:
    return message.replace(key, "[key]") if key else message


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) else None
