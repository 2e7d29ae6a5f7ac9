import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import BudgetSpentError, CallError, CallLedger, Spending, build_chat
from kohaku_lib.llm.ledger.summary import summarise_ledger
from kohaku_lib.settings import LlmSettings, Price
from kohaku_lib.testing.openai_server import OpenAIServer

# "[ref_id=doc] It weighs 42 kg." and "You answer in JSON." are 48 characters: 22 tokens with the roles around
PRICES = {"test-model": Price(input_usd_per_million=1_000_000.0, output_usd_per_million=0.0)}


def built(server, limit, ledger=None, spending=None, **llm):
    settings = LlmSettings(
        provider="openai", model="test-model", base_url=server.base_url, prices=PRICES, max_cost_usd=limit, **llm
    )
    chat = build_chat(settings, ledger, FakeTime().environment(), spending)
    assert chat is not None
    return chat


def ask(chat, number=0):
    return chat.complete(chat_request(f"q{number}", seed=number))


def test_a_call_that_may_cost_more_than_is_left_is_not_made():
    with OpenAIServer() as server:
        chat = built(server, 30.0)
        assert ask(chat, 1).cost_usd == 5.0  # the server counts five words
        assert ask(chat, 2).cost_usd == 5.0  # 25 were left, a call may cost 22
        with pytest.raises(BudgetSpentError, match=r"10\.0000 of llm\.max_cost_usd = 30 .* up to 22"):
            ask(chat, 3)
        assert server.stats()["requests"] == 2


@pytest.mark.parametrize(
    ("faults", "paid_usd", "is_answered"), [([" ", " "], 10.0, False), ([" ", "Yes."], 10.0, True)]
)
def test_what_the_server_counts_for_a_reply_that_cannot_be_used_is_paid_and_recorded(
    faults, paid_usd, is_answered, tmp_path
):
    spending, ledger = Spending(), CallLedger(tmp_path)
    with OpenAIServer([{"kind": "ok", "text": text} for text in faults]) as server:
        chat = built(server, 100.0, ledger, spending, call_retries=1)
        if is_answered:
            assert ask(chat).cost_usd == paid_usd
        else:
            with pytest.raises(CallError, match="the server's reply is empty"):
                ask(chat)
    assert spending.paid_usd == paid_usd
    [summary] = summarise_ledger(tmp_path).to_pylist()
    assert (summary["cost_usd"], summary["input_tokens"], summary["attempts"]) == (paid_usd, 10, 2)


def test_the_limit_holds_however_many_replies_cannot_be_used():
    with OpenAIServer([{"kind": "ok", "text": " "}] * 40) as server:
        chat = built(server, 50.0, call_retries=0)
        for number in range(40):
            with pytest.raises(CallError):
                ask(chat, number)
        assert server.stats()["requests"] <= 10  # of 5 dollars each


def test_replies_on_record_are_free_whatever_is_left(tmp_path):
    with OpenAIServer() as server:
        ask(built(server, 30.0, CallLedger(tmp_path)))
        reply = ask(built(server, 0.5, CallLedger(tmp_path)))
        with pytest.raises(BudgetSpentError):
            ask(built(server, 0.5, CallLedger(tmp_path)), 1)
    assert reply.replayed
    assert sum(path.read_bytes().count(b"\n") for path in tmp_path.iterdir()) == 1  # no call, no line


def test_several_models_share_what_was_spent():
    spending = Spending()
    with OpenAIServer() as server:
        ask(built(server, 40.0, spending=spending), 1)
        ask(built(server, 40.0, spending=spending), 2)
        assert spending.paid_usd == 10.0
        ask(built(server, 40.0, spending=spending), 3)
        with pytest.raises(BudgetSpentError):
            ask(built(server, 35.0, spending=spending), 4)


def test_calls_in_flight_are_waited_for_before_giving_up():
    with OpenAIServer(delay_s=0.1) as server:
        chat = built(server, 40.0)  # room for one call that may cost 22, and for three that cost 5
        with ThreadPoolExecutor(3) as pool:
            assert [reply.cost_usd for reply in pool.map(lambda number: ask(chat, number), range(3))] == [5.0] * 3
        assert server.most_in_flight == 1


def test_the_limit_holds_however_many_ask():
    with OpenAIServer() as server:
        chat = built(server, 100.0)
        outcomes = []
        lock = threading.Lock()

        def one(number):
            try:
                cost = ask(chat, number).cost_usd
            except BudgetSpentError:
                cost = None
            with lock:
                outcomes.append(cost)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(one, range(40)))
    paid = [cost for cost in outcomes if cost is not None]
    assert 100 - 22 < sum(paid) <= 100
    assert len(paid) == server.stats()["requests"]


def test_a_call_that_fails_gives_back_what_was_set_aside():
    refusals = [{"kind": "status", "status": 422, "message": "no"}] * 3
    with OpenAIServer(refusals) as server:
        chat = built(server, 30.0)
        for number in range(3):
            with pytest.raises(CallError, match="422"):
                ask(chat, number)
        assert ask(chat, 9).cost_usd == 5.0


def test_a_reply_that_was_cut_counts_as_the_most_that_it_may_have_cost():
    spending = Spending()
    with OpenAIServer([{"kind": "cut", "text": "one two three", "parts": 1}]) as server:
        chat = built(server, 30.0, spending=spending)
        with pytest.raises(CallError, match="cut"):
            chat.complete(chat_request(on_text=lambda part: None))
        assert spending.paid_usd == 22.0
        with pytest.raises(BudgetSpentError):
            ask(chat)
        assert server.stats()["requests"] == 1


def test_a_model_without_a_price_cannot_be_limited():
    with OpenAIServer() as server, pytest.raises(ModelError, match=r"llm\.max_cost_usd needs the price of 'other'"):
        built(server, 30.0).complete(chat_request(model="other"))
