"""A chat model behind a circuit breaker, and another one that answers while it is down."""

from __future__ import annotations

from dataclasses import replace

from kohaku_lib.llm.chat import ChatModel, ChatReply, ChatRequest, Keep, ServerDownError
from kohaku_lib.llm.resilience.breaker import CircuitBreaker


class GuardedChat:
    """Asks `chat`; where its server is down, asks `fallback` for `fallback_model`, else fails at once.

    A reply that either of them has on record is taken first, so that a repeated run gives what the first one gave.
    A reply of the fallback says so in `answered_by`.
    """

    def __init__(
        self, chat: ChatModel, breaker: CircuitBreaker, fallback: ChatModel | None = None, fallback_model: str = ""
    ) -> None:
        self._chat, self._breaker = chat, breaker
        self._fallback, self._fallback_model = fallback, fallback_model

    @property
    def provider(self) -> str:
        """The provider that is asked first."""
        return self._chat.provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return the reply that is on record, of the first model or of the fallback."""
        found = self._chat.known(request)
        if found is None and self._fallback is not None:
            spare = self._fallback.known(self._spare(request))
            return self._signed(spare) if spare else None
        return found

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; raises what the model, or the fallback in its place, raises."""
        known = self.known(request)
        if known is not None:
            if keep is not None:
                keep(known)
            return known
        if not self._breaker.admits():
            msg = (
                f"the chat model {request.model!r} was not asked: its server was down several times in a row and is "
                f"tried again in {self._breaker.wait_s:.0f} s"
            )
            return self._instead(request, keep, ServerDownError(msg, attempts=0))
        try:
            reply = self._chat.complete(request, keep)
        except ServerDownError as error:
            self._breaker.failed()
            return self._instead(request, keep, error)
        except BaseException:  # says nothing about the server
            self._breaker.released()
            raise
        self._breaker.succeeded()
        return reply

    def stop(self) -> None:
        """Let no further attempt start."""
        self._chat.stop()
        if self._fallback is not None:
            self._fallback.stop()

    def _instead(self, request: ChatRequest, keep: Keep | None, error: ServerDownError) -> ChatReply:
        if self._fallback is None:
            raise error
        return self._signed(self._fallback.complete(self._spare(request), keep))

    def _spare(self, request: ChatRequest) -> ChatRequest:
        return replace(request, model=self._fallback_model)

    def _signed(self, reply: ChatReply) -> ChatReply:
        assert self._fallback is not None
        return replace(reply, answered_by=f"{self._fallback.provider}:{self._fallback_model}")
