"""What the queue does with calls that fail and with batches that are refused, cancelled or lost."""

from dataclasses import replace

import pytest
from batch_api import BatchAPI
from batch_office import ONE, THREE, TWO, Office, reply

from kohaku_lib.llm import CallError
from kohaku_lib.llm.batches import UnknownBatchError
from kohaku_lib.llm.chat import PendingError


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
        office.queue().close()
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
    [record] = office.queue().records.all()
    assert record.problem == "1 calls have no reply (flagged)"


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
        office.queue().close()
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


def test_cancelling_keeps_what_was_answered_and_gives_the_rest_up(tmp_path):
    with BatchAPI(reply=reply) as api:
        office = Office(api, tmp_path)
        office.ask(ONE, TWO)
        [record] = office.queue().cancel()
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
        office.queue().cancel()
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
        [record] = office.queue().cancel()
        assert (record.state, record.replies) == ("closed", None)
        assert batch["output_file_id"] in str(record.problem)
        assert isinstance(office.ask(ONE)[0], PendingError)
        assert len(api.batches) == 2


def test_a_batch_that_was_prepared_for_a_server_without_batches_can_be_given_up(tmp_path):
    with BatchAPI([{"route": "list", "status": 404}] * 2) as api:
        office = Office(api, tmp_path)
        with pytest.raises(UnknownBatchError):
            office.ask(ONE)
        [record] = office.queue().cancel()
        assert (record.state, record.batch_id) == ("closed", None)
        assert api.batches == {}
        assert office.queue().open == []


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
        [record] = office.queue().cancel()
        assert (record.state, record.replies) == ("collected", 1)
        assert "cancel" not in api.seen
