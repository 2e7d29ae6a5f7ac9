"""What costs nothing before it is known who calls: heads, connections, and bodies of callers who may not send them."""

import contextlib
import re
import resource
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running_server import running_server

from kohaku_assets.server.access.bodies import UPLOADS
from kohaku_assets.server.access.keys import open_keys
from kohaku_assets.server.connections import MOST_HEAD_BYTES, MOST_HEADERS, ConnectionLimits

BEGUN = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POSTED = b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
DESCRIPTORS, IDLE = 200, 400
MUCH = 40_000_000  # bytes of a body that is never sent


def address_of(running):
    return running.client.base_url.host, running.client.base_url.port


def reply_to(running, sent):
    """Return what the server says to bytes after which nothing comes, until it ends the connection."""
    with socket.create_connection(address_of(running), timeout=60) as one:
        one.sendall(sent)
        told = b""
        with contextlib.suppress(ConnectionResetError):
            while part := one.recv(65536):
                told += part
        return told


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (BEGUN + b"X-Long: " + b"a" * MOST_HEAD_BYTES, b"HTTP/1.1 431 "),
        (b"GET /" + b"a" * MOST_HEAD_BYTES, b"HTTP/1.1 431 "),
        (BEGUN + b"X: 1\r\n" * (MOST_HEADERS + 1), b"HTTP/1.1 431 "),
        (b"GET /healthz HTTP/1.1\r\n" + b"A" * MOST_HEAD_BYTES, b"HTTP/1.1 431 "),
        (POSTED + b"5;" + b"a" * 2 * MOST_HEAD_BYTES, b""),  # what is said of a piece
        (POSTED + b"0\r\n" + b"X: 1\r\n" * (MOST_HEADERS + 1), b""),  # what follows a body
    ],
    ids=["value", "address", "fields", "name", "piece", "trailers"],
)
def test_a_head_that_grows_ends_its_connection(server, sent, status):
    told = reply_to(server, sent)
    assert told.startswith(status)
    assert told.count(b"HTTP/1.1 200") == 0


def test_a_head_within_the_limit_and_a_long_body_are_served(client):
    assert client.get("/healthz", headers={"X-Long": "a" * (MOST_HEAD_BYTES - 1000)}).status_code == 200
    sent = iter([b'{"query": "amber", ', b" " * 500_000, b'"top_k": 1}'])
    assert client.post("/v1/search", content=sent, headers={"Content-Type": "application/json"}).json()["matches"]


def test_more_idle_connections_than_descriptors_keep_nobody_from_being_served(fresh):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, hard))
        try:
            running = stack.enter_context(
                running_server(fresh().home, "--set", f"server.connections_per_peer={2 * IDLE}")
            )
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * IDLE), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(IDLE):
            stack.enter_context(socket.create_connection(address_of(running), timeout=60))
        assert running.client.get("/healthz").status_code == 200
        assert running.client.post("/v1/search", json={"query": "amber", "top_k": 1}).json()["matches"]
        running.stop()
        [noted] = [one for one in running.json_lines() if "half of the file descriptors" in one["message"]]
        assert noted["level"] == "warning"


def test_of_one_address_that_has_its_connections_the_one_that_waited_longest_goes(fresh):
    with running_server(fresh().home, "--set", "server.connections_per_peer=3") as running:
        with contextlib.ExitStack() as stack:
            first, second, third = (
                stack.enter_context(socket.create_connection(address_of(running), timeout=60)) for _ in range(3)
            )
            first.sendall(BEGUN + b"\r\n")
            assert b"200 OK" in first.recv(65536)  # it begins to wait anew
            assert running.client.get("/healthz").status_code == 200
            with contextlib.suppress(ConnectionResetError):
                assert second.recv(1) == b""
            third.sendall(BEGUN + b"\r\n")
            assert b"200 OK" in third.recv(65536)
        assert running.client.get("/healthz").status_code == 200


