"""Chat models around another one pass on what they do not change."""

import base64

import pytest
from answering_material import chat_request

from kohaku_lib.llm import CallLedger, ChatReply, DryChat, ImagePart, LedgeredChat, Spending
from kohaku_lib.llm.resilience.breaker import CircuitBreaker
from kohaku_lib.llm.resilience.guarded_chat import GuardedChat
from kohaku_lib.llm.spending import BudgetedChat
from kohaku_lib.settings import Price

REPLY = ChatReply("Yes.", 1, None, 1, None, 0.1, 1, "stop", replayed=True)
PRICE = Price(input_usd_per_million=1.0, output_usd_per_million=1.0)


class RecordedChat:
    """A chat model with one reply on record."""

    provider = "recorded"

    def __init__(self):
        self.stops = 0

    def known(self, request):
        return REPLY if request.question_id == "q1" else None

    def complete(self, request, keep=None):
        return REPLY

    def stop(self):
        self.stops += 1


def wrappers(chat, folder):
    return {
        "ledger": LedgeredChat(chat, CallLedger(folder)),
        "budget": BudgetedChat(chat, Spending(), 1.0, lambda model: PRICE),
        "guard": GuardedChat(chat, CircuitBreaker(lambda: 0.0)),
        "dry": DryChat(chat),
    }


@pytest.mark.parametrize("name", ["ledger", "budget", "guard", "dry"])
def test_a_wrapper_has_the_provider_of_the_model_in_it(tmp_path, name):
    assert wrappers(RecordedChat(), tmp_path)[name].provider == "recorded"


@pytest.mark.parametrize(("name", "known"), [("ledger", None), ("budget", REPLY), ("guard", REPLY), ("dry", REPLY)])
def test_only_a_ledger_has_records_of_its_own(tmp_path, name, known):
    wrapper = wrappers(RecordedChat(), tmp_path)[name]
    assert wrapper.known(chat_request("q1")) == known
    assert wrapper.known(chat_request("q2")) is None


@pytest.mark.parametrize(("name", "stops"), [("ledger", 1), ("budget", 1), ("guard", 1), ("dry", 0)])
def test_stopping_reaches_the_model_unless_no_call_is_made(tmp_path, name, stops):
    chat = RecordedChat()
    wrappers(chat, tmp_path)[name].stop()
    assert chat.stops == stops


def test_a_guard_stops_its_fallback_too():
    chat, fallback = RecordedChat(), RecordedChat()
    GuardedChat(chat, CircuitBreaker(lambda: 0.0), fallback, "spare").stop()
    assert (chat.stops, fallback.stops) == (1, 1)


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"RIFF" * 100])
def test_the_data_url_of_an_image_holds_its_bytes(data):
    head, _, body = ImagePart("image/png", data).data_url.partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(body) == data
