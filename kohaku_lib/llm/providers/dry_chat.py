"""A chat model that only counts calls."""

from __future__ import annotations

import threading

from kohaku_lib.llm.chat import CallError, ChatModel, ChatReply, ChatRequest, ChatWrapper, Keep


class CallNotMadeError(CallError):
    """The call was only counted, not made."""


class DryChat(ChatWrapper):
    """Replies from the record of `chat`; any other request is collected in `requests`."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self._lock = threading.Lock()
        self.requests: list[ChatRequest] = []
        self.replayed = 0

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the recorded reply.

        Raises:
            CallNotMadeError: There is none.
        """
        reply = self._chat.known(request)
        with self._lock:
            if reply is not None:
                self.replayed += 1
            else:
                self.requests.append(request)
        if reply is not None:
            return request.announced(reply)
        msg = "not asked: this run only counts calls"
        raise CallNotMadeError(msg, attempts=0)

    def stop(self) -> None:
        """Do nothing, as no call is made."""
