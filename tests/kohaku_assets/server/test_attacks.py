"""What somebody may try who means harm: every attempt is refused or without effect, and the server answers the next."""

import asyncio
import contextlib
import itertools
import json
import logging
import re
import socket
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace

import httpx
import pytest
from joined_client import joined_client
from running_server import events_of, running_server

from kohaku_assets.server.access.bodies import limited_send
from kohaku_assets.server.footnotes import footnotes
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.stalled_connections import StalledConnections
from kohaku_lib.conversation import Source
from kohaku_lib.testing.openai_server import OpenAIServer

QUESTION = "How much electricity did the machine room use in 2023?"
ASK = {"query": "amber", "top_k": 1}
PATHS = (
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\kohaku.toml",
    "....//....//etc/passwd",
    "file:///etc/passwd",
)
STREAMS = 200


def by_model(model):
    """The settings under which the chat model `model` answers."""
    return ("llm.provider=openai", "answer.by=model", "llm.model=test", f"llm.base_url={model.base_url}")


def told_of_a_file(text):
    return "root:" in text or "[corpus]" in text


def call(client, method, path, values):
    """Request a path of the API with the values of its parameters."""
    query = {name: one for name, one in values.items() if f"{{{name}}}" not in path}
    filled = re.sub(r"\{(\w+)\}", lambda name: values[name[1]].replace("/", "%2F"), path)
    return client.request(method.upper(), filled, params=query)


def test_no_parameter_of_a_path_or_a_query_leads_to_a_file(client):
    paths = client.get("/openapi.json").json()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method, operation in methods.items():
            for named, value in itertools.product(operation.get("parameters", ()), PATHS):
                others = {one["name"]: "1" for one in operation["parameters"]}
                response = call(client, method, path, others | {named["name"]: value})
                assert not told_of_a_file(response.text)
                if response.status_code == 200:  # words to look for may be any, and find what others find
                    nothing = call(client, method, path, others | {named["name"]: "zyzzyva"})
                    assert (named["in"], response.content) == ("query", nothing.content), (method, path, value)
                else:
                    assert response.status_code in (400, 403, 404, 405, 422), (method, path, response.text)
                asked += 1
    assert asked >= 60


@pytest.mark.parametrize("value", PATHS)
def test_no_value_of_a_body_leads_to_a_file(client, value):
    where = {"documents": [value], "folders": [value], "collections": [value]}
    bodies = {
        "/v1/search": {"query": value, "filter": where},
        "/v1/answers": {"question": QUESTION, "filter": where},
        "/v1/chat": {"message": value, "session_id": "x", "folder_id": value, "collection_filter": value},
        "/v1/tools/search_knowledge_base": {"query": "amber", "category": value},
        "/v1/feedback": {"answer_id": value, "rating": 1, "right_source": value},
    }
    for path, body in bodies.items():
        response = client.post(path, json=body)
        assert response.status_code < 500, response.text
        assert not told_of_a_file(response.text)
    assert client.put("/v1/index/published", json={"version": value}).status_code in (400, 404)


@pytest.mark.parametrize(
    "path",
    ["/page/..%2f..%2fserving.py", "/page/../../serving.py", "/page/%2e%2e/%2e%2e/serving.py", "/page//etc/passwd"],
)
def test_the_folder_of_the_page_gives_nothing_else(server, path):
    address = (server.client.base_url.host, server.client.base_url.port)
    with socket.create_connection(address, timeout=30) as raw:  # a client would shorten the path
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        reply = b"".join(iter(lambda: raw.recv(65536), b""))
    assert reply.split(b" ", 2)[1] == b"404"
    assert b"import" not in reply


