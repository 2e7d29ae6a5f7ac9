"""Replies with an item for each text: which item belongs to which text."""

import pytest

from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.resilience.texts_endpoint import items_in_order


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
