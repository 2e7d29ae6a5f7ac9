"""The outcome of one attempt: which failures are worth another one, and what is said of them."""

import json

import httpx
import pytest

from kohaku_lib.http_exchange import InterruptedExchangeError, ReplyTooLargeError, UnknownHostError
from kohaku_lib.http_exchange.faults import RedirectError
from kohaku_lib.llm.chat import StoppedError
from kohaku_lib.llm.resilience.attempt import (
    AttemptError,
    attempt_errors,
    check_status,
    check_text,
    checked_json,
    shown,
)
from kohaku_lib.masking import remember_secret


def completion(text=None, **more):
    choice = {"message": {"content": text, "refusal": more.pop("refusal", None)}, **more}
    return {"choices": [choice]}


@pytest.mark.parametrize("finish_reason", ["stop", "length", "content_filter", None])
def test_a_text_is_a_reply_however_it_ended(finish_reason):
    check_text(completion("Yes.", finish_reason=finish_reason))


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        (completion(" ", finish_reason="stop"), "blank", "is empty"),
        (completion(None), "blank", "is empty"),
        ({"choices": []}, "retry", "is empty"),
        ({"choices": [None]}, "retry", "is empty"),
        (completion("", finish_reason="length"), "refused", "raise llm.max_tokens"),
        (completion(None, finish_reason="content_filter"), "refused", "the server's content filter"),
        (
            completion(None, refusal="I cannot help\nwith that."),
            "refused",
            "the model refused (I cannot help with that)",
        ),
    ],
)
def test_a_blank_reply_is_asked_again_only_where_that_may_help(body, kind, told):
    with pytest.raises(AttemptError) as caught:
        check_text(body)
    assert caught.value.failure.kind == kind
    assert told in caught.value.failure.message


def response(status=200, body=None, headers=None):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.Response(status, content=content, headers=headers, request=httpx.Request("POST", "http://x"))


def failure_of(action):
    with pytest.raises(AttemptError) as caught:
        action()
    return caught.value


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectError("refused"), "retry"),
        (httpx.ConnectTimeout("slow"), "retry"),
        (UnknownHostError("no such host"), "retry"),
        (httpx.ReadTimeout("slow"), "retry"),
        (httpx.RemoteProtocolError("cut"), "retry"),
        (httpx.UnsupportedProtocol("ftp"), "unavailable"),
        (httpx.InvalidURL("port"), "unavailable"),
        (ReplyTooLargeError("too large"), "refused"),
        (RedirectError("elsewhere"), "refused"),
    ],
)
def test_errors_of_the_network_are_failures_of_the_attempt(error, kind):
    def send():
        with attempt_errors():
            raise error

    assert failure_of(send).failure.kind == kind


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), UnknownHostError("no host")]
)
def test_a_server_that_was_never_reached_is_not_tried_again(error):
    def send():
        with attempt_errors(lambda: False):
            raise error

    assert failure_of(send).failure.kind == "unreachable"


def test_an_interruption_stops_the_run_and_other_errors_pass():
    with pytest.raises(StoppedError), attempt_errors():
        raise InterruptedExchangeError
    with pytest.raises(ZeroDivisionError), attempt_errors():
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (429, {"error": {"message": "slow down"}}, "retry", "status 429, slow down"),
        (401, {"error": {"message": "wrong key."}}, "unavailable", "status 401, wrong key"),
        (400, {"error": {"code": "context_length_exceeded", "message": "long"}}, "overflow", "status 400, long"),
        (400, {"detail": "no such field"}, "refused", "status 400, no such field"),
        (400, ["odd"], "refused", "status 400, ['odd']"),
        (500, b"<html>down</html>", "retry", "status 500, <html>down</html>"),
        (503, {"error": None}, "retry", "status 503, Service Unavailable"),
    ],
)
def test_the_reason_of_an_error_status_is_read_in_every_form(status, body, kind, message):
    error = failure_of(lambda: check_status(response(status, body), 0.0))
    assert (error.failure.kind, error.failure.message, error.status) == (kind, message, status)


def test_a_refused_parameter_and_a_requested_wait_are_kept():
    body = {"error": {"message": "no", "param": "seed"}}
    assert failure_of(lambda: check_status(response(400, body), 0.0)).parameter == "seed"
    assert failure_of(lambda: check_status(response(429, body, {"retry-after": "7"}), 0.0)).hint_s == 7.0
    assert failure_of(lambda: check_status(response(400, {"error": {"param": 7}}), 0.0)).parameter is None


@pytest.mark.parametrize("body", [b"", b"<html>", [1], None, "text"])
def test_a_reply_that_is_no_object_is_worth_another_attempt(body):
    assert failure_of(lambda: checked_json(response(200, body), lambda body: None, 0.0)).may_pass


def test_an_error_with_status_200_is_an_error_unless_there_is_a_reply_too():
    error = {"code": 429, "message": "slow down"}
    found = failure_of(lambda: checked_json(response(200, {"error": error}), lambda body: None, 0.0))
    assert (found.status, found.failure.kind) == (429, "retry")
    assert failure_of(lambda: checked_json(response(200, {"error": {}}), lambda body: None, 0.0)).status == 502
    body = {"error": error, "choices": [1]}
    assert checked_json(response(200, body), lambda body: None, 0.0) == body


def test_an_error_with_status_200_tells_the_refused_parameter_and_the_spent_quota():
    def found(**error):
        return failure_of(lambda: checked_json(response(200, {"error": error}), lambda body: None, 0.0))

    assert found(code=400, message="no", param="seed").parameter == "seed"
    assert found(type="insufficient_quota", message="pay").failure.kind == "exhausted"


def test_messages_are_masked_on_one_line_and_not_endless():
    remember_secret("sk-0123456789abcdef-test")
    assert shown(" a\n b sk-0123456789abcdef-test. ") == "a b [key]"
    assert len(shown("x" * 10_000)) == 500