def test_requests_that_never_end_hold_up_nobody_and_are_cut(fresh):
    home = fresh().home
    with (home / "kohaku.toml").open("a") as file:
        file.write("\n[server]\nbody_timeout_s = 1.0\nhead_timeout_s = 1.0\nconnections_per_peer = 200\n")
    head = b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    begun = {
        b"": b"",  # nothing at all
        b"POST /v1/sea": b"",
        head: b"",
        head + b"Content-Length: 40\r\n\r\n": b" 408 ",
        head + b'Content-Length: 40\r\n\r\n{"query"': b" 408 ",
        head + b'Transfer-Encoding: chunked\r\n\r\n8\r\n{"query"\r\n': b" 408 ",
    }
    with running_server(home) as running, contextlib.ExitStack() as sockets:
        address = (running.client.base_url.host, running.client.base_url.port)
        opened = [
            (sockets.enter_context(socket.create_connection(address, timeout=30)), reply)
            for reply in list(begun.values()) * 20
        ]
        for (one, _), sent in zip(opened, list(begun) * 20, strict=True):
            one.sendall(sent)
        assert running.client.post("/v1/search", json=ASK).status_code == 200
        for one, reply in opened:
            with contextlib.suppress(ConnectionResetError):
                told = b"".join(iter(lambda one=one: one.recv(65536), b""))  # until the server ends the connection
                assert reply in told[:20]
        assert running.client.post("/v1/search", json=ASK).status_code == 200


@dataclass
class Transport:
    """A connection as uvicorn's protocols hold it."""

    size: int = 0
    closing: bool = False
    aborted: bool = False
    transport: object = None
    cycle: object = field(default=None)

    def __post_init__(self):
        self.transport = self

    __hash__ = object.__hash__

    def get_write_buffer_size(self):
        return self.size

    def is_closing(self):
        return self.closing

    def abort(self):
        self.aborted = True


def test_a_connection_is_cut_that_stalls_and_none_that_answers_or_gets_on():
    idle, answering, done, reading = Transport(), Transport(), Transport(), Transport(size=100)
    answering.cycle = SimpleNamespace(response_complete=False)
    done.cycle = reading.cycle = SimpleNamespace(response_complete=True)
    every, stalled = [idle, answering, done, reading], StalledConnections(30.0, 30.0)
    assert stalled.cut(every, 0.0) == 0
    done.cycle = SimpleNamespace(response_complete=True)  # another request was answered
    reading.size = 50
    assert stalled.cut(every, 20.0) == 0
    assert stalled.cut(every, 31.0) == 1
    assert (idle.aborted, done.aborted, reading.aborted, answering.aborted) == (True, False, False, False)
    assert stalled.cut(every[1:], 51.0) == 2
    answering.closing = True  # its caller takes nothing of the rest
    assert stalled.cut([answering], 60.0) == 0
    assert stalled.cut([answering], 91.0) == 1


def test_a_caller_who_takes_nothing_of_a_response_is_left():
    async def never(message):
        await asyncio.Event().wait()

    with pytest.raises(Problem, match=r"took nothing of the response for 0\.01 s"):
        asyncio.run(limited_send(never, 0.01)({"type": "http.response.body"}))


@pytest.mark.slow
def test_two_hundred_streams_at_once_are_bounded_and_the_rest_told_when_to_come_again(fresh):
    released = threading.Event()

    def reply(body):
        assert released.wait(120)
        return "It used 29,260 kWh [Source 1]."

    with OpenAIServer(reply=reply) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
            file.write("\n[server]\nrequests_at_once = 24\nconnections_per_peer = 300\n")
        limits = httpx.Limits(max_connections=STREAMS + 1)
        with (
            running_server(home) as running,
            httpx.Client(base_url=running.url, timeout=120, limits=limits) as own,
            contextlib.ExitStack() as streams,
        ):
            body = {"message": QUESTION, "stream": True}
            opened = [streams.enter_context(own.stream("POST", "/v1/chat", json=body)) for _ in range(STREAMS)]
            statuses = [one.status_code for one in opened]
            assert (statuses.count(200), statuses.count(429)) == (24, STREAMS - 24)
            assert all(one.headers["retry-after"] for one in opened if one.status_code == 429)
            assert own.get("/healthz").status_code == 200
            released.set()
            ends = [list(events_of(one.iter_lines()))[-1][0] for one in opened if one.status_code == 200]
            assert ends == ["response"] * 24
            assert own.post("/v1/search", json=ASK).status_code == 200


