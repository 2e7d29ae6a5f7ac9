"""The body of a request as its parts arrive: all of them together are within the limit, whatever the head states."""

import asyncio

import pytest

from kohaku_assets.server.access.bodies import MEGABYTE, UPLOADS, limited
from kohaku_assets.server.problems import Problem
from kohaku_lib.settings import ServerSettings

SETTINGS = ServerSettings(max_body_mb=1.0, max_upload_mb=3.0)
PART = MEGABYTE // 4


def taken(path, parts, *headers):
    """Return how many of `parts`, each of a quarter of a megabyte, a POST to `path` may send."""
    sent = iter(range(1, parts + 1))

    async def receive():
        return {"type": "http.request", "body": bytes(PART), "more_body": next(sent) < parts}

    async def send(message):
        raise AssertionError

    async def read():
        scope = {"type": "http", "method": "POST", "path": path, "headers": list(headers)}
        within, _ = limited(scope, receive, send, SETTINGS)
        number = 0
        try:
            while (await within())["more_body"]:
                number += 1
        except Problem as problem:
            return number if problem.status_code == 413 else problem.status_code
        return number + 1

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("path", "most"), [("/v1/search", 4), (UPLOADS, 12), ("/v1/chat", 52)], ids=["search", "upload", "pictures"]
)
def test_a_body_in_parts_is_refused_from_the_part_on_that_exceeds_the_limit(path, most):
    assert (taken(path, most), taken(path, most + 1), taken(path, 10 * most)) == (most, most, most)


def test_a_body_that_is_longer_than_its_head_states_is_refused_at_the_limit():
    assert taken("/v1/search", 9, (b"content-length", b"10")) == 4


def test_a_body_whose_head_states_too_much_is_refused_before_any_part():
    assert taken("/v1/search", 9, (b"content-length", str(9 * PART).encode())) == 0
