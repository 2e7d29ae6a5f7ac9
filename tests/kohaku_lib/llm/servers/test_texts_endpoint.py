"""Replies with an item for each text: which item belongs to which text."""

import pytest
from fake_time import FakeTime
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import CallError
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.failures import Failure
from kohaku_lib.llm.servers.access import ServerAccess
from kohaku_lib.llm.servers.texts_endpoint import TextsEndpoint, items_in_order
from kohaku_lib.settings import LlmSettings


@pytest.mark.parametrize("as_sent", [False, True])
def test_items_come_in_the_order_of_their_index(as_sent):
    items = [{"index": 2}, {"index": 0}, {"index": 1}]
    assert items_in_order({"data": items}, "data", 3, "vector", as_sent=as_sent) == [items[1], items[2], items[0]]


def test_items_without_an_index_are_in_order_only_where_servers_send_them_so():
    items = [{"x": 1}, {"x": 2}]
    assert items_in_order({"data": items}, "data", 2, "vector", as_sent=True) == items
    with pytest.raises(AttemptError, match="does not say which score belongs to which text"):
        items_in_order({"results": items}, "results", 2, "score")


@pytest.mark.parametrize("places", [[0, 0], [0, 2], [-1, 0], [True, 0], [[], 0], ["0", 1], [0.0, 1]])
def test_places_that_are_not_those_of_the_texts_are_worth_another_attempt(places):
    with pytest.raises(AttemptError, match="does not say which") as told:
        items_in_order({"data": [{"index": place} for place in places]}, "data", 2, "vector", as_sent=True)
    assert told.value.may_pass


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": [{"index": 0}]}, {"data": "ab"}])
def test_another_number_of_items_is_worth_another_attempt(body):
    with pytest.raises(AttemptError, match=r"has \d vectors for 2 texts"):
        items_in_order(body, "data", 2, "vector")


def endpoint():
    access = ServerAccess("http://127.0.0.1:9", None, LlmSettings(), FakeTime().environment())
    return TextsEndpoint(access, "/embeddings", "the model", "no vectors")


def sender(limit):
    """Return a call that takes at most `limit` characters in all, and the parts that it took."""
    parts = []

    def send(part):
        if sum(map(len, part)) > limit:
            raise AttemptError(Failure("overflow", "too long"))
        parts.append(part)
        return [text.upper() for text in part]

    return send, parts


@given(st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=12), st.integers(1, 20))
def test_parts_are_halved_until_the_server_takes_them_and_stay_in_order(texts, limit):
    send, parts = sender(limit)
    results = endpoint().in_parts(texts, send, lambda text, error: [text[:limit].upper()])
    assert [result for part in results for result in part] == [text[:limit].upper() for text in texts]
    assert all(sum(map(len, part)) <= limit for part in parts)


def test_texts_that_fit_are_sent_at_once():
    send, parts = sender(100)
    endpoint().in_parts(["a", "b", "c"], send, lambda text, error: [])
    assert parts == [["a", "b", "c"]]


def test_another_failure_ends_the_call_and_names_what_is_missing():
    def send(part):
        raise AttemptError(Failure("refused", "no such model"))

    with pytest.raises(CallError, match=r"the model at http://127\.0\.0\.1:9 gave no vectors: no such model"):
        endpoint().in_parts(["a", "b"], send, lambda text, error: [])
