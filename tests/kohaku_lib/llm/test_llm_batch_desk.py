import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from answering_material import chat_request
from batch_api import BatchAPI
from fake_time import FakeTime
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.errors import StoreError
from kohaku_lib.llm import BudgetSpentError, CallError, CallLedger, ContextOverflowError
from kohaku_lib.llm.batches import BatchDesk, BatchServer, UnknownBatchError
from kohaku_lib.llm.chat import PendingError
from kohaku_lib.llm.ledger import call_key
from kohaku_lib.settings import LlmSettings

PRICES = {"test-model": {"input_usd_per_million": 1.0, "output_usd_per_million": 2.0}}


class Office:
    """A store's batches at a loopback server; `desk()` is what a new process would open."""

    def __init__(self, api, folder, **llm):
        self.folder, self.limits = folder, {}
        told = {"provider": "openai", "base_url": api.base_url, "batch": True, "call_retries": 1, **llm}
        self.llm = LlmSettings.model_validate(told)
        self.server = BatchServer(self.llm, FakeTime().surroundings())

    def ledger(self):
        return CallLedger(self.folder / "ledger")

    def desk(self):
        return BatchDesk(self.folder / "batches", self.ledger, self.llm, lambda: self.server, **self.limits)

    def ask(self, *requests):
        """Ask for `requests`, send what is noted, and return the reply's text or the error of each."""
        desk = self.desk()
        desk.update()
        chat = desk.chat()
        told = [self._told(chat, request) for request in requests]
        desk.submit(chat.noted, chat.left_out)
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
    [record] = office.desk().records.all()
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
        assert office.desk().open[0].batch_id is None
        api.finish()
        assert office.ask(ONE) == ["to question 1"]
        assert (len(api.batches), len(api.billed)) == (1, 1)


def test_a_run_that_ended_before_the_batch_was_made_sends_it_again(tmp_path):
    with BatchAPI([{"route": "files", "status": 500}], reply=reply) as api:
        office = Office(api, tmp_path, call_retries=0)
        with pytest.raises(CallError):
            office.ask(ONE)
        office.ask(ONE)
        assert len(api.batches) == len(office.desk().open) == 1


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


@pytest.mark.parametrize(
    "outcome",
    [{"status": 500}, {"status": 429}, {"missing": True}, {"line": '{"custom_id": "x", "respo'}, {"expired": True}],
)
def test_a_call_that_failed_in_passing_is_asked_again_as_often_as_a_single_one(tmp_path, outcome):
    with BatchAPI(reply=reply, outcome=lambda body: outcome) as api:
        office = Office(api, tmp_path, call_retries=1)
        for _ in range(2):
            assert isinstance(office.ask(ONE)[0], PendingError)
            api.finish()
        [given_up] = office.ask(ONE)
        assert "after 2 attempts" in str(given_up)
        assert not isinstance(given_up, PendingError)
        assert len(api.batches) == 2


def test_a_call_given_up_is_asked_as_if_for_the_first_time_once_the_answers_are_written(tmp_path):
    with BatchAPI(reply=reply, outcome=lambda body: {"status": 400, "message": "no"}) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        assert "gave no reply in a batch: no" in str(office.ask(ONE)[0])
        office.desk().close()
        api.outcome = lambda body: None
        assert isinstance(office.ask(ONE)[0], PendingError)
        api.finish()
        assert office.ask(ONE) == ["to question 1"]


def test_failures_are_recorded_and_a_refused_call_spares_the_others(tmp_path):
    def outcome(body):
        return {"status": 400, "message": "flagged"} if "question 2" in str(body) else None

    with BatchAPI(reply=reply, outcome=outcome) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO, THREE)
        api.finish()
        first, second, third = office.ask(ONE, TWO, THREE)
    assert (first, third) == ("to question 1", "to question 3")
    assert "flagged" in str(second)
    assert [call["question_id"] for call in office.lines() if call["error"]] == ["q2"]
    [record] = office.desk().records.all()
    assert record.problem == "1 calls brought no reply (flagged)"


