"""A chat model that only takes note of what it would be asked."""

from __future__ import annotations

import threading

from kohaku_lib.llm.chat import CallError, ChatModel, ChatReply, ChatRequest, Keep


class NotAskedError(CallError):
    """The call was not made, because it only was to be counted."""


class DryChat:
    """Gives what `chat` has on record; every other request is noted in `asked`, and raises NotAskedError."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._lock = threading.Lock()
        self.asked: list[ChatRequest] = []
        self.replayed = 0

    @property
    def provider(self) -> str:
        """The provider of the model behind."""
        return self._chat.provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return what the model behind has on record."""
        return self._chat.known(request)

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply on record; raises NotAskedError where there is none."""
        reply = self._chat.known(request)
        with self._lock:
            if reply is not None:
                self.replayed += 1
                return reply
            self.asked.append(request)
        msg = "not asked: this run only counts calls"
        raise NotAskedError(msg, attempts=0)

    def stop(self) -> None:
        """Do nothing: no call is made."""
