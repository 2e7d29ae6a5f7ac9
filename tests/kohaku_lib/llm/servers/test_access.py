"""What goes to a server: our own headers and address, whatever the environment tells the package that sends them."""

import subprocess
import sys

import httpx
import pytest
from fake_time import FakeTime
from raw_server import RawServer, response, sends

from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.servers.access import ServerAccess
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

PLAIN = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"}


def access_to(url, key=None):
    return ServerAccess(url, key, LlmSettings(), FakeTime().environment())


def ask(access, **more):
    messages = [{"role": "user", "content": "Why?"}]
    create = access.client.chat.completions.with_raw_response.create
    return access.json(create, lambda reply: None, model="m", messages=messages, **more)


@pytest.fixture
def misled(monkeypatch):
    """An environment that would send the package's requests elsewhere, with other headers."""
    told = "Authorization: Bearer theirs\nCookie: theirs\nX-Team: theirs"
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", told)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/theirs")
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "theirs")


@pytest.mark.parametrize(("key", "sent"), [("ours", "Bearer ours"), (None, None)])
@pytest.mark.usefixtures("misled")
def test_the_environment_of_the_package_changes_neither_the_address_nor_the_headers(key, sent):
    with OpenAIServer() as server:
        ask(access_to(server.base_url, key))
        access = access_to(server.base_url, key)
        arguments = {"path": "/embeddings", "cast_to": httpx.Response, "body": {"input": ["a"]}}
        access.json(access.client.post, lambda reply: None, **arguments)
        for headers in server.headers:
            assert headers.get("authorization") == sent
            assert headers.keys() - {"authorization", "x-stainless-raw-response"} == PLAIN
            assert "theirs" not in str(headers)


@pytest.mark.usefixtures("misled")
def test_a_password_in_the_address_is_sent_whether_or_not_there_is_a_key():
    with OpenAIServer() as server:
        for key in ("ours", None):
            ask(access_to(server.base_url.replace("://", "://me:word@"), key))
        assert [headers["authorization"] for headers in server.headers] == ["Basic bWU6d29yZA=="] * 2  # me:word


def test_the_query_of_the_address_stands_beside_that_of_a_request():
    with RawServer(sends(response(b'{"data": []}'))) as server:
        access = access_to(server.url + "/v1/?api-version=2")
        access.json(access.client.batches.with_raw_response.list, lambda reply: None, limit=3)
        assert server.heads[0].startswith(b"GET /v1/batches?api-version=2&limit=3 ")


def test_a_model_on_this_machine_is_asked_without_the_proxy_of_the_environment(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with RawServer(sends(response(b"{}", "502 Bad Gateway"))) as proxy, OpenAIServer() as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        ask(access_to(server.base_url))
        assert len(server.requests) == 1
    assert proxy.heads == []


def test_a_proxy_that_is_gone_is_named(monkeypatch):
    with RawServer(sends()) as proxy:
        pass
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    with pytest.raises(AttemptError, match=f"the connection failed: by the proxy {proxy.url}: .*refused"):
        ask(access_to("http://models.invalid/v1"))


@pytest.mark.parametrize("batch_id", ["", "..", "\ud800"])
def test_an_id_that_can_stand_in_no_address_is_a_refusal(batch_id):
    access = access_to("http://127.0.0.1:9/v1")
    with pytest.raises(AttemptError) as caught:
        access.json(access.client.batches.with_raw_response.retrieve, lambda reply: None, batch_id=batch_id)
    assert caught.value.failure.kind == "refused"


def test_access_to_a_server_that_nobody_asks_does_not_import_the_package():
    program = (
        "import sys; from kohaku_lib.llm import Environment, OpenAIChat; from kohaku_lib.settings import LlmSettings;"
        "OpenAIChat(LlmSettings(provider='openai', base_url='http://127.0.0.1:9'), Environment(variables={}));"
        "sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
