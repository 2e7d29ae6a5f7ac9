from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm.resilience.failures import classify_status, overflow_tokens, retry_delay_s, server_hint_s

NOW = 1_700_000_000.0


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_rate_limits_and_server_errors_are_retried(status):
    assert classify_status(status, None, "busy").kind == "retry"


@pytest.mark.parametrize("status", [400, 405, 422])
def test_other_client_errors_are_not_retried_even_where_their_text_looks_like_a_server_error(status):
    assert classify_status(status, None, "the server provider said 500").kind == "refused"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_or_model_means_that_no_call_will_succeed(status):
    assert classify_status(status, None, "no").kind == "unavailable"


def test_an_exhausted_quota_is_not_waited_for():
    assert classify_status(429, "insufficient_quota", "You exceeded your current quota").kind == "exhausted"


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "context_length_exceeded", "too long"),
        (400, None, "This model's maximum context length is 8192 tokens, however you requested 9000 max_tokens"),
        (413, None, "payload too large"),
        (400, "exceed_context_size_error", "the request exceeds the available context size"),
        (429, "rate_limit_exceeded", "Request too large for test-model: limit 30000, requested 50000"),
    ],
)
def test_an_overflow_is_told_by_code_or_text_and_never_retried(status, code, message):
    assert classify_status(status, code, message).kind == "overflow"


def test_a_wait_of_more_than_ten_minutes_is_not_taken():
    failure = classify_status(429, None, "daily limit", 3600.0)
    assert (failure.kind, failure.hint_s) == ("exhausted", 3600.0)
    assert "3600 s" in failure.message
    assert classify_status(429, None, "limit", 600.0).kind == "retry"


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 350ms. Visit the docs.", 0.35),
        ("try again in 6m0s", 360.0),
        ("Try again in 1.5 seconds", 1.5),
        ("try again in 2 minutes", 120.0),
        ("try again in 500 ms", 0.5),
        ("please retry after 20 seconds", 20.0),
        ("try again in 1h2m3s", 3723.0),
        ("try again later", None),
        ("", None),
    ],
)
def test_hints_in_messages_are_read_with_their_units(message, seconds):
    assert server_hint_s({}, message, NOW) == (pytest.approx(seconds) if seconds is not None else None)


def test_the_header_goes_before_the_message_and_milliseconds_before_seconds():
    headers = {"retry-after-ms": "1500", "retry-after": "9"}
    assert server_hint_s(headers, "try again in 1m", NOW) == 1.5
    assert server_hint_s({"retry-after": "9"}, "try again in 1m", NOW) == 9.0


def test_a_retry_after_date_counts_from_now_and_never_below_zero():
    assert server_hint_s({"retry-after": formatdate(NOW + 30, usegmt=True)}, "", NOW) == 30.0
    assert server_hint_s({"retry-after": formatdate(NOW - 30, usegmt=True)}, "", NOW) == 0.0


@pytest.mark.parametrize("junk", ["soon", "nan", "-3", "inf", "99999999999 Foo 2020"])
def test_a_header_that_is_no_wait_falls_back_to_the_message(junk):
    assert server_hint_s({"retry-after": junk}, "try again in 2s", NOW) == 2.0


def test_delays_without_a_hint_double_from_the_base():
    assert [retry_delay_s(attempt, None, 3.0, 0.5) for attempt in range(5)] == [3.0, 6.0, 12.0, 24.0, 48.0]


@given(
    attempt=st.integers(0, 1000),
    hint=st.none() | st.floats(0, 600),
    base=st.floats(0, 60),
    random=st.floats(0, 1, exclude_max=True),
)
def test_delays_keep_to_their_jitter_bounds_the_hint_and_ten_minutes(attempt, hint, base, random):
    delay = retry_delay_s(attempt, hint, base, random)
    middle = min(base * 2.0 ** min(attempt, 30), 1e12) if hint is None else hint + 1.0
    assert delay <= 600.0
    assert delay <= 1.25 * middle + 1e-9
    assert delay >= min(0.75 * middle, 600.0) - 1e-9
    assert delay >= (hint or 0.0)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9510 tokens (8486 in the "
            "messages, 1024 in the completion). Please reduce the length of the messages or completion.",
            (8192, 9510),
        ),
        (
            "This model's maximum context length is 16385 tokens. However, your messages resulted in 22,100 tokens.",
            (16385, 22100),
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", (200000, 208310)),
        ("the request exceeds the available context size. try increasing the context size", (None, None)),
        ("the request (5021 tokens) exceeds the available context size (4096 tokens)", (4096, 5021)),
        ("This endpoint's maximum context length is 32768 tokens", (32768, None)),
        ("Request too large for test-model: limit 30000, requested 50000", (None, None)),
        ("status 500 and 3 tokens", (None, None)),
        ("", (None, None)),
    ],
)
def test_what_a_server_takes_and_was_given_is_read_from_its_message(message, tokens):
    assert overflow_tokens(message) == tokens