def test_an_overflow_raises_what_shortens_the_context_and_is_remembered(tmp_path):
    message = "maximum context length is 8192 tokens. However, your messages resulted in 9510 tokens"
    with BatchAPI(outcome=lambda body: {"status": 400, "message": message}) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        for _ in range(2):
            [error] = office.ask(ONE)
            assert isinstance(error, ContextOverflowError)
            assert (error.limit_tokens, error.asked_tokens) == (8192, 9510)
            office.desk().close()
        assert len(api.batches) == 1


def test_a_refused_parameter_is_left_out_of_the_next_batches(tmp_path):
    def outcome(body):
        if "temperature" in body:
            return {"status": 400, "message": "Unsupported parameter", "param": "temperature"}
        return None

    with BatchAPI(reply=reply, outcome=outcome) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        assert isinstance(office.ask(ONE)[0], PendingError)
        api.finish()
        assert office.ask(ONE, TWO)[0] == "to question 1"
        last = list(api.batches.values())[-1]
        [request] = api.requests(last["input_file_id"])
        assert "question 2" in str(request)
        assert "temperature" not in request["body"]


def test_a_parameter_that_is_refused_is_left_out_also_where_nothing_is_retried(tmp_path):
    def outcome(body):
        refused = next((name for name in ("temperature", "max_tokens") if name in body), None)
        return {"status": 400, "message": "Unsupported parameter", "param": refused} if refused else None

    with BatchAPI(reply=reply, outcome=outcome) as api:
        office = Office(api, tmp_path, call_retries=0)
        for _ in range(3):
            assert isinstance(office.ask(ONE)[0], PendingError)
            api.finish()
        assert office.ask(ONE) == ["to question 1"]


def schemas_sent(api):
    last = list(api.batches.values())[-1]
    return [request["body"]["response_format"]["type"] for request in api.requests(last["input_file_id"])]


def test_a_refused_call_takes_the_schema_from_no_other_where_the_model_knows_schemas(tmp_path):
    one, two, three = (replace(request, json_schema={"type": "object"}) for request in (ONE, TWO, THREE))

    def outcome(body):
        return {"status": 400, "message": "flagged"} if "question 2" in str(body) else None

    with BatchAPI(reply=reply, outcome=outcome) as api:
        office = Office(api, tmp_path)
        office.ask(one, two)
        api.finish()
        first, second, third = office.ask(one, two, three)
        assert (first, type(second), type(third)) == ("to question 1", CallError, PendingError)
        assert schemas_sent(api) == ["json_schema"]


def test_a_schema_that_was_left_out_in_vain_is_sent_again(tmp_path):
    one, two = (replace(request, json_schema={"type": "object"}) for request in (ONE, TWO))
    with BatchAPI(outcome=lambda body: {"status": 400, "message": "flagged"}) as api:
        office = Office(api, tmp_path)
        office.ask(one)
        api.finish()
        assert isinstance(office.ask(one)[0], PendingError)
        assert schemas_sent(api) == ["json_object"]
        api.finish()
        assert type(office.ask(one)[0]) is CallError
        office.desk().close()
        office.ask(two)
        assert schemas_sent(api) == ["json_schema"]


def test_a_batch_that_is_refused_as_a_whole_is_told_and_not_sent_again_by_itself(tmp_path):
    with BatchAPI() as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish("failed", problem="Enqueued token limit reached.")
        [error] = office.ask(ONE)
        assert "Enqueued token limit reached" in str(error)
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


def test_cancelling_keeps_what_was_answered_and_gives_the_rest_up(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO)
        [record] = office.desk().cancel()
        assert record.status == "cancelling"
        api.finish("cancelled", answered=1)
        first, second = office.ask(ONE, TWO)
        assert first == "to question 1"
        assert "the batch was cancelled" in str(second)
    assert len(api.batches) == 1


def test_a_batch_of_another_server_is_named_and_can_be_given_up(tmp_path):
    with BatchAPI() as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.batches.clear()
        with pytest.raises(UnknownBatchError, match="kohaku batches --cancel"):
            office.ask(ONE)
        office.desk().cancel()
        assert isinstance(office.ask(ONE)[0], PendingError)
        assert len(api.batches) == 1


