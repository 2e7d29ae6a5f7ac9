import json

import pytest
from answering_material import chat_request
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import ImagePart
from kohaku_lib.llm.batches.lines import read_results, request_line


def body(text="Yes."):
    return {"choices": [{"message": {"content": text}}]}


def line(key="k", *, status=200, body=None, error=None, response=True):
    told = {"status_code": status, "body": body} if response else None
    return json.dumps({"custom_id": key, "response": told, "error": error}).encode()


def test_a_request_is_one_line_that_names_its_key_and_the_route_of_chats():
    written = request_line("key1", chat_request(user="two\nlines \u2028 and é"))
    assert written.count(b"\n") == 1
    told = json.loads(written)
    assert (told["custom_id"], told["method"], told["url"]) == ("key1", "POST", "/v1/chat/completions")
    assert told["body"]["messages"][1]["content"] == "two\nlines \u2028 and é"
    assert told["body"]["model"] == "test-model"


def test_parameters_that_the_model_refuses_are_left_out():
    told = json.loads(request_line("k", chat_request(), frozenset({"temperature", "max_tokens"})))["body"]
    assert "temperature" not in told
    assert "max_tokens" not in told
    assert told["max_completion_tokens"] == 100


def test_images_travel_in_the_line():
    told = json.loads(request_line("k", chat_request(images=(ImagePart("image/png", b"two"),))))
    assert told["body"]["messages"][1]["content"][1]["image_url"]["url"] == "data:image/png;base64,dHdv"


def test_a_completion_is_read_by_its_key():
    results = read_results([line("a", body=body()), line("b", body=body("No."))], {"a", "b"})
    assert results.bodies == {"a": body(), "b": body("No.")}
    assert (results.failures, results.unreadable) == ({}, 0)


@pytest.mark.parametrize(
    ("sent", "kind", "message"),
    [
        (line(status=400, body={"error": {"message": "no such thing", "code": None}}), "refused", "no such thing"),
        (line(status=429, body={"error": {"message": "Slow  down."}}), "retry", "Slow down"),
        (line(status=500, body={"error": {"message": "oops"}}), "retry", "oops"),
        (line(status=400, body={"error": {"message": "m", "code": "context_length_exceeded"}}), "overflow", "m"),
        (line(response=False, error={"code": "batch_expired", "message": "too late"}), "retry", "too late"),
        (line(response=False, error="dropped"), "retry", "dropped"),
        (line(body={"error": {"message": "inside a 200"}}), "retry", "inside a 200"),
        (line(body=body("  ")), "blank", "the server's reply is empty"),
        (line(body={"choices": []}), "retry", "the server's reply is empty"),
        (line(body=None), "retry", "the server's reply is empty"),
    ],
)
def test_what_went_wrong_is_classified_as_for_a_single_call(sent, kind, message):
    failure = read_results([sent], {"k"}).failures["k"]
    assert (failure.kind, failure.message) == (kind, message)


def test_a_refused_parameter_is_named():
    refusal = {"error": {"message": "unsupported", "param": "temperature"}}
    failure = read_results([line(status=400, body=refusal)], {"k"}).failures["k"]
    assert (failure.status, failure.parameter) == (400, "temperature")


def test_of_several_lines_for_one_call_the_first_with_a_text_counts():
    lines = [line(status=500, body={"error": {"message": "oops"}}), line(body=body("one")), line(body=body("two"))]
    results = read_results(lines, {"k"})
    assert results.bodies == {"k": body("one")}
    assert results.failures == {}


def test_lines_of_no_call_are_counted_and_harm_no_other():
    lines = [
        b'{"custom_id": "k", "resp',
        b"[]",
        b"7",
        b'{"custom_id": 3}',
        line("stranger", body=body()),
        line(body=body()),
    ]
    results = read_results(lines, {"k"})
    assert results.unreadable == 5
    assert set(results.bodies) == {"k"}


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.recursive(st.none() | st.booleans() | st.text(max_size=5), st.lists).map(
                lambda v: json.dumps({"custom_id": "k", "response": v, "error": v}).encode()
            ),
        ),
        max_size=5,
    )
)
def test_no_line_whatever_it_holds_raises(lines):
    results = read_results(lines, {"k"})
    assert results.bodies == {}
    assert len(results.failures) <= 1
