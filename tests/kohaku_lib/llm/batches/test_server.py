import pytest
from batch_api import BatchAPI
from fake_time import FakeTime

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallError, ProviderUnavailableError
from kohaku_lib.llm.batches import BatchServer, UnknownBatchError
from kohaku_lib.settings import LlmSettings

LINE = b'{"custom_id": "k", "body": {"model": "m", "messages": [{"content": "Why?"}]}}\n'


def server_at(api, time=None, key=None, **settings):
    llm = LlmSettings(provider="openai", base_url=api.base_url, **{"call_retries": 2, **settings})
    return BatchServer(llm, (time or FakeTime()).environment({"OPENAI_API_KEY": key} if key else None))


def test_a_batch_is_uploaded_made_and_found_by_its_token():
    with BatchAPI() as api:
        server = server_at(api)
        made = server.submit(LINE, "token")
        assert server.find("token") == made
        assert server.find("other") is None
        [batch] = api.batches.values()
        assert batch["completion_window"] == "24h"
        assert api.files[batch["input_file_id"]] == LINE


def test_what_bears_the_token_already_is_not_made_again():
    with BatchAPI() as api:
        server = server_at(api)
        assert server.submit(LINE, "token") == server.submit(LINE, "token")
        assert (len(api.batches), api.seen.count("files")) == (1, 1)


@pytest.mark.parametrize("route", ["files", "make", "list"])
@pytest.mark.parametrize(
    "fault", [{"status": 429}, {"status": 500}, {"drop": True}, {"text": "{"}, {"text": "[]"}, {"text": "{}"}]
)
def test_attempts_that_fail_are_repeated_and_make_one_batch(route, fault):
    time = FakeTime()
    with BatchAPI([{"route": route, **fault}]) as api:
        server_at(api, time).submit(LINE, "token")
        assert len(api.batches) == 1
    assert time.slept == [3.0]


@pytest.mark.parametrize("fault", [{"status": 500}, {"drop": True}, {"text": "{}"}])
def test_a_batch_that_was_made_before_the_reply_was_lost_is_not_made_twice(fault):
    with BatchAPI([{"route": "make", "after": True, **fault}]) as api:
        made = server_at(api).submit(LINE, "token")
        assert list(api.batches) == [made]


def test_a_token_is_found_on_a_later_page():
    with BatchAPI() as api:
        server = server_at(api)
        first = server.submit(LINE, "token 0")
        for number in range(1, 5):
            server.submit(LINE, f"token {number}")
        api.page_size = 2
        assert server.find("token 0") == first


def test_a_refusal_is_one_sentence_without_the_key():
    with BatchAPI([{"route": "make", "status": 400, "message": "bad sk-secret request"}]) as api:
        with pytest.raises(CallError) as caught:
            server_at(api, key="sk-secret").submit(LINE, "token")
        assert api.seen.count("make") == 1
    assert "sk-secret" not in str(caught.value)
    assert "bad [key] request" in str(caught.value)


def test_a_wrong_key_is_told_at_once():
    with BatchAPI([{"route": "list", "status": 401}]) as api, pytest.raises(ProviderUnavailableError):
        server_at(api).find("token")


def test_a_batch_tells_its_state_counts_files_and_problem():
    with BatchAPI() as api:
        server = server_at(api)
        made = server.submit(LINE, "token")
        under_way = server.look(made)
        api.finish("failed", problem="line 1 is\nno request.")
        over = server.look(made)
    assert (under_way.status, under_way.is_over, under_way.problem) == ("in_progress", False, None)
    assert (over.status, over.is_over, over.problem) == ("failed", True, "line 1 is no request")


def test_the_lines_of_a_file_are_read_whole_after_a_drop():
    with BatchAPI() as api:
        server = server_at(api)
        made = server.submit(LINE, "token")
        api.finish()
        api.faults = [{"route": "content", "drop": True}, {"route": "content", "status": 503}]
        name = server.look(made).output_file
        assert name is not None
        [line] = server.lines(name)
        assert line.startswith(b'{"id"')


def test_a_batch_that_nobody_knows_is_told_apart():
    with BatchAPI() as api, pytest.raises(UnknownBatchError, match="no such batch"):
        server_at(api).look("batch_99")


def test_a_cancelled_batch_is_on_its_way_out():
    with BatchAPI() as api:
        server = server_at(api)
        assert server.cancel(server.submit(LINE, "token")).status == "cancelling"


def test_without_a_key_nothing_is_asked():
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        BatchServer(LlmSettings(provider="openai"), FakeTime().environment())