class Connected:
    """A connection that knows whether it was ended."""

    ended = False

    def end(self):
        self.ended = True


@given(st.lists(st.tuples(st.sampled_from(["enter", "work", "wait", "leave"]), st.integers(0, 3), st.integers(0, 9))))
def test_connections_are_never_more_than_allowed_and_none_that_works_is_ended(steps):
    limits, opened, at_work = ConnectionLimits(2, 4, ["3"], lambda: 0.0), {}, set()
    for step, peer, choice in steps:
        alive = [one for one in opened if not one.ended]
        if step == "enter":
            one = Connected()
            waiting = [other for other in alive if other not in at_work]
            own = [other for other in alive if opened[other] == peer]
            if limits.enter(one, str(peer)):
                opened[one] = peer
            else:  # all that could make room are at work
                is_full = peer != 3 and len(own) >= 2
                assert not [other for other in waiting if not is_full or opened[other] == peer]
        elif alive:
            one = alive[choice % len(alive)]
            getattr(limits, step)(one)
            if step == "leave":
                del opened[one]
            at_work = at_work | {one} if step == "work" else at_work - {one}
        alive = [one for one in opened if not one.ended]
        assert len(alive) <= 4
        assert all(sum(opened[one] == peer for one in alive) <= 2 for peer in range(3))
        assert not any(one.ended for one in at_work)


@pytest.fixture(scope="module")
def guarded(served_home, tmp_path_factory):
    """A server with keys of all roles, and the keys."""
    database = f"sqlite:///{tmp_path_factory.mktemp('keys')}/assistant.db"
    with open_keys(served_home / "data" / "store", database) as keys:
        made = {role: keys.add(role, "default", role) for role in ("reader", "editor", "admin")}
        made["foreign"] = keys.add("foreign", "acme", "editor")
    with running_server(served_home, "--set", f"assistant.database={database}", key=made["admin"]) as running:
        yield running, made


def routes_with_bodies(running):
    for path, methods in running.client.get("/openapi.json").json()["paths"].items():
        yield from (
            (method.upper(), re.sub(r"\{\w+\}", "x", path))
            for method, operation in methods.items()
            if method in ("post", "put", "delete") or "requestBody" in operation
        )


def status_before_a_body(running, method, path, key):
    """Return the first status that is told to a caller who states a long body and sends nothing of it."""
    kind = "multipart/form-data; boundary=x" if path == UPLOADS else "application/json"
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {MUCH}\r\nExpect: 100-continue\r\n"
    )
    head += f"Authorization: Bearer {key}\r\n\r\n" if key else "\r\n"
    with socket.create_connection(address_of(running), timeout=60) as one:
        one.sendall(head.encode())
        return int(one.recv(65536).split(b" ", 2)[1])


def test_in_every_route_a_key_and_its_role_are_looked_at_before_the_body(guarded):
    running, keys = guarded
    routes = [*routes_with_bodies(running), ("POST", "/mcp")]
    assert len(routes) > 15
    refused = set()
    for method, path in routes:
        assert status_before_a_body(running, method, path, None) == 401, path
        assert status_before_a_body(running, method, path, "kohaku_wrong") == 401, path
        if path == "/mcp":
            continue
        headers = {"Authorization": f"Bearer {keys['reader']}"}
        whole = running.client.request(method, path, json={}, headers=headers).status_code
        if whole == 403:
            refused.add((method, path))
            assert status_before_a_body(running, method, path, keys["reader"]) == 403, path
    assert {("POST", UPLOADS), ("PUT", "/v1/settings"), ("POST", "/v1/keys")} <= refused
    assert len(refused) >= 8


def test_an_upload_of_another_organisation_is_refused_before_it_is_read(guarded):
    running, keys = guarded
    assert status_before_a_body(running, "POST", UPLOADS, keys["foreign"]) == 403
    assert status_before_a_body(running, "POST", UPLOADS, keys["editor"]) == 100  # it may begin