@pytest.mark.parametrize("secret_at", ["header", "query", "body", "path"])
def test_no_secret_of_a_request_reaches_the_log(server, secret_at):
    secret = f"kohaku_verysecret{secret_at}0123456789"
    asked = {
        "header": lambda: server.client.post("/v1/search", json=ASK, headers={"Authorization": f"Basic {secret}"}),
        "query": lambda: server.client.post(f"/v1/search?api_key={secret}", json=ASK),
        "body": lambda: server.client.post("/v1/chat", json={"message": 7, "session_id": secret}),
        "path": lambda: server.client.get(f"/v1/nodes/{secret}"),
    }[secret_at]()
    assert asked.status_code < 500
    server.client.get("/healthz", headers={"X-Request-ID": f"after-{secret_at}"})
    lines = iter(lambda: any(one.get("request_id") == f"after-{secret_at}" for one in server.json_lines()), True)
    assert all(not seen for seen in itertools.islice(lines, 10**6))
    assert "verysecret" not in "".join(server.log)


def test_no_key_of_the_language_model_reaches_a_response_or_the_log(fresh, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    secret = "sk-verysecret-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    echo = {"kind": "status", "status": 401, "message": f"Incorrect API key provided: {secret}"}
    with OpenAIServer(faults=[echo] * 4) as model:
        with joined_client(fresh(*by_model(model))) as client:
            for path, body in (("/v1/chat", {"message": QUESTION}), ("/v1/answers", {"question": QUESTION})):
                response = client.post(path, json=body)
                assert secret not in response.text
                assert "verysecret" not in response.text
            assert model.requests
        assert "verysecret" not in caplog.text
        assert "/v1/chat" in caplog.text


def test_a_model_that_obeys_a_document_cites_nothing_outside_of_its_context(fresh):
    obeyed = {
        "explanation": "The document says to cite others.",
        "answer": "It is 29260.",
        "answer_value": "29260",
        "ref_id": ["secret-report", "kohaku-energy-report"],
        "supporting_materials": "the machine room took 29,260 kWh",
    }
    chat = "It used 29,260 kWh [Source 99]. Cite [Source 1000] and [Source -1] and [ref_id=secret-report]."

    def reply(body):
        return json.dumps(obeyed) if "ref_id" in json.dumps(body) else chat

    with OpenAIServer(reply=reply) as model, joined_client(fresh(*by_model(model))) as client:
        answer = client.post("/v1/answers", json={"question": QUESTION}).json()
        assert "secret-report" not in answer["ref_id"]
        assert all(one["document_id"] == "kohaku-energy-report" for one in answer["citations"])
        said = client.post("/v1/chat", json={"message": QUESTION}).json()
        assert "[Source 99]" not in said["content"]
        assert "[Source 1000]" not in said["content"]
        assert "secret-report" not in said["answer"]["ref_id"]
        assert [source["document_id"] for source in said["sources"] if source["cited"]] == ["kohaku-energy-report"]


def test_a_title_cannot_end_its_own_link_in_a_chat_client():
    title = "x](javascript:alert(1)) <img src=x onerror=alert(1)>\n\n# [y](https://evil.example) `"
    source = Source("d", "d.md", title, "d:sec1)](javascript:x)", None, "", 1.0, None, None, True)
    [line] = footnotes([source], "http://127.0.0.1").strip().splitlines()
    label, _, address = line.removeprefix("[1] ").partition("](")
    assert not re.search(r"[\[\]<>`]", label.removeprefix("["))
    assert address == "http://127.0.0.1/#node=d:sec1%29%5D%28javascript:x%29)"


def test_html_of_a_question_is_text_in_every_form_of_an_answer(server):
    attack = "<script>window.attacked=1</script><img src=x onerror=alert(1)>"
    with server.client.stream("POST", "/v1/chat", json={"message": attack, "stream": True}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert list(events_of(response.iter_lines()))[-1][0] == "response"
    refused = server.client.post("/v1/search", json={"query": 7, attack: attack})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    policy = server.client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
