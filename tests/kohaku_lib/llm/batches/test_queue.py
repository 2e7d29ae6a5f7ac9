from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from answering_material import chat_request
from batch_api import BatchAPI
from batch_office import ONE, THREE, TWO, Office, reply
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.errors import StoreError
from kohaku_lib.llm import BudgetSpentError, CallError, CallLedger, ContextOverflowError
from kohaku_lib.llm.batches import BatchQueue
from kohaku_lib.llm.chat import PendingError
from kohaku_lib.llm.ledger.calls import call_key
from kohaku_lib.settings import LlmSettings

PRICES = {"test-model": {"input_usd_per_million": 1.0, "output_usd_per_million": 2.0}}


def test_calls_wait_until_their_batch_has_ended_and_then_come_from_the_ledger(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        assert [type(one) for one in office.ask(ONE, TWO, ONE)] == [PendingError] * 3
        assert [type(one) for one in office.ask(ONE, TWO)] == [PendingError] * 2
        assert len(api.batches) == 1
        api.finish()
        assert office.ask(ONE, TWO) == ["to question 1", "to question 2"]
        assert len(api.billed) == 2


def test_replies_are_recorded_with_tokens_and_a_share_of_the_price(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path, prices=PRICES, batch_price_share=0.5)
        office.ask(ONE)
        api.finish()
        office.ask(ONE)
    [call] = office.lines()
    assert (call["key"], call["question_id"], call["error"]) == (call_key("openai", ONE), "q1", None)
    assert (call["input_tokens"], call["output_tokens"], call["latency_s"]) == (2, 3, None)
    assert call["cost_usd"] == pytest.approx((2 * 1.0 + 3 * 2.0) / 1e6 / 2)
    [record] = office.queue().records.all()
    assert (record.state, record.replies, record.cost_usd) == ("collected", 1, pytest.approx(4e-6))


def test_a_single_call_knows_what_a_batch_answered_and_the_other_way_round(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        office.ask(ONE)
        recorded = office.ledger().reply(call_key("openai", ONE))
    assert recorded is not None
    assert (recorded.text, recorded.replayed) == ("to question 1", True)


def test_a_run_that_ended_between_the_batch_and_its_record_finds_the_batch_again(tmp_path):
    with BatchAPI([{"route": "make", "after": True, "drop": True}], reply=reply) as api:
        office = Office(api, tmp_path, call_retries=0)
        with pytest.raises(CallError):
            office.ask(ONE)
        assert office.queue().open[0].batch_id is None
        api.finish()
        assert office.ask(ONE) == ["to question 1"]
        assert (len(api.batches), len(api.billed)) == (1, 1)


def test_a_run_that_ended_before_the_batch_was_made_sends_it_again(tmp_path):
    with BatchAPI([{"route": "files", "status": 500}], reply=reply) as api:
        office = Office(api, tmp_path, call_retries=0)
        with pytest.raises(CallError):
            office.ask(ONE)
        office.ask(ONE)
        assert len(api.batches) == len(office.queue().open) == 1


def test_a_store_that_was_lost_takes_the_batch_over_that_was_paid_for(tmp_path):
    with BatchAPI(reply=reply) as api:
        Office(api, tmp_path / "old").ask(ONE, TWO)
        api.finish()
        office = Office(api, tmp_path / "new")
        office.ask(TWO, ONE)
        assert office.ask(TWO, ONE) == ["to question 2", "to question 1"]
        assert len(api.billed) == 2


def test_a_run_that_ended_while_it_took_in_replies_records_none_twice(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO)
        [path] = (tmp_path / "batches").glob("*.json")
        before = path.read_bytes()
        api.finish()
        office.ask(ONE, TWO)
        path.write_bytes(before)  # the replies are in the ledger, the record does not know yet
        assert office.ask(ONE, TWO) == ["to question 1", "to question 2"]
        assert len(office.lines()) == 2


def test_what_an_expired_batch_answered_is_used_and_the_rest_is_asked_again(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO, THREE)
        api.finish("expired", answered=1)
        first, second, third = office.ask(ONE, TWO, THREE)
        assert first == "to question 1"
        assert isinstance(second, PendingError)
        assert isinstance(third, PendingError)
        again = list(api.batches.values())[-1]
        assert len(api.requests(again["input_file_id"])) == 2
        api.finish()
        assert office.ask(ONE, TWO, THREE) == ["to question 1", "to question 2", "to question 3"]
        assert len(api.billed) == 3


def test_an_overflow_raises_what_shortens_the_context_and_is_remembered(tmp_path):
    message = "maximum context length is 8192 tokens. However, your messages resulted in 9510 tokens"
    with BatchAPI(outcome=lambda body: {"status": 400, "message": message}) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        for _ in range(2):
            [error] = office.ask(ONE)
            assert isinstance(error, ContextOverflowError)
            assert (error.limit_tokens, error.prompt_tokens) == (8192, 9510)
            office.queue().close()
        assert len(api.batches) == 1


def test_batches_keep_within_the_limits_and_hold_one_model_each(tmp_path):
    other = chat_request("q4", model="other-model", user="question 4")
    with BatchAPI() as api:
        office = Office(api, tmp_path)
        office.limits = {"most_requests": 2}
        office.ask(ONE, other, TWO, THREE)
        sizes = [[one["body"]["model"] for one in api.requests(b["input_file_id"])] for b in api.batches.values()]
        assert sizes == [["test-model"] * 2, ["test-model"], ["other-model"]]
        office.limits = {"most_bytes": 10}
        office.ask(*[chat_request(f"r{number}", user=f"another {number}") for number in range(3)])
        assert len(api.batches) == 6


def test_the_budget_counts_what_is_under_way_and_what_was_paid(tmp_path):
    # 100 output tokens at 2 and about 20 input tokens at 1 dollar a million, at half the price: 0.00011 a call
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path, prices=PRICES, max_cost_usd=0.00025)
        kinds = [type(one) for one in office.ask(ONE, TWO, THREE)]
        assert kinds == [PendingError, PendingError, BudgetSpentError]
        assert type(office.ask(THREE)[0]) is BudgetSpentError
        api.finish()
        assert type(office.ask(THREE)[0]) is PendingError  # what the first two really cost leaves room


def test_a_look_asks_the_server_and_writes_nothing(tmp_path):
    with BatchAPI() as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.json*")}
        api.finish()
        [looked] = office.queue().look()
        assert (looked.status, looked.is_over, looked.done) == ("completed", True, 1)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.json*")} == before


def test_without_a_batch_no_server_and_no_ledger_is_opened(tmp_path):
    def never():
        pytest.fail("nobody needs this")

    queue = BatchQueue(tmp_path, never, LlmSettings(provider="openai"), never)
    assert queue.look() == queue.update() == queue.open == []


def test_a_damaged_record_is_one_sentence(tmp_path):
    (tmp_path / "x.json").write_text('{"name"')
    with pytest.raises(StoreError, match=r"x\.json"):
        BatchQueue(tmp_path, lambda: CallLedger(tmp_path), LlmSettings(provider="openai")).look()


def test_neither_prompts_nor_keys_stand_in_records(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        queue = BatchQueue(tmp_path / "batches", office.ledger, office.llm)
        chat = queue.chat()
        with pytest.raises(PendingError):
            chat.complete(ONE)
        queue.submit(chat.noted, chat.left_out)
        api.finish()
        office.ask(ONE)
    written = "".join(path.read_text() for path in tmp_path.rglob("*.json*"))
    assert "question 1" not in written.replace("to question 1", "")
    assert "sk-very-secret" not in written


FAULTS = st.lists(
    st.builds(
        lambda route, after, kind: {"route": route, "after": after, **kind},
        st.sampled_from(["files", "make", "list", "look", "content"]),
        st.booleans(),
        st.sampled_from([{"status": 500}, {"status": 429}, {"drop": True}, {"text": "{"}]),
    ),
    max_size=8,
).filter(lambda faults: sum(one["route"] == "content" and "text" in one for one in faults) <= 2)
ENDS = st.lists(st.tuples(st.sampled_from(["completed", "expired"]), st.integers(0, 3)), max_size=4)


@settings(max_examples=25)
@given(FAULTS, ENDS, st.integers(0, 1))
def test_whatever_fails_on_the_way_every_call_is_answered_and_paid_for_once(faults, ends, call_retries):
    with BatchAPI(faults, reply=reply) as api, TemporaryDirectory() as folder:
        office = Office(api, Path(folder), call_retries=call_retries, retry_base_s=0)
        texts: Sequence[object] = []
        for status, answered in [*ends, *[("completed", None)] * (len(faults) + 12)]:
            try:
                texts = office.ask(ONE, TWO, THREE)
            except CallError:
                continue  # the next run goes on
            if all(isinstance(text, str) for text in texts):
                break
            if not any(isinstance(text, PendingError) for text in texts):
                office.queue().close()  # given up, and asked anew by the next refresh
            api.finish(status, answered)
        assert texts == ["to question 1", "to question 2", "to question 3"]
        assert len(api.billed) == len(set(api.billed)) == 3
        assert office.queue().open == []
