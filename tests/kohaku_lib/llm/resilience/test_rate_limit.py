import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from answering_material import chat_request
from fake_time import FakeTime
from hang_limit import HANG_S
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import Environment, OpenAIChat
from kohaku_lib.llm.resilience.rate_limit import RateLimit
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer


def test_without_limits_nobody_waits():
    limit = RateLimit(None, None, lambda: 5.0)
    assert [limit.reserve(10**6) for _ in range(100)] == [0.0] * 100


def test_calls_are_spaced_evenly_and_in_the_order_in_which_they_come():
    limit = RateLimit(60, None, lambda: 0.0)
    assert [limit.reserve(1) for _ in range(4)] == [0.0, 1.0, 2.0, 3.0]


def test_time_that_passed_is_not_saved_up():
    now = [0.0]
    limit = RateLimit(60, None, lambda: now[0])
    limit.reserve(1)
    now[0] = 100.0
    assert [limit.reserve(1) for _ in range(2)] == [0.0, 1.0]


def test_a_large_call_makes_the_next_one_wait_for_its_tokens():
    limit = RateLimit(None, 6_000, lambda: 0.0)  # 100 a second
    assert [limit.reserve(tokens) for tokens in (500, 100, 100)] == [0.0, 5.0, 6.0]


def test_tokens_that_were_not_used_are_given_back_and_others_taken():
    limit = RateLimit(None, 6_000, lambda: 0.0)
    limit.reserve(1_000)
    limit.settle(1_000, 200)
    assert limit.reserve(100) == pytest.approx(2.0)
    limit.settle(100, 300)
    assert limit.reserve(1) == pytest.approx(5.0)


@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.floats(0, 30), st.integers(1, 5_000)), min_size=1, max_size=60),
)
def test_no_minute_holds_more_calls_or_tokens_than_allowed_but_for_the_call_that_ends_it(per_minute, calls):
    now, limit, starts = [0.0], None, []
    limit = RateLimit(per_minute, 20_000, lambda: now[0])
    for pause, tokens in calls:
        now[0] += pause
        starts.append((now[0] + limit.reserve(tokens), tokens))
    for first, _ in starts:
        inside = [tokens for start, tokens in starts if first <= start < first + 59.999]
        assert len(inside) <= per_minute
        assert sum(inside[:-1]) <= 20_000
    assert [start for start, _ in starts] == sorted(start for start, _ in starts)


def test_the_limits_hold_at_the_server():
    fake = FakeTime()
    with OpenAIServer() as server:
        settings = LlmSettings(
            provider="openai", base_url=server.base_url, requests_per_minute=30, tokens_per_minute=100_000
        )
        chat = OpenAIChat(settings, fake.environment())
        for number in range(4):
            chat.complete(chat_request(user=f"{number} kg"))
    assert fake.slept == [2.0, 2.0, 2.0]


def test_waiting_for_the_limit_holds_no_slot():
    release = threading.Event()
    waiting = threading.Event()

    def sleep(_seconds):
        waiting.set()
        release.wait(HANG_S)

    with OpenAIServer() as server, ThreadPoolExecutor(1) as pool:
        settings = LlmSettings(provider="openai", base_url=server.base_url, requests_per_minute=1, max_concurrent=1)
        environment = Environment(clock=lambda: 0.0, sleep=sleep, variables={})
        chat = OpenAIChat(settings, environment)
        chat.complete(chat_request())
        second = pool.submit(chat.complete, chat_request(user="2 kg"))
        assert waiting.wait(HANG_S)
        assert chat._slots.acquire(timeout=HANG_S)
        chat._slots.release()
        release.set()
        assert second.result(HANG_S).attempts == 1


def test_a_stop_ends_the_waits_and_lets_no_further_call_start():
    from kohaku_lib.llm import StoppedError

    with OpenAIServer([{"kind": "status", "status": 503, "headers": {"Retry-After": "300"}}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url)
        chat = OpenAIChat(settings, Environment(variables={}))
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(chat.complete, chat_request())
            while server.stats()["requests"] < 1:
                time.sleep(0.01)
            chat.stop()
            with pytest.raises(StoppedError):
                waiting.result(HANG_S)
        with pytest.raises(StoppedError):
            chat.complete(chat_request())
        assert server.stats()["requests"] == 1
