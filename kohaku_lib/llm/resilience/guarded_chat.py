"""A chat model behind a circuit breaker, with a fallback model."""

from __future__ import annotations

from dataclasses import replace

from kohaku_lib.llm.chat import (
    BlankReplyError,
    CallError,
    ChatModel,
    ChatReply,
    ChatRequest,
    ChatWrapper,
    Keep,
    ServerDownError,
)
from kohaku_lib.llm.resilience.breaker import CircuitBreaker


class GuardedChat(ChatWrapper):
    """Calls `chat`; while its server is down, calls `fallback` with `fallback_model`, or fails at once without one.

    Recorded replies of either take precedence, so that a repeated run yields the same replies. A reply of the fallback has
    `fallback` set.
    """

    def __init__(
        self, chat: ChatModel, breaker: CircuitBreaker, fallback: ChatModel | None = None, fallback_model: str = ""
    ) -> None:
        super().__init__(chat)
        self._breaker = breaker
        self._fallback, self._fallback_model = fallback, fallback_model

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the recorded reply of the primary model or of the fallback."""
        reply = super().known(request)
        if reply is None and self._fallback is not None:
            fallback_reply = self._fallback.known(self._fallback_request(request))
            return self._mark_fallback(fallback_reply) if fallback_reply else None
        return reply

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`.

        Raises:
            ServerDownError: The server is down, and there is no fallback.
            CallError: The model or the fallback failed.
        """
        recorded = self.known(request)
        if recorded is not None:
            request.announced(recorded)
            if keep is not None:
                keep(recorded)
            return recorded
        if not self._breaker.admits():
            msg = (
                f"the chat model {request.model!r} was not called: its server was down several times in a row and is "
                f"tried again in {self._breaker.wait_s:.0f} s"
            )
            return self._fall_back(request, keep, ServerDownError(msg, attempts=0))
        try:
            reply = self._chat.complete(request, keep)
        except BlankReplyError as error:
            self._breaker.released()
            return self._fall_back(request, keep, error)
        except ServerDownError as error:
            self._breaker.failed()
            return self._fall_back(request, keep, error)
        except BaseException:  # no evidence about the server
            self._breaker.released()
            raise
        self._breaker.succeeded()
        return reply

    def stop(self) -> None:
        """Start no further attempts."""
        super().stop()
        if self._fallback is not None:
            self._fallback.stop()

    def _fall_back(self, request: ChatRequest, keep: Keep | None, error: CallError) -> ChatReply:
        if self._fallback is None:
            raise error
        return self._mark_fallback(self._fallback.complete(self._fallback_request(request), keep))

    def _fallback_request(self, request: ChatRequest) -> ChatRequest:
        return replace(request, model=self._fallback_model)

    def _mark_fallback(self, reply: ChatReply) -> ChatReply:
        assert self._fallback is not None
        return replace(reply, fallback=f"{self._fallback.provider}:{self._fallback_model}")
