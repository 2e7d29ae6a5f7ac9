"""How many requests a caller may send in a minute and at once."""

import pytest

from kohaku_assets.server.access.limits import Limits
from kohaku_assets.server.problems import Problem


def test_requests_of_a_minute_are_counted_by_caller_and_come_back_with_time():
    now = [0.0]
    limits = Limits(per_minute=2, at_once=5, clock=lambda: now[0])
    for _ in range(2):
        limits.enter("ann")
    with pytest.raises(Problem) as refused:
        limits.enter("ann")
    assert (refused.value.status_code, refused.value.headers["Retry-After"]) == (429, "31")
    limits.enter("bob")
    now[0] = 30.0
    limits.enter("ann")


def test_a_long_rest_saves_up_the_requests_of_one_minute_only():
    now = [0.0]
    limits = Limits(per_minute=2, at_once=5, clock=lambda: now[0])
    limits.enter("ann")
    now[0] = 3600.0
    for _ in range(2):
        limits.enter("ann")
    with pytest.raises(Problem, match="more than 2 requests in a minute"):
        limits.enter("ann")


def test_requests_at_once_are_limited_until_one_ends():
    limits = Limits(per_minute=100, at_once=1)
    limits.enter("ann")
    with pytest.raises(Problem, match="are under way"):
        limits.enter("ann")
    limits.leave("ann")
    limits.enter("ann")