def test_a_batch_whose_file_is_gone_is_named_and_can_be_given_up(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        [batch] = api.batches.values()
        del api.files[batch["output_file_id"]]
        with pytest.raises(UnknownBatchError, match="kohaku batches --cancel"):
            office.ask(ONE)
        [record] = office.desk().cancel()
        assert (record.state, record.replies) == ("closed", None)
        assert batch["output_file_id"] in str(record.problem)
        assert isinstance(office.ask(ONE)[0], PendingError)
        assert len(api.batches) == 2


def test_a_batch_that_was_prepared_for_a_server_without_batches_can_be_given_up(tmp_path):
    with BatchAPI([{"route": "list", "status": 404}] * 2) as api:
        office = Office(api, tmp_path)
        with pytest.raises(UnknownBatchError):
            office.ask(ONE)
        [record] = office.desk().cancel()
        assert (record.state, record.batch_id) == ("closed", None)
        assert api.batches == {}
        assert office.desk().open == []


def test_replies_are_taken_in_where_the_file_of_failures_is_gone(tmp_path):
    def outcome(body):
        return {"status": 400, "message": "flagged"} if "question 2" in str(body) else None

    with BatchAPI(reply=reply, outcome=outcome) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO)
        api.finish()
        [batch] = api.batches.values()
        del api.files[batch["error_file_id"]]
        first, second = office.ask(ONE, TWO)
        assert first == "to question 1"
        assert isinstance(second, PendingError)


def test_a_file_that_came_cut_is_read_again_and_nothing_of_it_paid_for_again(tmp_path):
    with BatchAPI([{"route": "content", "text": '{"custom_id": '}] * 2, reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO)
        api.finish()
        assert office.ask(ONE, TWO) == ["to question 1", "to question 2"]
        assert (api.seen.count("content"), len(api.billed)) == (3, 2)


def test_cancelling_a_batch_that_has_ended_takes_it_in(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        api.finish()
        [record] = office.desk().cancel()
        assert (record.state, record.replies) == ("collected", 1)
        assert "cancel" not in api.seen


def test_a_look_asks_the_server_and_writes_nothing(tmp_path):
    with BatchAPI() as api:
        office = Office(api, tmp_path)
        office.ask(ONE)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.json*")}
        api.finish()
        [looked] = office.desk().look()
        assert (looked.status, looked.is_over, looked.done) == ("completed", True, 1)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.json*")} == before


def test_without_a_batch_no_server_and_no_ledger_is_opened(tmp_path):
    def never():
        pytest.fail("nobody needs this")

    desk = BatchDesk(tmp_path, never, LlmSettings(provider="openai"), never)
    assert desk.look() == desk.update() == desk.open == []


def test_a_damaged_record_is_one_sentence(tmp_path):
    (tmp_path / "x.json").write_text('{"name"')
    with pytest.raises(StoreError, match=r"x\.json"):
        BatchDesk(tmp_path, lambda: CallLedger(tmp_path), LlmSettings(provider="openai")).look()


def test_neither_prompts_nor_keys_stand_in_records(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        desk = BatchDesk(tmp_path / "batches", office.ledger, office.llm)
        chat = desk.chat()
        with pytest.raises(PendingError):
            chat.complete(ONE)
        desk.submit(chat.noted, chat.left_out)
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
        texts: list[object] = []
        for status, answered in [*ends, *[("completed", None)] * (len(faults) + 12)]:
            try:
                texts = office.ask(ONE, TWO, THREE)
            except CallError:
                continue  # the next run goes on
            if all(isinstance(text, str) for text in texts):
                break
            if not any(isinstance(text, PendingError) for text in texts):
                office.desk().close()  # given up, and asked anew by the next refresh
            api.finish(status, answered)
        assert texts == ["to question 1", "to question 2", "to question 3"]
        assert len(api.billed) == len(set(api.billed)) == 3
        assert office.desk().open == []
