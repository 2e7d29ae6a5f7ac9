"""Chat models on OpenAI-compatible servers: openai, openrouter and others."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from kohaku_lib.llm.chat import ChatReply, ChatRequest, Keep
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.estimates import estimated_request_tokens
from kohaku_lib.llm.providers.interface import PROVIDERS, ProviderKind, ServerKind
from kohaku_lib.llm.providers.read_parts import read_parts
from kohaku_lib.llm.providers.read_reply import counted_by, read_reply
from kohaku_lib.llm.providers.request_body import JSON_SCHEMA, refused_parameter, request_body
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text
from kohaku_lib.llm.resilience.rate_limit import RateLimit
from kohaku_lib.llm.servers.access import chat_access
from kohaku_lib.settings import LlmSettings


class OpenAIChat:
    """A chat model on an OpenAI-compatible server, with retries.

    At most `settings.max_concurrent` attempts are in flight; waits between attempts and for rate limits do not count. A JSON
    schema or parameter that the server refuses is omitted from then on.

    Raises:
        ModelError: The API key is missing, or the provider has no chat models.
    """

    def __init__(self, settings: LlmSettings, environment: Environment | None = None) -> None:
        self._settings = settings
        self._environment = environment or Environment()
        self._access = chat_access(settings, self._environment)
        self._slots = threading.BoundedSemaphore(settings.max_concurrent)
        self._limit = RateLimit(settings.requests_per_minute, settings.tokens_per_minute, self._environment.clock)
        self._left_out: frozenset[str] = frozenset()
        self._knows_schemas = False

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._settings.provider or ""  # there is one: chat_access has checked it

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; `keep` is called with it before another call takes its slot.

        Raises:
            ContextOverflowError: The prompt is too long.
            ProviderUnavailableError: All retries failed, or the server refuses the key or the model.
            CallError: The server refuses the request.
        """
        what = f"the chat model {request.model!r}"
        wasted: list[Mapping[str, Any]] = []
        try:
            return self._access.retried(what, lambda attempts: self._attempt_call(request, attempts, wasted, keep))
        except AttemptError as error:
            failed = self._access.error(what, error)
            if wasted:
                counted = counted_by(wasted, request.model, self._settings.known_prices)
                failed.input_tokens, failed.cached_tokens, failed.output_tokens, failed.cost_usd = counted
            raise failed from error

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return None, as nothing is recorded."""
        return None

    def stop(self) -> None:
        """Start no further attempts, in all models with the same environment."""
        self._environment.stopped.set()

    def _attempt_call(
        self, request: ChatRequest, attempts: int, wasted: list[Mapping[str, Any]], keep: Keep | None
    ) -> ChatReply:
        """Send `request` once the rate limits allow it and a slot is free."""
        reserved_tokens = estimated_request_tokens(request) + request.max_tokens
        wait_s = self._limit.reserve(reserved_tokens)
        if wait_s > 0:
            self._environment.pause(wait_s)
        with self._slots:
            self._environment.raise_if_stopped()
            reply = self._send_request(request, attempts, wasted)
            if keep is not None:
                keep(reply)
        if reply.input_tokens is not None and reply.output_tokens is not None:
            self._limit.settle(reserved_tokens, reply.input_tokens + reply.output_tokens)
        return reply

    def _send_request(self, request: ChatRequest, attempts: int, wasted: list[Mapping[str, Any]]) -> ChatReply:
        """Send `request`, repeat it at once without refused parameters, and remember these on success.

        What the server counts for a reply that cannot be used goes to `wasted`.
        """
        left_out = self._left_out
        while True:
            started = self._environment.clock()
            try:
                body = self._completion(request, request_body(request, left_out))
            except AttemptError as error:
                error.latency_s = self._environment.clock() - started
                wasted += [error.usage] if error.usage else []
                parameter = refused_parameter(error, request, left_out, knows_schemas=self._knows_schemas)
                if parameter is None:
                    raise
                left_out |= {parameter}
            else:
                self._left_out |= left_out
                self._knows_schemas |= request.json_schema is not None and JSON_SCHEMA not in left_out
                seconds = self._environment.clock() - started
                return read_reply(body, request.model, self._settings.known_prices, seconds, attempts, wasted)

    def _completion(self, request: ChatRequest, body: dict[str, Any]) -> dict[str, Any]:
        """Return the completion to `body`, joined of its parts where the request wants them."""
        client = self._access.client
        create = client.chat.completions.with_raw_response.create
        if request.on_text is None:
            return self._access.json(create, check_text, **body)
        read = partial(read_parts, client=client, on_text=request.on_text, now=self._environment.now)
        return self._access.reply(create, read, **body)


PROVIDERS.register(
    ProviderKind(
        "openai",
        build_chat=OpenAIChat,
        server=ServerKind("https://api.openai.com/v1", "OPENAI_API_KEY", has_batches=True, names_makers=False),
        sees_images=True,
    )
)
PROVIDERS.register(
    ProviderKind(
        "openrouter",
        build_chat=OpenAIChat,
        server=ServerKind("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        sees_images=True,
    )
)
PROVIDERS.register(
    ProviderKind(
        "bedrock",
        build_chat=OpenAIChat,
        server=ServerKind(
            "https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "AWS_BEARER_TOKEN_BEDROCK", names_makers=False
        ),
    )
)
