"""A store's batches at the loopback server of the Batch API, as one process after another would open them."""

import json

from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.llm import CallError, CallLedger
from kohaku_lib.llm.batches import BatchQueue, BatchServer
from kohaku_lib.settings import LlmSettings


class Office:
    """A store's batches at a loopback server; `queue()` is what a new process would open."""

    def __init__(self, api, folder, **llm):
        self.folder, self.limits = folder, {}
        told = {"provider": "openai", "base_url": api.base_url, "batch": True, "call_retries": 1, **llm}
        self.llm = LlmSettings.model_validate(told)
        self.server = BatchServer(self.llm, FakeTime().environment())

    def ledger(self):
        return CallLedger(self.folder / "ledger")

    def queue(self):
        return BatchQueue(self.folder / "batches", self.ledger, self.llm, lambda: self.server, **self.limits)

    def ask(self, *requests):
        """Ask for `requests`, send what is noted, and return the reply's text or the error of each."""
        queue = self.queue()
        queue.update()
        chat = queue.chat()
        told = [self._told(chat, request) for request in requests]
        queue.submit(chat.noted, chat.left_out)
        return told

    def _told(self, chat, request):
        try:
            return chat.complete(request).text
        except CallError as error:
            return error

    def lines(self):
        return [
            json.loads(line) for path in (self.folder / "ledger").glob("*") for line in path.read_text().splitlines()
        ]


def reply(body):
    return f"to {body['messages'][1]['content']}"


ONE, TWO, THREE = (chat_request(f"q{number}", user=f"question {number}") for number in (1, 2, 3))
